import SyncPersistence

extension RandomSchema {
    /// Changes the definitions as a new version of an app may, without a loss of data, whatever records there are.
    ///
    /// Entities and properties are renamed and come, indexes come and go, what was mandatory becomes optional.
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
        // There may be records that do not know of what is new.
        for entity in 0..<olderCount {
            for position in counts[entity]..<definitions[entity].relationships.count {
                definitions[entity].relationships[position].isOptional = true
            }
        }
        order = SeededGenerator(seed: generator.next())
    }

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

    private mutating func renameProperties(of entity: Int) {
        let above = definitions.indices.filter { $0 != entity && isAncestor($0, of: entity) }
        let inherited = Set(
            above.flatMap { definitions[$0].attributes.map(\.name) + definitions[$0].relationships.map(\.name) })
        for position in definitions[entity].attributes.indices {
            let old = definitions[entity].attributes[position]
            guard !inherited.contains(old.name), generator.happens(0.1), let new = freeName(in: entity) else {
                continue
            }
            definitions[entity].attributes[position].renamedFrom = old.renamedFrom ?? old.name
            retiredNames.insert(old.name)
            forEachHeir(of: entity) { heir in
                for position in heir.attributes.indices where heir.attributes[position].name == old.name {
                    heir.attributes[position].name = new
                }
            }
        }
        for position in definitions[entity].relationships.indices {
            let old = definitions[entity].relationships[position]
            guard !inherited.contains(old.name), generator.happens(0.1), let new = freeName(in: entity) else {
                continue
            }
            definitions[entity].relationships[position].renamedFrom = old.renamedFrom ?? old.name
            retiredNames.insert(old.name)
            forEachHeir(of: entity) { heir in
                for position in heir.relationships.indices where heir.relationships[position].name == old.name {
                    heir.relationships[position].name = new
                }
            }
            let heirs = Set(definitions.indices.filter { isAncestor(entity, of: $0) }.map { definitions[$0].name })
            for other in definitions.indices {
                for position in definitions[other].relationships.indices {
                    let relationship = definitions[other].relationships[position]
                    if relationship.inverse == old.name && heirs.contains(relationship.destination) {
                        definitions[other].relationships[position].inverse = new
                    }
                }
            }
        }
    }

    /// Calls a body for an entity and all that inherit it.
    private mutating func forEachHeir(of entity: Int, _ body: (inout Entity) -> Void) {
        for heir in definitions.indices where isAncestor(entity, of: heir) { body(&definitions[heir]) }
    }

    private mutating func relax(_ entity: Int) {
        for position in definitions[entity].attributes.indices {
            if generator.happens(0.1) { definitions[entity].attributes[position].isIndexed.toggle() }
            if generator.happens(0.1) && !definitions[entity].attributes[position].isPrimaryKey {
                // A part of the key that is declared anew does not say so.
                definitions[entity].attributes[position].isOptional = true
            }
        }
        for position in definitions[entity].relationships.indices where generator.happens(0.1) {
            definitions[entity].relationships[position].deleteRule =
                DeleteRule.allCases[
                    Int.random(in: DeleteRule.allCases.indices, using: &generator)]
        }
    }

    private mutating func addAttribute(to entity: Int) {
        guard let name = freeName(in: entity) else { return }
        var new = attribute(name, isKey: false)
        if new.defaultValue.isNull { new.isOptional = true }
        let position = Int.random(in: 0...definitions[entity].attributes.count, using: &generator)
        definitions[entity].attributes.insert(new, at: position)
    }
}
