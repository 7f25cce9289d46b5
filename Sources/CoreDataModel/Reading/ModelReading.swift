import SyncPersistence

/// The conversion of a model's XML to the definitions of a schema.
///
/// It collects faults and skipped parts. `schema()` throws all faults at once.
///
/// It runs these steps in order. Each step can change only the values that it receives:
///
/// 1. read each entity with its properties (`EntityDraft`, `PropertyReading`);
/// 2. check the limits (`DraftTable`);
/// 3. resolve inverses, which may be transient (`InverseResolution`);
/// 4. remove former names that are not unique (`FormerNames`);
/// 5. find the primary keys (`KeySearch`).
struct ModelReading {
    /// The faults, which `schema()` throws if there are any, and the skipped parts.
    private(set) var log = FindingLog()

    /// The entities.
    private var drafts = DraftTable()

    /// Reads the entities of a model, and resolves their inverses, former names and keys.
    ///
    /// - Throws: `ModelError` if the root element is not a model, or if the model exceeds a limit. All other faults are
    ///   collected.
    init(_ root: MarkupElement) throws(ModelError) {
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
        try drafts.checkSize(at: root.position)
        InverseResolution.resolveInverses(of: &drafts, &log)
        FormerNames.removeUseless(from: &drafts, &log)
        KeySearch.findKeys(of: &drafts, &log)
    }

    /// Returns the schema.
    ///
    /// - Throws: `ModelError` with all faults.
    func schema() throws(ModelError) -> Schema {
        var log = log
        do {
            let schema = try Schema(drafts.entities)
            if log.faults.isEmpty { return schema }
        } catch {
            // Consequences of a known fault are not reported.
            let known = Set(log.faults.map(\.subject))
            for fault in error.faults {
                let subject = fault.property.map { "\(fault.entity).\($0)" } ?? fault.entity
                if known.contains(subject) { continue }
                let draft = drafts[fault.entity]
                let place = fault.property.flatMap { draft?.places[$0] } ?? draft?.position
                log.fault(place, subject, fault.message)
            }
        }
        throw ModelError(.model, log.faults.inOrder())
    }

    /// Reads an entity, and appends it to the drafts.
    ///
    /// It reports a fault for an entity without a name, or with the name of an earlier one.
    private mutating func readEntity(_ element: MarkupElement) {
        guard let name = element["name"], !name.isEmpty else {
            log.fault(element.position, nil, "this entity has no name: give it one")
            return
        }
        if let line = drafts[name]?.position.line {
            log.fault(element.position, name, "the entity in line \(line) has this name: rename one of them")
            return
        }
        drafts.append(EntityDraft(name, element, &log))
    }
}
