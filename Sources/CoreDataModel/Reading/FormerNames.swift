import SyncPersistence

/// The removal of former names, which a model has as renaming identifiers.
enum FormerNames {
    /// Removes former names that another definition has or claims, with a notice.
    ///
    /// The names and former names of a schema must be unique.
    static func removeUseless(from drafts: inout DraftTable, _ log: inout FindingLog) {
        let entities = drafts.entities
        let (names, formerNames) = (entities.map(\.name), entities.map(\.renamedFrom))
        for position in useless(formerNames, names) {
            reportRemoved(formerNames[position], drafts[position].position, names[position], &log)
            drafts[position].entity.renamedFrom = nil
        }
        for position in drafts.indices { removeUseless(fromPropertiesOf: &drafts[position], &log) }
    }

    /// Removes the useless former names of an entity's properties.
    private static func removeUseless(fromPropertiesOf draft: inout EntityDraft, _ log: inout FindingLog) {
        var (attributes, relationships) = (draft.entity.attributes, draft.entity.relationships)
        let formerNames = attributes.map(\.renamedFrom) + relationships.map(\.renamedFrom)
        let names = attributes.map(\.name) + relationships.map(\.name)
        for place in useless(formerNames, names) {
            let subject = "\(draft.entity.name).\(names[place])"
            reportRemoved(formerNames[place], draft.places[names[place]], subject, &log)
            if place < attributes.count {
                attributes[place].renamedFrom = nil
            } else {
                relationships[place - attributes.count].renamedFrom = nil
            }
        }
        draft.entity.attributes = attributes
        draft.entity.relationships = relationships
    }

    /// Returns the positions of former names that are empty, or that are not unique.
    ///
    /// A former name must differ from the names of other definitions and from the former names of earlier ones.
    ///
    /// - Complexity: O(*n*)
    private static func useless(_ formerNames: [String?], _ names: [String]) -> [Int] {
        var taken = Set(names)
        return formerNames.indices.filter { position in
            guard let formerName = formerNames[position], formerName != names[position] else { return false }
            return formerName.isEmpty || !taken.insert(formerName).inserted
        }
    }

    /// Reports a former name that was removed.
    private static func reportRemoved(
        _ formerName: String?, _ place: MarkupPosition?, _ subject: String, _ log: inout FindingLog
    ) {
        log.notice(
            place ?? MarkupPosition(), subject,
            "the renaming identifier '\(formerName ?? "")' is passed over: something else has that name")
    }
}
