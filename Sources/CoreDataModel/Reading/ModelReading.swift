import SyncPersistence

/// Makes the definitions of a schema of a model's XML.
///
/// Faults and what is passed over are collected; ``schema()`` throws the faults, all at once.
struct ModelReading {
    /// What is wrong.
    var faults: [ModelFinding] = []

    /// What is passed over.
    var notices: [ModelFinding] = []

    /// The entities, in the order of the model; of several with one name, the first.
    var drafts: [EntityDraft] = []

    /// Where the entities stand among the drafts.
    var positions: [String: Int] = [:]

    private let rootPosition: MarkupPosition

    init(_ root: MarkupElement) throws(ModelError) {
        rootPosition = root.position
        guard root.name == "model" else {
            throw ModelError(
                .model,
                "the root element is '\(root.name)', where a model has 'model': give the file 'contents' of a "
                    + "model",
                at: root.position)
        }
        noteAttributes(of: root, nil)
        for element in root.children {
            switch element.name {
            case "entity": readEntity(element)
            case "elements": break
            default: notePassedOver(element, nil)
            }
        }
        try checkSize()
        settleInverses()
        settleHints()
        settleKeys()
    }

    /// The schema.
    ///
    /// - Throws: ``ModelError`` with all faults.
    func schema() throws(ModelError) -> Schema {
        var faults = faults
        do {
            let schema = try Schema(drafts.map(\.entity))
            if faults.isEmpty { return schema }
        } catch {
            // What follows from a fault that is known is not told as well.
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
struct EntityDraft {
    var entity: Entity
    let position: MarkupPosition

    /// Where its properties begin, those that are left out among them.
    var places: [String: MarkupPosition] = [:]

    /// The relationships that are left out.
    var transientRelationships: Set<String> = []

    /// The entities that it says its inverses are of, by the names of its relationships.
    var inverseEntities: [String: String] = [:]

    /// The properties that its constraints say are unique together.
    var constraints: [(names: [String], position: MarkupPosition)] = []
}

extension ModelReading {
    mutating func fault(_ position: MarkupPosition, _ subject: String?, _ message: String) {
        faults.append(ModelFinding(message, at: position, subject: subject))
    }

    mutating func notice(_ position: MarkupPosition, _ subject: String?, _ message: String) {
        notices.append(ModelFinding(message, at: position, subject: subject))
    }

    /// Notes the attributes of an element that are passed over.
    mutating func noteAttributes(of element: MarkupElement, _ subject: String?) {
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

    /// Notes an element that is passed over with all that is in it.
    mutating func notePassedOver(_ element: MarkupElement, _ subject: String?) {
        let name = element["name"].map { " '\($0)'" } ?? ""
        let reason =
            ModelVocabulary.ignoredElements[element.name].map { "is passed over: \($0)" }
            ?? "is not known here, and passed over"
        notice(element.position, subject, "the element '\(element.name)'\(name) \(reason)")
    }

    /// What an attribute says that is either `YES` or `NO`, or false if it is not there.
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

    /// Where an entity stands, and then those that it inherits; of a circle, or of more than there may be, no more than
    /// those.
    func lineage(of name: String) -> [Int] {
        var lineage: [Int] = []
        var next: String? = name
        while let name = next, let position = positions[name], lineage.count <= ModelLimits.ancestorCount + 1 {
            lineage.append(position)
            next = drafts[position].entity.parent
        }
        return lineage
    }

    /// Checks that the schema stays within ``ModelLimits``: what is inherited makes it larger than the file.
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
