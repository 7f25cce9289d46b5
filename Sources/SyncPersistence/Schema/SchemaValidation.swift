/// The checks of definitions before a ``Schema`` is created from them.
///
/// - Complexity: O(number of entities and properties), however long the chains of inheritance are
struct SchemaValidation {
    /// The definitions to check.
    let entities: [Entity]

    /// The positions of the entities; of several with one name, the first.
    let positions: [String: Int]

    /// The parent of each entity; nil for a root, or if a fault leaves none.
    var parents: [Int?]

    /// All properties, with their first declarations and their inverses.
    var declarations = PropertyDeclarations()

    /// The faults so far, with the places by which they are sorted.
    private var found: [(place: Place, fault: SchemaError.Fault)] = []

    /// Checks definitions, and keeps all faults.
    init(_ entities: [Entity]) {
        self.entities = entities
        positions = Dictionary(zip(entities.map(\.name), entities.indices)) { first, _ in first }
        parents = entities.map { [positions] entity in entity.parent.flatMap { positions[$0] } }
        checkEntities()
        checkInheritance()
        declarations = PropertyDeclarations(entities, parents: parents, positions: positions)
        for entity in entities.indices {
            checkNames(of: entity)
            checkAttributes(of: entity)
            checkRelationships(of: entity)
        }
    }

    /// The faults in the order of the definitions.
    ///
    /// For each entity, its own come first, then those of its attributes and of its relationships.
    var faults: [SchemaError.Fault] {
        let order = found.indices.sorted { (found[$0].place, $0) < (found[$1].place, $1) }
        return order.map { found[$0].fault }
    }
}

extension SchemaValidation {
    /// The place of a definition: an entity, or one of its attributes followed by its relationships.
    private struct Place: Comparable {
        /// The position of the entity.
        let entity: Int
        /// The position of the property; faults of the entity itself come before.
        let property: Int

        /// Whether the first place comes before the second in the definitions.
        static func < (left: Place, right: Place) -> Bool {
            (left.entity, left.property) < (right.entity, right.property)
        }
    }

    /// Adds a fault of an entity.
    mutating func fail(_ entity: Int, _ message: String) {
        found.append((Place(entity: entity, property: -1), .init(entity: entities[entity].name, message: message)))
    }

    /// Adds a fault of a property.
    mutating func fail(_ property: PropertyPlace, _ message: String) {
        let entity = entities[property.entity]
        found.append(
            (
                Place(entity: property.entity, property: property.position),
                .init(entity: entity.name, property: entity.propertyName(property.position), message: message)
            ))
    }

    /// The reason for a name that is reserved.
    static let reserved = "names that begin with 'sync.' are the library's own: choose another"

    /// Whether a name is reserved for the library.
    static func isReserved(_ name: String) -> Bool { name.utf8.starts(with: "sync.".utf8) }
}

extension SchemaValidation {
    /// Checks names, parents and hints at former names of all entities.
    private mutating func checkEntities() {
        var renamed: [String: Int] = [:]
        for (position, entity) in entities.enumerated() {
            if entity.name.isEmpty { fail(position, "entity number \(position + 1) has no name: give it one") }
            if positions[entity.name] != position { fail(position, "another entity has this name: rename one of them") }
            if Self.isReserved(entity.name) { fail(position, Self.reserved) }
            if let parent = entity.parent, positions[parent] == nil {
                fail(
                    position,
                    "it inherits '\(parent)', which is not in the schema: add that entity, or correct the parent")
            }
            // A hint at the same name has no effect.
            guard let old = entity.renamedFrom, old != entity.name else { continue }
            if positions[old] != nil {
                fail(position, "it is renamed from '\(old)', which is in the schema still: take one of the two away")
            }
            if let other = renamed[old] {
                fail(
                    position, "'\(entities[other].name)' is renamed from '\(old)' too: take one of the two hints away")
            } else {
                renamed[old] = position
            }
        }
    }

    /// Finds circles of inheritance, and removes their parents for the later checks.
    private mutating func checkInheritance() {
        // For each entity, the walk that has visited it. Walks are numbered by the entities from which they start.
        var walks = [Int?](repeating: nil, count: entities.count)
        for start in entities.indices {
            var next: Int? = start
            while let entity = next, walks[entity] == nil {
                walks[entity] = start
                next = parents[entity]
            }
            guard let end = next, walks[end] == start else { continue }
            var circle = [end]
            while let parent = parents[circle[circle.count - 1]], parent != end { circle.append(parent) }
            let first = circle.min() ?? end
            let names = (circle.drop { $0 != first } + circle.prefix { $0 != first }).map { entities[$0].name }
            for entity in circle { parents[entity] = nil }
            if names.count == 1 {
                fail(first, "it inherits itself: take the parent away")
            } else {
                let shown = names.prefix(8) + (names.count > 8 ? ["…"] : []) + [names[0]]
                fail(
                    first,
                    "it inherits itself (\(shown.joined(separator: " > "))): take the parent away from one of these")
            }
        }
    }
}
