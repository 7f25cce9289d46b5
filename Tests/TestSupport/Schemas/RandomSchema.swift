import DifferentialSyncTesting
package import SyncPersistence

/// Random, valid definitions of entities, reproducible from a seed.
///
/// They have all types of attributes, inheritance, keys of any kind, all forms of relationships and delete rules, and
/// difficult names.
package struct RandomSchema {
    /// The schema of the definitions.
    package var schema: Schema { get throws { try Schema(entities) } }

    /// The definitions, in random order.
    package var entities: [Entity] {
        var generator = order
        return definitions.shuffled(using: &generator)
    }

    /// The definitions, each after its parent.
    var definitions: [Entity] = []

    /// The generator of all choices, except the order of the definitions.
    var generator: SeededGenerator
    var values: RandomValues
    let names: RandomNames

    /// The generator that determines the order of the definitions.
    var order: SeededGenerator

    /// The number of renamed entities.
    var renamingCount = 0

    /// The former names of renamed properties; a new property of that name would be taken for the old one.
    var retiredNames: Set<String> = []

    /// The position of each entity's parent in `definitions`; nil for roots.
    private var parents: [Int?] = []

    /// Creates definitions; inheritance and relationships are random too.
    package init(seed: UInt64, entityCount: ClosedRange<Int> = 1...7) {
        generator = SeededGenerator(seed: seed)
        values = RandomValues(seed: generator.next())
        names = RandomNames(seed: generator.next())
        order = SeededGenerator(seed: generator.next())
        let count = Int.random(in: entityCount, using: &generator)
        for _ in 0..<count { addEntity() }
        for _ in 0..<Int.random(in: 0...(2 * count), using: &generator) { addRelationship() }
        for entity in definitions.indices { redeclare(in: entity) }
    }
}

extension RandomSchema {
    /// Adds an entity, which may inherit from an existing one.
    mutating func addEntity() {
        let number = definitions.count
        let name = names.name(number + renamingCount)
        let parent = number > 0 && generator.happens(0.4) ? Int.random(in: 0..<number, using: &generator) : nil
        parents.append(parent)
        definitions.append(
            Entity(
                name, parent: parent.map { definitions[$0].name }, isAbstract: generator.happens(0.2),
                userInfo: generator.happens(0.1) ? ["note": "of \(number)"] : [:],
                renamedFrom: generator.happens(0.05) ? "old \(number)" : nil))
        let keyParts = parent != nil || generator.happens(0.25) ? 0 : generator.happens(0.7) ? 1 : 2
        let count = Int.random(in: keyParts...(keyParts + 5), using: &generator)
        for position in 0..<count {
            guard let name = freeName(in: number) else { continue }
            definitions[number].attributes.append(attribute(name, isKey: position < keyParts))
        }
        // A key may follow other attributes.
        definitions[number].attributes.shuffle(using: &generator)
    }

    /// Returns an attribute with a random type and random options.
    ///
    /// Keys are mostly integers, texts and identifiers.
    mutating func attribute(_ name: String, isKey: Bool) -> Attribute {
        let common: [AttributeType] = [.integer, .string, .uuid]
        var type = AttributeType.allCases.randomElement(using: &generator) ?? .string
        if isKey && (type == .json || generator.happens(0.6)) {
            type = common.randomElement(using: &generator) ?? .integer
        }
        return Attribute(
            name, type, isOptional: generator.happens(0.6),
            default: generator.happens(0.3) ? values.value(of: type) : .null, isPrimaryKey: isKey,
            isIndexed: generator.happens(0.2), remoteKey: generator.happens(0.1) ? "remote.\(name)" : nil,
            userInfo: generator.happens(0.05) ? ["": name] : [:],
            renamedFrom: generator.happens(0.03) ? "old \(name)" : nil)
    }

