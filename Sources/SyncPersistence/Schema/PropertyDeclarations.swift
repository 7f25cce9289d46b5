/// The place of a property: an entity, and a position among its attributes followed by its relationships.
struct PropertyPlace: Hashable {
    /// The position of the entity in the schema.
    let entity: Int
    /// The position of the property in the entity.
    let position: Int
}

extension Entity {
    /// The number of properties that it declares.
    var propertyCount: Int { attributes.count + relationships.count }

    /// Returns the name of a property by its position: attributes come first, relationships after them.
    func propertyName(_ position: Int) -> String {
        position < attributes.count ? attributes[position].name : relationships[position - attributes.count].name
    }

    /// Returns a property if it is a relationship; nil for an attribute.
    func relationship(at position: Int) -> Relationship? {
        position < attributes.count ? nil : relationships[position - attributes.count]
    }
}

/// The first declarations of the entities' properties, and of the relationships' inverses.
///
/// - Complexity: O(number of entities and properties). The hierarchies are walked once from the top, with a table of
///   the names that are known at each entity. Inverses are looked up when the walk reaches their entity.
struct PropertyDeclarations {
    /// For each entity and property, the declaration by the topmost entity that has the property.
    private(set) var origins: [[PropertyPlace]] = []

    /// For each entity and relationship, the first declaration of its inverse; nil if there is none.
    private(set) var inverses: [[PropertyPlace?]] = []

    /// For each entity, the topmost one that it inherits.
    private(set) var roots: [Int] = []

    /// For each entity, the relationships that lead to it and state an inverse.
    private var questions: [[PropertyPlace]] = []
    /// The first declaration of each name on the way from the root to the entity being visited.
    private var known: [String: PropertyPlace] = [:]

    /// Creates declarations of no entities.
    init() {}

    /// Finds the first declarations of all properties, and of all inverses.
    ///
    /// - Parameters:
    ///   - entities: The definitions.
    ///   - parents: For each entity, the position of its parent; nil for a root.
    ///   - positions: The positions of the entities, by name.
    init(_ entities: [Entity], parents: [Int?], positions: [String: Int]) {
        origins = entities.indices.map { entity in
            (0..<entities[entity].propertyCount).map { PropertyPlace(entity: entity, position: $0) }
        }
        inverses = entities.map { Array(repeating: nil, count: $0.relationships.count) }
        roots = Array(entities.indices)
        questions = Array(repeating: [], count: entities.count)
        for (entity, definition) in entities.enumerated() {
            for (position, relationship) in definition.relationships.enumerated() where relationship.inverse != nil {
                guard let destination = positions[relationship.destination] else { continue }
                questions[destination].append(PropertyPlace(entity: entity, position: position))
            }
        }
        var heirs: [[Int]] = Array(repeating: [], count: entities.count)
        for (entity, parent) in parents.enumerated() {
            if let parent { heirs[parent].append(entity) }
        }
        for root in entities.indices where parents[root] == nil { walk(from: root, entities, heirs) }
    }

    /// Visits an entity and its heirs, each after its parent.
    ///
    /// It uses a stack of its own, because chains of heirs may be long.
    private mutating func walk(from root: Int, _ entities: [Entity], _ heirs: [[Int]]) {
        enum Step {
            case enter(Int)
            case leave([String])
        }
        var steps: [Step] = [.enter(root)]
        while let step = steps.popLast() {
            switch step {
            case .enter(let entity):
                roots[entity] = root
                steps.append(.leave(enter(entity, entities)))
                steps += heirs[entity].reversed().map { .enter($0) }
            case .leave(let names):
                for name in names { known[name] = nil }
            }
        }
    }

    /// Adds the properties of an entity to the known names, and returns the names that were not known.
    private mutating func enter(_ entity: Int, _ entities: [Entity]) -> [String] {
        var names: [String] = []
        for position in 0..<entities[entity].propertyCount {
            let name = entities[entity].propertyName(position)
            if let origin = known[name] {
                origins[entity][position] = origin
            } else {
                known[name] = PropertyPlace(entity: entity, position: position)
                names.append(name)
            }
        }
        for question in questions[entity] {
            let name = entities[question.entity].relationships[question.position].inverse ?? ""
            inverses[question.entity][question.position] = known[name]
        }
        return names
    }
}
