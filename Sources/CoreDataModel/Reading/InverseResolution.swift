import SyncPersistence

/// The resolution of inverses, which may be transient or belong to another entity.
enum InverseResolution {
    /// Checks the entities of inverses, and removes inverses that were left out.
    static func resolveInverses(of drafts: inout DraftTable, _ log: inout FindingLog) {
        for position in drafts.indices {
            let draft = drafts[position]
            drafts[position].entity.relationships = draft.entity.relationships.map { relationship in
                resolved(relationship, of: draft, in: drafts, &log)
            }
        }
    }

    /// Returns a relationship without its inverse if the inverse is transient.
    ///
    /// A transient relationship is not part of the schema, in which an inverse must exist.
    ///
    /// It reports a fault if the inverse belongs to an entity that the relationship does not lead to.
    private static func resolved(
        _ relationship: Relationship, of draft: EntityDraft, in drafts: DraftTable, _ log: inout FindingLog
    ) -> Relationship {
        guard let inverse = relationship.inverse, drafts[relationship.destination] != nil else { return relationship }
        let subject = "\(draft.entity.name).\(relationship.name)"
        let place = draft.places[relationship.name] ?? draft.position
        let lineage = drafts.lineage(of: relationship.destination)
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
        var resolved = relationship
        resolved.inverse = nil
        return resolved
    }
}
