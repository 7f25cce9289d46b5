extension SchemaResolution {
    /// One end of a connection between two entities.
    typealias End = DeclaredProperty<Relationship>

    /// Returns the end that leads back; nil if there is none.
    func inverse(of end: End) -> End? {
        end.origin.inverse.flatMap { families[end.origin.destination]?.relationship(named: $0) }
    }

    /// Returns where a relationship is stored.
    func storage(of end: End) -> ShapeRelationship.Storage {
        let name = end.origin.name
        guard let inverse = inverse(of: end) else {
            return end.origin.isToMany
                ? .links(end.linkName, .source) : .reference(slot: name, isExclusive: false, isSymmetric: false)
        }
        switch (end.origin.isToMany, inverse.origin.isToMany) {
        case (false, true):
            return .reference(slot: name, isExclusive: false, isSymmetric: false)
        case (true, false):
            return .inverse(slot: inverse.origin.name, position: end.origin.isOrdered ? end.positionName : nil)
        case (true, true):
            if end.id == inverse.id { return .links(end.linkName, .both) }
            return precedes(end, inverse) ? .links(end.linkName, .source) : .links(inverse.linkName, .target)
        case (false, false):
            if end.id == inverse.id { return .reference(slot: name, isExclusive: true, isSymmetric: true) }
            // The mandatory end stores the key.
            let isAlike = end.origin.isOptional == inverse.origin.isOptional
            return (isAlike ? precedes(end, inverse) : inverse.origin.isOptional)
                ? .reference(slot: name, isExclusive: true, isSymmetric: false)
                : .inverse(slot: inverse.origin.name, position: nil)
        }
    }

    /// Whether the first of two similar ends precedes the second.
    ///
    /// Their names in an older schema are compared first, so that renamed relationships are stored in the same place.
    private func precedes(_ end: End, _ other: End) -> Bool {
        let (old, otherOld) = (olderNames(of: end), olderNames(of: other))
        return old == otherOld
            ? (end.declaredBy, end.origin.name) < (other.declaredBy, other.origin.name) : old < otherOld
    }

    /// Returns the names that an end had in the older schema, by which a renamed one is found.
    private func olderNames(of end: End) -> (String, String) {
        (entities[end.declaredBy]?.renamedFrom ?? end.declaredBy, end.origin.renamedFrom ?? end.origin.name)
    }
}

extension SchemaResolution {
    /// Returns the slot of a relationship that is stored in the record itself; nil for others.
    func referenceSlot(of end: End) -> Slot? {
        guard case .reference(let name, _, _) = storage(of: end) else { return nil }
        return Slot(
            name, reference(to: end.origin.destination, ruledBy: inverse(of: end)),
            isOptional: end.definition.isOptional, isIndexed: true, declaredBy: end.declaredBy,
            renamedFrom: end.origin.renamedFrom)
    }

    /// Returns the shape of the links of a relationship that is stored in records of its own; nil for others.
    func linkShape(of end: End) -> Shape? {
        guard case .links(let name, let side) = storage(of: end), side != .target else { return nil }
        let inverse = inverse(of: end)
        var slots = [
            Slot("source", reference(to: end.declaredBy, ruledBy: end), isOptional: false, declaredBy: name),
            Slot(
                "target", reference(to: end.origin.destination, ruledBy: inverse), isOptional: false, isIndexed: true,
                declaredBy: name),
        ]
        if end.origin.isOrdered {
            slots.append(Slot("position", .attribute(.integer), declaredBy: name, isInternal: true))
        }
        if side == .source, inverse?.origin.isOrdered == true {
            slots.append(Slot("inversePosition", .attribute(.integer), declaredBy: name, isInternal: true))
        }
        return Shape(
            name: name, lineage: [name], isAbstract: false, slots: slots, keySlots: [0, 1], relationships: [],
            incoming: [], role: .links)
    }

    /// Returns a reference to a record.
    ///
    /// It is not enforced if the record's own relationship has the rule `noAction`.
    private func reference(to entity: String, ruledBy end: End?) -> Slot.Content {
        .reference(
            to: entity, keyAttributes(of: entity).map(\.type),
            isEnforced: end.map { !relationshipsWithoutAction.contains($0.id) } ?? true)
    }

    /// Adds the references and positions that a relationship requires for its destination.
    mutating func addSlots(for end: End) {
        let destination = end.origin.destination
        switch storage(of: end) {
        case .reference(let slot, _, _):
            // An inverse that leads only to some heirs does not cover the references of all.
            if let inverse = inverse(of: end), lineage(of: end.declaredBy).contains(inverse.origin.destination) {
                break
            }
            incoming[destination, default: []].append(IncomingReference(shape: end.declaredBy, slot: slot))
        case .inverse(_, let position?):
            positions[destination, default: []].append(
                Slot(position, .attribute(.integer), declaredBy: destination, isInternal: true))
        case .inverse(_, nil), .links:
            break
        }
    }

    /// Returns the names of an entity and of those that it inherits.
    private func lineage(of entity: String) -> [String] { families[entity]?.lineage ?? [] }
}

extension DeclaredProperty<Relationship> {
    /// The name of the shape of its links.
    var linkName: String { "sync.links.\(qualifiedName)" }

    /// The name of the slot for its order, in the records that it leads to.
    var positionName: String { "sync.position.\(qualifiedName)" }

    /// The entity and the relationship, for example `User.posts`.
    ///
    /// A point in the name of the entity is escaped.
    private var qualifiedName: String {
        var name = ""
        for scalar in declaredBy.unicodeScalars {
            if scalar == "." || scalar == "\\" { name.unicodeScalars.append("\\") }
            name.unicodeScalars.append(scalar)
        }
        return "\(name).\(origin.name)"
    }
}
