import DifferentialSyncTesting
import SyncPersistence

extension RandomSchema {
    /// Changes the definitions as a new version of an app may, without losing data of existing records.
    ///
    /// It renames and adds entities and properties, adds and removes indexes, and makes mandatory properties optional.
    package mutating func evolve() {
        let olderCount = definitions.count
        for entity in 0..<olderCount {
            if generator.happens(0.2) { renameEntity(entity) }
            renameProperties(of: entity)
            relax(entity)
            for _ in 0..<Int.random(in: 0...2, using: &generator) { addAttribute(to: entity) }
        }
        for _ in 0..<Int.random(in: 0...2, using: &generator) { addEntity() }
        let counts = definitions.map(\.relationships.count)
        for _ in 0..<Int.random(in: 0...3, using: &generator) { addRelationship() }
        // Existing records have no value for a new relationship.
        for entity in 0..<olderCount {
            for position in counts[entity]..<definitions[entity].relationships.count {
                definitions[entity].relationships[position].isOptional = true
            }
        }
        order = SeededGenerator(seed: generator.next())
    }

    /// Renames an entity, and updates its children and the relationships to it.
    private mutating func renameEntity(_ entity: Int) {
        let old = definitions[entity].name
        let new = names.name(definitions.count + renamingCount)
        renamingCount += 1
        definitions[entity].name = new
        definitions[entity].renamedFrom = definitions[entity].renamedFrom ?? old
        for other in definitions.indices {
            if definitions[other].parent == old { definitions[other].parent = new }
            for position in definitions[other].relationships.indices
            where definitions[other].relationships[position].destination == old {
                definitions[other].relationships[position].destination = new
            }
        }
    }

    /// Renames some properties that the entity does not inherit, with their redeclarations and inverses.
    private mutating func renameProperties(of entity: Int) {
        let above = definitions.indices.filter { $0 != entity && isAncestor($0, of: entity) }
        let inherited = Set(above.flatMap { definitions[$0].propertyNames })
        for old in definitions[entity].propertyNames {
            guard !inherited.contains(old), generator.happens(0.1), let new = freeName(in: entity) else { continue }
            retiredNames.insert(old)
            let heirs = definitions.indices.filter { isAncestor(entity, of: $0) }
            for heir in heirs { definitions[heir].renameProperty(old, to: new, isNoted: heir == entity) }
            let destinations = Set(heirs.map { definitions[$0].name })
            for other in definitions.indices {
                for position in definitions[other].relationships.indices {
                    let relationship = definitions[other].relationships[position]
                    if relationship.inverse == old && destinations.contains(relationship.destination) {
                        definitions[other].relationships[position].inverse = new
                    }
                }
            }
        }
    }

    /// Changes indexes and delete rules, and makes attributes optional.
    private mutating func relax(_ entity: Int) {
        for position in definitions[entity].attributes.indices {
            if generator.happens(0.1) { definitions[entity].attributes[position].isIndexed.toggle() }
            if generator.happens(0.1) && !definitions[entity].attributes[position].isPrimaryKey {
                // A redeclared part of the key does not repeat that it is one.
                definitions[entity].attributes[position].isOptional = true
            }
        }
        for position in definitions[entity].relationships.indices where generator.happens(0.1) {
            definitions[entity].relationships[position].deleteRule =
                DeleteRule.allCases[
                    Int.random(in: DeleteRule.allCases.indices, using: &generator)]
        }
    }

    /// Adds an attribute, optional unless it has a default value.
    private mutating func addAttribute(to entity: Int) {
        guard let name = freeName(in: entity) else { return }
        var new = attribute(name, isKey: false)
        if new.defaultValue.isNull { new.isOptional = true }
        let position = Int.random(in: 0...definitions[entity].attributes.count, using: &generator)
        definitions[entity].attributes.insert(new, at: position)
    }
}

extension Entity {
    /// The names of all properties that the entity declares.
    fileprivate var propertyNames: [String] { attributes.map(\.name) + relationships.map(\.name) }

    /// Renames a property; `isNoted` sets `renamedFrom` for the migration.
    fileprivate mutating func renameProperty(_ old: String, to new: String, isNoted: Bool) {
        for position in attributes.indices where attributes[position].name == old {
            attributes[position].name = new
            if isNoted { attributes[position].renamedFrom = attributes[position].renamedFrom ?? old }
        }
        for position in relationships.indices where relationships[position].name == old {
            relationships[position].name = new
            if isNoted { relationships[position].renamedFrom = relationships[position].renamedFrom ?? old }
        }
    }
}
