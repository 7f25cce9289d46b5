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
    /// What makes the model unusable, in the order of reading; `schema()` throws if there are any.
    var faults: [ModelFinding] = []

    /// The skipped parts.
    var notices: [ModelFinding] = []

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
        reportUnusedAttributes(of: root, nil)
        for element in root.children {
            switch element.name {
            case "entity": readEntity(element)
            case "elements": break
            default: reportSkipped(element, nil)
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
        var faults = faults
        do {
            let schema = try Schema(drafts.map(\.entity))
            if faults.isEmpty { return schema }
        } catch {
            // Consequences of a known fault are not reported.
            let known = Set(faults.map(\.subject))
            for fault in error.faults {
                let subject = fault.property.map { "\(fault.entity).\($0)" } ?? fault.entity
                if known.contains(subject) { continue }
                let draft = positions[fault.entity].map { drafts[$0] }
                let place = fault.property.flatMap { draft?.places[$0] } ?? draft?.position
                faults.append(ModelFinding(fault.message, at: place, subject: subject))
            }
        }
        throw ModelError(.model, faults.inOrder())
    }
}

/// An entity while its model is read.
///
/// A definition of a schema has no places, and no parts that the schema does not express. A draft keeps both, because
/// later steps need them for findings.
struct EntityDraft {
    /// The definition so far.
    var entity: Entity
    /// The place of its element.
    let position: MarkupPosition

    /// The places of its properties, including those that are left out.
    var places: [String: MarkupPosition] = [:]

    /// The relationships that are left out.
    var transientRelationships: Set<String> = []

    /// The stated entities of its inverses, by the names of its relationships.
    var inverseEntities: [String: String] = [:]

    /// The properties that its constraints make unique together.
    var constraints: [(names: [String], position: MarkupPosition)] = []
}

extension ModelReading {
    /// Records a fault.
    ///
    /// - Parameters:
    ///   - position: The place of the fault.
    ///   - subject: The entity or property, such as `User.name`; nil for other faults.
    ///   - message: The problem and the remedy.
    mutating func fault(_ position: MarkupPosition, _ subject: String?, _ message: String) {
        faults.append(ModelFinding(message, at: position, subject: subject))
    }

    /// Records a notice about a skipped part, with the same parameters as a fault.
    mutating func notice(_ position: MarkupPosition, _ subject: String?, _ message: String) {
        notices.append(ModelFinding(message, at: position, subject: subject))
    }

    /// Reports the XML attributes of an element that are skipped.
    ///
    /// - Parameters:
    ///   - element: An element of any kind.
    ///   - subject: The entity or property, such as `User.name`; nil for the model.
    mutating func reportUnusedAttributes(of element: MarkupElement, _ subject: String?) {
        for attribute in element.attributes where !attribute.value.isEmpty {
            switch ModelVocabulary.meaning(of: attribute.name, in: element.name) {
            case .read, .editor: break
            case .ignored(let reason):
                if attribute.value == "NO" { continue }
                notice(attribute.position, subject, "'\(attribute.name)' is passed over: \(reason)")
            case nil:
                notice(
                    attribute.position, subject,
                    "'\(attribute.name)' is not known here, and passed over")
            }
        }
    }

    /// Reports an element that is skipped with all of its content.
    mutating func reportSkipped(_ element: MarkupElement, _ subject: String?) {
        let name = element["name"].map { " '\($0)'" } ?? ""
        let reason =
            ModelVocabulary.ignoredElements[element.name].map { "is passed over: \($0)" }
            ?? "is not known here, and passed over"
        notice(element.position, subject, "the element '\(element.name)'\(name) \(reason)")
    }

    /// Returns whether an attribute is `YES`; false for `NO` or a missing attribute.
    mutating func flag(_ name: String, of element: MarkupElement, _ subject: String?) -> Bool {
        guard let attribute = element.attribute(name) else { return false }
        switch attribute.value {
        case "YES", "true", "1": return true
        case "NO", "false", "0", "": return false
        default:
            fault(attribute.position, subject, "'\(name)' is '\(attribute.value)': write YES or NO")
            return false
        }
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
