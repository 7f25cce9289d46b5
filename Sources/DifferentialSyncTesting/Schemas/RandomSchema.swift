package import SyncPersistence

/// Sound definitions of entities that follow from a seed: all types of attributes, inheritance, keys of any kind, all
/// forms of relationships and delete rules, and names that are hard on a store.
package struct RandomSchema {
    /// The schema.
    package var schema: Schema { get throws { try Schema(entities) } }

    /// The definitions, in random order.
    package private(set) var entities: [Entity]

    private var generator: SeededGenerator
    private var values: RandomValues

    /// For each entity, the one that it inherits; it comes first.
    private var parents: [Int?] = []

    /// Definitions of up to the given number of entities.
    package init(seed: UInt64, entityCount: ClosedRange<Int> = 1...7) {
        generator = SeededGenerator(seed: seed)
        values = RandomValues(seed: generator.next())
        entities = []
        let names = RandomNames(seed: generator.next())
        let count = Int.random(in: entityCount, using: &generator)
        for number in 0..<count { addEntity(names.name(number), names) }
        for _ in 0..<Int.random(in: 0...(2 * count), using: &generator) { addRelationship(names) }
        for entity in entities.indices { redeclare(in: entity) }
        entities.shuffle(using: &generator)
    }
}

extension RandomSchema {
    private mutating func addEntity(_ name: String, _ names: RandomNames) {
        let number = entities.count
        let parent = number > 0 && generator.happens(0.4) ? Int.random(in: 0..<number, using: &generator) : nil
        parents.append(parent)
        entities.append(
            Entity(
                name, parent: parent.map { entities[$0].name }, isAbstract: generator.happens(0.2),
                userInfo: generator.happens(0.1) ? ["note": "of \(number)"] : [:],
                renamedFrom: generator.happens(0.05) ? "old \(number)" : nil))
        let keyParts = parent != nil || generator.happens(0.25) ? 0 : generator.happens(0.7) ? 1 : 2
        let count = Int.random(in: keyParts...(keyParts + 5), using: &generator)
        for position in 0..<count {
            guard let name = freeName(in: number, names) else { continue }
            entities[number].attributes.append(attribute(name, isKey: position < keyParts))
        }
        // A key need not come first.
        entities[number].attributes.shuffle(using: &generator)
    }

    private mutating func attribute(_ name: String, isKey: Bool) -> Attribute {
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

    /// A name that neither the entity has nor one above or below it; siblings may.
    private mutating func freeName(in entity: Int, _ names: RandomNames) -> String? {
        let relatives = entities.indices.filter { isAncestor($0, of: entity) || isAncestor(entity, of: $0) }
        let taken = Set(
            relatives.flatMap { entities[$0].attributes.map(\.name) + entities[$0].relationships.map(\.name) })
        for _ in 0..<20 {
            let name = names.name(Int.random(in: 0..<RandomNames.count, using: &generator))
            if !taken.contains(name) { return name }
        }
        return nil
    }

    private func isAncestor(_ ancestor: Int, of entity: Int) -> Bool {
        var next: Int? = entity
        while let entity = next {
            if entity == ancestor { return true }
            next = parents[entity]
        }
        return false
    }

    /// Declares an inherited property anew.
    private mutating func redeclare(in entity: Int) {
        guard let parent = parents[entity], generator.happens(0.15) else { return }
        if generator.happens(0.5), var attribute = entities[parent].attributes.randomElement(using: &generator) {
            if entities[entity].attributes.contains(where: { $0.name == attribute.name }) { return }
            attribute.isOptional = !attribute.isPrimaryKey && generator.happens(0.5)
            attribute.isIndexed = generator.happens(0.3)
            attribute.renamedFrom = nil
            entities[entity].attributes.append(attribute)
        } else if var relationship = entities[parent].relationships.randomElement(using: &generator) {
            if entities[entity].relationships.contains(where: { $0.name == relationship.name }) { return }
            relationship.deleteRule = rule()
            relationship.renamedFrom = nil
            entities[entity].relationships.append(relationship)
        }
    }
}

extension RandomSchema {
    private mutating func rule() -> DeleteRule { DeleteRule.allCases.randomElement(using: &generator) ?? .nullify }

    /// Whether there may be records of an entity.
    private func isInhabited(_ entity: Int) -> Bool {
        entities.indices.contains { isAncestor(entity, of: $0) && !entities[$0].isAbstract }
    }

    private mutating func addRelationship(_ names: RandomNames) {
        let from = Int.random(in: entities.indices, using: &generator)
        guard let name = freeName(in: from, names) else { return }
        if generator.happens(0.1) {
            entities[from].relationships.append(relationship(name, to: from, isToMany: generator.happens(0.6), name))
            return
        }
        let to = Int.random(in: entities.indices, using: &generator)
        var there = relationship(name, to: to, isToMany: generator.happens(0.5), nil)
        entities[from].relationships.append(there)
        let position = entities[from].relationships.count - 1
        // The other end's name must not be this one's where both are of one family.
        guard generator.happens(0.7), let inverse = freeName(in: to, names) else { return }
        let back = relationship(inverse, to: from, isToMany: generator.happens(0.5), name)
        there.inverse = inverse
        // Two ends that are both mandatory leave hardly any records.
        if !there.isToMany && !back.isToMany && !back.isOptional && generator.happens(0.9) { there.isOptional = true }
        entities[from].relationships[position] = there
        entities[to].relationships.append(back)
    }

    private mutating func relationship(_ name: String, to: Int, isToMany: Bool, _ inverse: String?) -> Relationship {
        let destination = entities[to].name
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