    /// Returns a name that no property of the entity, its ancestors or its descendants has or had.
    ///
    /// Properties of siblings may have it; nil if 20 attempts find none.
    mutating func freeName(in entity: Int) -> String? {
        let relatives = definitions.indices.filter { isAncestor($0, of: entity) || isAncestor(entity, of: $0) }
        var taken: Set<String?> = []
        for relative in relatives.map({ definitions[$0] }) {
            taken.formUnion(relative.attributes.flatMap { [$0.name, $0.renamedFrom] })
            taken.formUnion(relative.relationships.flatMap { [$0.name, $0.renamedFrom] })
        }
        for _ in 0..<20 {
            let name = names.name(Int.random(in: 0..<RandomNames.count, using: &generator))
            if !taken.contains(name) && !retiredNames.contains(name) { return name }
        }
        return nil
    }

    /// Whether an entity is the other one or an ancestor of it.
    func isAncestor(_ ancestor: Int, of entity: Int) -> Bool {
        var next: Int? = entity
        while let entity = next {
            if entity == ancestor { return true }
            next = parents[entity]
        }
        return false
    }

    /// Redeclares an inherited property with other options, in a few entities.
    private mutating func redeclare(in entity: Int) {
        guard let parent = parents[entity], generator.happens(0.15) else { return }
        if generator.happens(0.5), var attribute = definitions[parent].attributes.randomElement(using: &generator) {
            if definitions[entity].attributes.contains(where: { $0.name == attribute.name }) { return }
            attribute.isOptional = !attribute.isPrimaryKey && generator.happens(0.5)
            attribute.isIndexed = generator.happens(0.3)
            attribute.renamedFrom = nil
            definitions[entity].attributes.append(attribute)
        } else if var relationship = definitions[parent].relationships.randomElement(using: &generator) {
            if definitions[entity].relationships.contains(where: { $0.name == relationship.name }) { return }
            relationship.deleteRule = rule()
            relationship.renamedFrom = nil
            definitions[entity].relationships.append(relationship)
        }
    }
}

extension RandomSchema {
    /// Returns a delete rule.
    private mutating func rule() -> DeleteRule { DeleteRule.allCases.randomElement(using: &generator) ?? .nullify }

    /// Whether the entity or a descendant can have records.
    private func isInhabited(_ entity: Int) -> Bool {
        definitions.indices.contains { isAncestor(entity, of: $0) && !definitions[$0].isAbstract }
    }

    /// Adds a relationship between two entities, mostly with an inverse.
    ///
    /// A few relationships are their own inverse.
    mutating func addRelationship() {
        let from = Int.random(in: definitions.indices, using: &generator)
        guard let name = freeName(in: from) else { return }
        if generator.happens(0.1) {
            definitions[from].relationships.append(relationship(name, to: from, isToMany: generator.happens(0.6), name))
            return
        }
        let to = Int.random(in: definitions.indices, using: &generator)
        var there = relationship(name, to: to, isToMany: generator.happens(0.5), nil)
        definitions[from].relationships.append(there)
        let position = definitions[from].relationships.count - 1
        // Both ends need different names if they are in one family.
        guard generator.happens(0.7), let inverse = freeName(in: to) else { return }
        let back = relationship(inverse, to: from, isToMany: generator.happens(0.5), name)
        there.inverse = inverse
        // Two mandatory ends would leave hardly any records.
        if !there.isToMany && !back.isToMany && !back.isOptional && generator.happens(0.9) { there.isOptional = true }
        definitions[from].relationships[position] = there
        definitions[to].relationships.append(back)
    }

    /// Returns a relationship to an entity.
    ///
    /// It is optional if the entity cannot have records.
    private mutating func relationship(_ name: String, to: Int, isToMany: Bool, _ inverse: String?) -> Relationship {
        let destination = definitions[to].name
        let remoteKey = generator.happens(0.1) ? "\(name)_id" : nil
        let deleteRule = rule()
        if isToMany {
            return Relationship(
                name, toMany: destination, isOrdered: generator.happens(0.4), inverse: inverse, deleteRule: deleteRule,
                remoteKey: remoteKey)
        }
        return Relationship(
            name, to: destination, inverse: inverse, deleteRule: deleteRule,
            isOptional: !isInhabited(to) || generator.happens(0.75), remoteKey: remoteKey)
    }
}
