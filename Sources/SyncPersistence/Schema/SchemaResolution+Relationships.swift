extension SchemaResolution {
    /// One end of a connection between two entities.
    typealias End = DeclaredProperty<Relationship>

    /// The end that leads back.
    func inverse(of end: End) -> End? {
        end.origin.inverse.flatMap { families[end.origin.destination]?.relationship(named: $0) }
    }

    /// Where a relationship is kept.
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
            // The end that is mandatory keeps the key.
            let isAlike = end.origin.isOptional == inverse.origin.isOptional
            return (isAlike ? precedes(end, inverse) : inverse.origin.isOptional)
                ? .reference(slot: name, isExclusive: true, isSymmetric: false)
                : .inverse(slot: inverse.origin.name, position: nil)
        }
    }

    /// Which of two ends that are alike comes first: by their names, and before that by those of an older schema, so
    /// that what is renamed is kept where it was.
    private func precedes(_ end: End, _ other: End) -> Bool {
        let (old, otherOld) = (olderNames(of: end), olderNames(of: other))
        return old == otherOld
            ? (end.declaredBy, end.origin.name) < (other.declaredBy, other.origin.name) : old < otherOld
    }

    private func olderNames(of end: End) -> (String, String) {
        (entities[end.declaredBy]?.renamedFrom ?? end.declaredBy, end.origin.renamedFrom ?? end.origin.name)
    }
}

extension SchemaResolution {
    /// The slot of a relationship that is kept in the record itself.
    func referenceSlot(of end: End) -> Slot? {
        guard case .reference(let name, _, _) = storage(of: end) else { return nil }
        return Slot(
            name, reference(to: end.origin.destination, ruledBy: inverse(of: end)),
            isOptional: end.definition.isOptional, isIndexed: true, declaredBy: end.declaredBy,
            renamedFrom: end.origin.renamedFrom)
    }

    /// The shape of the links of a relationship that is kept in records of their own.
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

    /// The key of a record, whose deletion leaves it as it is if so the rule of the record's own relationship says.
    private func reference(to entity: String, ruledBy end: End?) -> Slot.Content {
        .reference(
            to: entity, keyAttributes(of: entity).map(\.type),
            isEnforced: end.map { !relationshipsWithoutAction.contains($0.id) } ?? true)
    }

    /// Notes what a relationship asks of the records it leads to.
    mutating func note(_ end: End) {
        let destination = end.origin.destination
        switch storage(of: end) {
        case .reference(let slot, _, _):
            // A relationship that leads back to some heirs only does not stand for the references of all.
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

    private func lineage(of entity: String) -> [String] { families[entity]?.lineage ?? [] }
}

extension DeclaredProperty<Relationship> {
    /// The name of the shape of its links.
    var linkName: String { "sync.links.\(qualifiedName)" }

    /// The name of the slot of its order, in the records that it leads to.
    var positionName: String { "sync.position.\(qualifiedName)" }

    /// Such as `User.posts`; a point in the name of the entity does not end it.
    private var qualifiedName: String {
        var name = ""
        for scalar in declaredBy.unicodeScalars {
            if scalar == "." || scalar == "\\" { name.unicodeScalars.append("\\") }
            name.unicodeScalars.append(scalar)
        }
        return "\(name).\(origin.name)"
    }
}
