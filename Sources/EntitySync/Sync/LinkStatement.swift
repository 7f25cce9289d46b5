import SyncPersistence

/// What an object states about one relationship.
struct LinkStatement {
    /// The relationship that an object states something about.
    let relationship: RelationshipMap
    /// The member that contains objects, and its place.
    var objects: (json: Value, place: Place)?
    /// Whether that member may contain keys too.
    var objectsMayBeKeys = true
    /// Whether the list is partial, so that unlisted records are kept.
    var isPartial = false
    /// The member that contains keys, and its place.
    var ids: (json: Value, place: Place)?
}

extension EntityMap {
    /// Returns what an object states about relationships, in the order of the schema.
    func links(of object: ValueObject, _ plan: Plan, _ place: Place) -> [LinkStatement] {
        if relationships.isEmpty { return [] }
        var statements: [LinkStatement] = []
        for members in plan.relationships {
            let relationship = relationships[members.relationship]
            statements.append(
                LinkStatement(
                    relationship: relationship,
                    objects: members.objects.map { (object.values[$0], place.member(object.names[$0])) },
                    objectsMayBeKeys: members.objectsMayBeKeys,
                    isPartial: relationship.isPartial(in: object),
                    ids: members.ids.map { (object.values[$0], place.member(object.names[$0])) }))
        }
        if plan.paths.isEmpty { return statements }
        for relationship in relationships {
            guard let path = relationship.path else { continue }
            let found = Value.object(object).located(at: path)
            guard var json = found.content else { continue }
            if path.listDepth != nil, case .array(let elements) = json {
                json = .array(elements.map { $0.inner(at: found.inner) })
            }
            let place = found.steps.reduce(place) { $0.member($1) }.list(inner: found.inner)
            statements.removeAll { $0.relationship.name == relationship.name }
            statements.append(
                LinkStatement(
                    relationship: relationship, objects: (json, place), isPartial: relationship.isPartial(in: object)))
        }
        return statements
    }
}
