import SyncPersistence

extension ModelReading {
    /// Checks the entities of inverses, and removes inverses that were left out.
    mutating func settleInverses() {
        for position in drafts.indices {
            drafts[position].entity.relationships = drafts[position].entity.relationships.map { relationship in
                settled(relationship, of: drafts[position])
            }
        }
    }

    /// Returns a relationship without its inverse if the inverse is transient.
    ///
    /// A transient relationship is not part of the schema, in which an inverse must exist.
    ///
    /// It reports a fault if the inverse belongs to an entity that the relationship does not lead to.
    private mutating func settled(_ relationship: Relationship, of draft: EntityDraft) -> Relationship {
        guard let inverse = relationship.inverse, positions[relationship.destination] != nil else {
            return relationship
        }
        let subject = "\(draft.entity.name).\(relationship.name)"
        let place = draft.places[relationship.name] ?? draft.position
        let lineage = lineage(of: relationship.destination)
        if let owner = draft.inverseEntities[relationship.name],
            !lineage.contains(where: { drafts[$0].entity.name == owner })
        {
            log.fault(
                place, subject,
                "its inverse is of '\(owner)', but it leads to '\(relationship.destination)': let both be one entity")
        }
        let declaring = lineage.filter { drafts[$0].places[inverse] != nil }
        guard let owner = declaring.first,
            declaring.allSatisfy({ drafts[$0].transientRelationships.contains(inverse) })
        else { return relationship }
        log.notice(
            place, subject, "its inverse '\(drafts[owner].entity.name).\(inverse)' is transient: it is left without one"
        )
        var settled = relationship
        settled.inverse = nil
        return settled
    }

    /// Removes old names that another definition has or claims, with a notice.
    ///
    /// The names and old names of a schema must be unique.
    mutating func settleHints() {
        let names = drafts.map(\.entity.name)
        for position in useless(hints: drafts.map(\.entity.renamedFrom), names) {
            reportRemovedName(drafts[position].entity.renamedFrom, drafts[position].position, names[position])
            drafts[position].entity.renamedFrom = nil
        }
        for position in drafts.indices {
            var (attributes, relationships) = (
                drafts[position].entity.attributes, drafts[position].entity.relationships
            )
            let hints = attributes.map(\.renamedFrom) + relationships.map(\.renamedFrom)
            let names = attributes.map(\.name) + relationships.map(\.name)
            for place in useless(hints: hints, names) {
                let subject = "\(drafts[position].entity.name).\(names[place])"
                reportRemovedName(hints[place], drafts[position].places[names[place]], subject)
                if place < attributes.count {
                    attributes[place].renamedFrom = nil
                } else {
                    relationships[place - attributes.count].renamedFrom = nil
                }
            }
            (drafts[position].entity.attributes, drafts[position].entity.relationships) = (attributes, relationships)
        }
    }

    /// Returns the positions of old names that are empty, or that are not unique.
    ///
    /// An old name must differ from the names of other definitions and from the old names of earlier ones.
    ///
    /// - Parameters:
    ///   - hints: The old name of each definition.
    ///   - names: The name of each definition.
    /// - Complexity: O(*n*)
    private func useless(hints: [String?], _ names: [String]) -> [Int] {
        var taken = Set(names)
        return hints.indices.filter { position in
            guard let hint = hints[position], hint != names[position] else { return false }
            return hint.isEmpty || !taken.insert(hint).inserted
        }
    }

    /// Reports an old name that was removed.
    private mutating func reportRemovedName(_ hint: String?, _ place: MarkupPosition?, _ subject: String) {
        log.notice(
            place ?? MarkupPosition(), subject,
            "the renaming identifier '\(hint ?? "")' is passed over: something else has that name")
    }
}
