extension BoundPath {
    /// Creates the resolved form of a path that starts at a shape.
    ///
    /// If the path, or the rest of it, begins with several names, the longest one counts.
    ///
    /// - Throws: ``PersistenceError`` for a name that a shape does not have, and for a relationship to many.
    init(_ path: String, from start: Shape, in schema: Schema) throws {
        var steps: [Step] = []
        var shape = start
        var rest = path.utf8[...]
        while true {
            if let position = shape.slot(named: String(Substring(rest))) {
                self.init(text: path, start: start, steps: steps, end: .slot(BoundSlot(shape, position)))
                return
            }
            guard let relationship = BoundPath.relationship(atStartOf: rest, in: shape) else {
                throw BoundPath.unknownName(path, String(Substring(rest)), start, shape)
            }
            let name = relationship.definition.name
            let step = try BoundPath.step(over: relationship, path, shape, schema)
            steps.append(step)
            if steps.count > BoundPath.maximumSteps {
                throw PersistenceError(
                    .tooDeep, "the path leads over more than \(BoundPath.maximumSteps) relationships", property: path)
            }
            shape = step.destination
            rest = rest.dropFirst(name.utf8.count)
            if rest.isEmpty {
                self.init(text: path, start: start, steps: steps, end: .key(shape))
                return
            }
            rest = rest.dropFirst()
        }
    }

    /// How many names an error lists.
    private static var maximumNames: Int { 20 }

    /// Returns the relationship with the longest name that is the path, or precedes a dot at its beginning.
    private static func relationship(
        atStartOf path: Substring.UTF8View, in shape: Shape
    ) -> ShapeRelationship? {
        shape.relationships.filter { relationship in
            let name = relationship.definition.name.utf8
            let rest = path.dropFirst(name.count)
            return path.starts(with: name) && (rest.isEmpty || rest.first == UInt8(ascii: "."))
        }.max { $0.definition.name.utf8.count < $1.definition.name.utf8.count }
    }

    /// Returns the step over a relationship.
    ///
    /// - Throws: ``PersistenceError`` for a relationship that leads to many records, over which no path leads.
    private static func step(
        over relationship: ShapeRelationship, _ path: String, _ shape: Shape, _ schema: Schema
    ) throws -> Step {
        let definition = relationship.definition
        if definition.isToMany {
            throw PersistenceError(
                .wrongType,
                "'\(shape.name).\(definition.name)' leads to any number of records, and a path only over relationships "
                    + "to one: ask from the other end",
                property: path)
        }
        guard let destination = schema[definition.destination] else {
            throw PersistenceError(
                .unknownName, "the schema has no entity '\(definition.destination)'", property: path)
        }
        let (holder, name, isInverse) =
            switch relationship.storage {
            case .reference(let slot, _, _): (shape, slot, false)
            case .inverse(let slot, _): (destination, slot, true)
            case .links(let links, _): (destination, links, true)
            }
        guard let position = holder.slot(named: name) else {
            preconditionFailure("\(holder.name) has no slot '\(name)' for '\(shape.name).\(definition.name)'")
        }
        return Step(slot: BoundSlot(holder, position), isInverse: isInverse, destination: destination)
    }

    /// Returns the error for a name that the shape does not have, with those that it has.
    private static func unknownName(
        _ path: String, _ rest: String, _ start: Shape, _ shape: Shape
    ) -> PersistenceError {
        var names = shape.slots.filter { !$0.isInternal }.map(\.name)
        for relationship in shape.relationships where !relationship.definition.isToMany {
            if !names.contains(relationship.definition.name) { names.append(relationship.definition.name) }
        }
        let shown = names.prefix(maximumNames).joined(separator: ", ") + (names.count > maximumNames ? ", …" : "")
        let place = start === shape ? "" : ", to which '\(path.dropLast(rest.count + 1))' leads,"
        return PersistenceError(
            .unknownName, "'\(shape.name)'\(place) has no '\(rest)': it has \(shown)", property: path)
    }
}
