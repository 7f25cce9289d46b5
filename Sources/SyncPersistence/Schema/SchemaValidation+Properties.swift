extension SchemaValidation {
    /// Checks the names of an entity's properties, including their older names.
    mutating func checkNames(of entity: Int) {
        let definition = entities[entity]
        var first: [String: Int] = [:]
        for position in 0..<definition.propertyCount {
            let property = PropertyPlace(entity: entity, position: position)
            let name = definition.propertyName(position)
            if name.isEmpty {
                let (kind, number) =
                    position < definition.attributes.count
                    ? ("attribute", position) : ("relationship", position - definition.attributes.count)
                fail(property, "\(kind) number \(number + 1) has no name: give it one")
            }
            if Self.isReserved(name) { fail(property, Self.reserved) }
            if first[name] == nil {
                first[name] = position
            } else {
                fail(property, "another property of the entity has this name: rename one of them")
            }
        }
        let oldNames =
            definition.attributes.map(\.renamedFrom) + definition.relationships.map(\.renamedFrom)
        var renamed: [String: Int] = [:]
        for (position, old) in oldNames.enumerated() {
            // A hint at the same name has no effect.
            guard let old, old != definition.propertyName(position) else { continue }
            let property = PropertyPlace(entity: entity, position: position)
            if first[old] != nil {
                fail(
                    property, "it is renamed from '\(old)', which the entity has still: take one of the two away")
            }
            if let other = renamed[old] {
                let name = definition.propertyName(other)
                fail(property, "'\(name)' is renamed from '\(old)' too: take one of the two hints away")
            } else {
                renamed[old] = position
            }
        }
    }

    /// Checks an entity's attributes.
    mutating func checkAttributes(of entity: Int) {
        for (position, attribute) in entities[entity].attributes.enumerated() {
            let property = PropertyPlace(entity: entity, position: position)
            _ = checkRedeclaration(property)
            if !attribute.type.admits(attribute.defaultValue) {
                fail(
                    property,
                    "its default value is not of type \(attribute.type.rawValue): correct the default or the type")
            }
            guard attribute.isPrimaryKey else { continue }
            if attribute.type == .json {
                fail(property, "a value of type json cannot be a primary key: choose another type")
            }
            if attribute.isOptional {
                fail(property, "a part of the primary key is never null: make it mandatory")
            }
            let root = declarations.roots[entity]
            let origin = declarations.origins[entity][position]
            let isDeclaredAbove =
                origin.entity == root && origin.position < entities[root].attributes.count
                && entities[root].attributes[origin.position].isPrimaryKey
            if entity != root && !isDeclaredAbove {
                fail(
                    property,
                    "the primary key is declared by the topmost entity, '\(entities[root].name)': make it part of the "
                        + "key there")
            }
        }
    }

    /// Checks that an entity redeclares an inherited property unchanged, and returns whether it does.
    mutating func checkRedeclaration(_ property: PropertyPlace) -> Bool {
        let origin = declarations.origins[property.entity][property.position]
        if origin.entity == property.entity { return true }
        let (here, there) = (kind(of: property), kind(of: origin))
        if here == there { return true }
        fail(
            property,
            "'\(entities[origin.entity].name)' has it as \(there), and here it is \(here): make both alike, or rename "
                + "one")
        return false
    }

    /// Returns the kind of a property, in words.
    private func kind(of property: PropertyPlace) -> String {
        let entity = entities[property.entity]
        guard let relationship = entity.relationship(at: property.position) else {
            return "an attribute of type \(entity.attributes[property.position].type.rawValue)"
        }
        return
            "\(relationship.isOrdered ? "an ordered" : "a") relationship to \(relationship.isToMany ? "many" : "one")"
            + " '\(relationship.destination)' with \(relationship.inverse.map { "the inverse '\($0)'" } ?? "no inverse")"
    }
}

extension SchemaValidation {
    /// Checks an entity's relationships.
    mutating func checkRelationships(of entity: Int) {
        let definition = entities[entity]
        for (position, relationship) in definition.relationships.enumerated() {
            let property = PropertyPlace(entity: entity, position: definition.attributes.count + position)
            let isAlike = checkRedeclaration(property)
            if relationship.isOrdered && !relationship.isToMany {
                fail(
                    property,
                    "it is ordered, but leads to one record: let it lead to many, or take the order away")
            }
            if positions[relationship.destination] == nil {
                fail(
                    property,
                    "it leads to '\(relationship.destination)', which is not in the schema: add that entity, or "
                        + "correct the destination")
            } else if let inverse = relationship.inverse, isAlike {
                checkInverse(inverse, of: relationship, property, declarations.inverses[entity][position])
            }
        }
    }

    /// Adds a fault if the inverse of a relationship does not exist, or does not lead back.
    private mutating func checkInverse(
        _ name: String, of relationship: Relationship, _ property: PropertyPlace, _ inverse: PropertyPlace?
    ) {
        guard let inverse, let definition = entities[inverse.entity].relationship(at: inverse.position) else {
            fail(
                property,
                "its inverse '\(name)' is not a relationship of '\(relationship.destination)': add it there, or "
                    + "correct the inverse")
            return
        }
        let origin = declarations.origins[property.entity][property.position]
        let place = "\(entities[inverse.entity].name).\(name)"
        guard definition.inverse != nil else {
            fail(property, "its inverse '\(place)' has none itself: name '\(relationship.name)' there")
            return
        }
        let position = inverse.position - entities[inverse.entity].attributes.count
        // An inverse whose own inverse does not exist is a separate fault.
        guard let back = declarations.inverses[inverse.entity][position] else { return }
        if back != origin {
            let entity = entities[back.entity]
            fail(
                property,
                "its inverse '\(place)' has '\(entity.name).\(entity.propertyName(back.position))' as its own: two "
                    + "relationships are each other's inverses, or none")
        } else if inverse == origin && relationship.destination != entities[origin.entity].name {
            fail(
                property,
                "it is its own inverse, but leads from '\(entities[origin.entity].name)' to "
                    + "'\(relationship.destination)': let it lead to '\(entities[origin.entity].name)'")
        }
    }
}
