import SyncPersistence

/// The conversion of a model's XML to the definitions of a schema.
///
/// It collects faults and skipped parts. `schema()` throws all faults at once.
///
/// It has these steps:
///
/// 1. read each entity with its properties;
/// 2. check the limits;
/// 3. resolve inverses, which may be transient;
/// 4. remove old names that are not unique;
/// 5. find the primary keys.
struct ModelReading {
    /// The faults, which `schema()` throws if there are any, and the skipped parts.
    var log = FindingLog()

    /// The entities in the order of the model; of several with one name, the first.
    var drafts: [EntityDraft] = []

    /// The index of each entity among the drafts.
    var positions: [String: Int] = [:]

    /// The place of the root element.
    private let rootPosition: MarkupPosition

    /// Reads the entities of a model, and resolves their inverses, old names and keys.
    ///
    /// - Throws: `ModelError` if the root element is not a model, or if the model exceeds a limit. All other faults are
    ///   collected.
    init(_ root: MarkupElement) throws(ModelError) {
        rootPosition = root.position
        guard root.name == "model" else {
            throw ModelError(
                .model,
                "the root element is '\(root.name)', where a model has 'model': give the file 'contents' of a "
                    + "model",
                at: root.position)
        }
        log.reportUnusedAttributes(of: root, nil)
        for element in root.children {
            switch element.name {
            case "entity": readEntity(element)
            case "elements": break
            default: log.reportSkipped(element, nil)
            }
        }
        try checkSize()
        settleInverses()
        settleHints()
        settleKeys()
    }

    /// Returns the schema.
    ///
    /// - Throws: `ModelError` with all faults.
    func schema() throws(ModelError) -> Schema {
        var log = log
        do {
            let schema = try Schema(drafts.map(\.entity))
            if log.faults.isEmpty { return schema }
        } catch {
            // Consequences of a known fault are not reported.
            let known = Set(log.faults.map(\.subject))
            for fault in error.faults {
                let subject = fault.property.map { "\(fault.entity).\($0)" } ?? fault.entity
                if known.contains(subject) { continue }
                let draft = positions[fault.entity].map { drafts[$0] }
                let place = fault.property.flatMap { draft?.places[$0] } ?? draft?.position
                log.fault(place, subject, fault.message)
            }
        }
        throw ModelError(.model, log.faults.inOrder())
    }
}

extension ModelReading {
    /// Reads an entity, and appends it to the drafts.
    ///
    /// It reports a fault for an entity without a name, or with the name of an earlier one.
    ///
    /// - Parameter element: An `entity` element.
    private mutating func readEntity(_ element: MarkupElement) {
        guard let name = element["name"], !name.isEmpty else {
            log.fault(element.position, nil, "this entity has no name: give it one")
            return
        }
        if let position = positions[name] {
            let line = drafts[position].position.line
            log.fault(element.position, name, "the entity in line \(line) has this name: rename one of them")
            return
        }
        positions[name] = drafts.count
        drafts.append(EntityDraft(name, element, &log))
    }

    /// Returns the positions of an entity and of those that it inherits from, the entity first.
    ///
    /// - Complexity: O(*n*) for *n* entities that it inherits from, with one look-up by name for each
    ///
    /// It stops at the limit, which it also reaches if an entity inherits from itself.
    func lineage(of name: String) -> [Int] {
        var lineage: [Int] = []
        var next: String? = name
        while let name = next, let position = positions[name], lineage.count <= ModelLimits.ancestorCount + 1 {
            lineage.append(position)
            next = drafts[position].entity.parent
        }
        return lineage
    }

    /// Checks that the schema is within `ModelLimits`, because inheritance makes it larger than the file.
    ///
    /// - Throws: `ModelError` if a limit is exceeded.
    private func checkSize() throws(ModelError) {
        var arriving: [String: Int] = [:]
        for draft in drafts {
            for relationship in draft.entity.relationships { arriving[relationship.destination, default: 0] += 1 }
        }
        var count = 0
        for draft in drafts {
            let lineage = lineage(of: draft.entity.name)
            if lineage.count > ModelLimits.ancestorCount + 1, Set(lineage).count == lineage.count {
                throw ModelError(
                    .limit,
                    "it inherits more than \(ModelLimits.ancestorCount) entities, which those of no model do",
                    at: draft.position, subject: draft.entity.name)
            }
            for ancestor in lineage {
                count += drafts[ancestor].entity.attributes.count + drafts[ancestor].entity.relationships.count
                count += arriving[drafts[ancestor].entity.name, default: 0]
            }
        }
        if count > ModelLimits.propertyCount {
            throw ModelError(
                .limit,
                "the entities have more than \(ModelLimits.propertyCount) properties with those that they "
                    + "inherit, which no model has",
                at: rootPosition)
        }
    }
}
