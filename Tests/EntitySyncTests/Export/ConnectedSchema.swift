import DifferentialSyncTesting
import SyncPersistence

/// Entities that follow from a seed, with relationships of all forms between them, and heirs that are told by `kind`.
struct ConnectedSchema {
    private var generator: SeededGenerator
    private(set) var entities: [Entity] = []

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        for number in 0..<Int.random(in: 1...4, using: &generator) { addFamily(number) }
        for number in 0..<Int.random(in: 1...6, using: &generator) { addRelationship(number) }
    }

    private mutating func addFamily(_ number: Int) {
        var root = Entity("E\(number)") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("text", .string)
        }
        if generator.happens(0.3) { root.attributes.append(Attribute("part", .string, isPrimaryKey: true)) }
        if generator.happens(0.4) {
            root.userInfo = ["sync.discriminator": "kind"]
            entities.append(Entity("H\(number)", parent: root.name) { Attribute("extra\(number)", .integer) })
        }
        entities.append(root)
    }

    private mutating func addRelationship(_ number: Int) {
        let from = Int.random(in: entities.indices, using: &generator)
        let to = generator.happens(0.3) ? from : Int.random(in: entities.indices, using: &generator)
        let name = "r\(number)"
        let isSymmetric = from == to && generator.happens(0.3)
        let inverse = isSymmetric ? name : generator.happens(0.7) ? "back\(number)" : nil
        entities[from].relationships.append(relationship(name, to, inverse))
        guard !isSymmetric, let inverse else { return }
        entities[to].relationships.append(relationship(inverse, from, name))
    }

    private mutating func relationship(_ name: String, _ destination: Int, _ inverse: String?) -> Relationship {
        generator.happens(0.6)
            ? Relationship(
                name, toMany: entities[destination].name,
                isOrdered: inverse != name && generator.happens(0.4), inverse: inverse)
            : Relationship(name, to: entities[destination].name, inverse: inverse)
    }
}
