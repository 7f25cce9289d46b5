import DifferentialSyncTesting
import EntitySync
import SyncPersistence

/// Entities that follow from a seed: with attributes of all types, relationships of all forms between them, heirs that are
/// told by `kind`, and properties that a remote calls by names of its own, in objects within and by reserved words.
struct RoundTripSchema {
    private var generator: SeededGenerator
    private(set) var entities: [Entity] = []

    /// What makes a remote's values of those of the attributes that name it, and back.
    static let transformers = [
        "marked": AttributeTransformer { remote in
            guard case .string(let text) = remote, text.unicodeScalars.first == "~" else { return .none }
            return .string(String(text.unicodeScalars.dropFirst()))
        } toRemote: { value in
            guard case .string(let text) = value else { return .none }
            return .string("~" + text)
        },
        "boxed": AttributeTransformer { remote in
            guard case .object(let box) = remote else { return .none }
            return box["is"]
        } toRemote: { value in
            let box: Value = ["is": value]
            return box
        },
    ]

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        for number in 0..<Int.random(in: 1...4, using: &generator) { addFamily(number) }
        for number in 0..<Int.random(in: 1...6, using: &generator) { addRelationship(number) }
        for number in 0..<Int.random(in: 0...2, using: &generator) { addNamed(number) }
        for number in 0..<Int.random(in: 0...2, using: &generator) { addLines(number) }
    }

    /// Adds an entity whose records texts stand for, and relationships that lead to it.
    private mutating func addNamed(_ number: Int) {
        let owner = Int.random(in: entities.indices, using: &generator)
        let inverse: String? = pick([nil, "owners"])
        var named = Entity("N\(number)") {
            Attribute("name", .string, isPrimaryKey: true, userInfo: ["sync.isElement": "YES"])
        }
        if generator.happens(0.5) { named.attributes.append(Attribute("weight", .integer)) }
        if generator.happens(0.3) {
            named.attributes.append(Attribute("isOld", .bool, isOptional: false, default: false))
        }
        if inverse == "owners" {
            named.relationships.append(
                Relationship("owners", toMany: entities[owner].name, inverse: "names\(number)"))
        }
        entities[owner].relationships += [
            Relationship(
                "names\(number)", toMany: named.name, isOrdered: inverse != nil && generator.happens(0.3),
                inverse: inverse, remoteKey: pick([nil, "meta.names\(number)"])),
            Relationship("label\(number)", to: named.name, remoteKey: pick([nil, "label.\(number)"])),
        ]
        entities.append(named)
    }

    /// Adds an entity whose records stand in a map of their owner, from which they take a part of their key.
    private mutating func addLines(_ number: Int) {
        let owner = pick(entities.indices.filter { entities[$0].name.hasPrefix("E") })
        var line = Entity("L\(number)") {
            Attribute("up", .integer, isPrimaryKey: true, userInfo: ["sync.parentAttribute": "owner.id"])
            Attribute(
                "place", pick([.integer, .string, .uuid, .url, .bool]), isPrimaryKey: true,
                remoteKey: pick([nil, "at.place"]), userInfo: ["sync.isMapKey": "YES"])
            Relationship("owner", to: entities[owner].name, inverse: "lines\(number)")
        }
        let type: AttributeType = pick([.string, .integer, .json])
        line.attributes.append(
            Attribute("content", type, userInfo: generator.happens(0.6) ? ["sync.isElement": "YES"] : [:]))
        entities[owner].relationships.append(
            Relationship(
                "lines\(number)", toMany: line.name, isOrdered: generator.happens(0.3), inverse: "owner",
                remoteKey: pick([nil, "meta.lines\(number)"])))
        entities.append(line)
    }

    private mutating func addFamily(_ number: Int) {
        var root = Entity("E\(number)") {
            Attribute("id", .integer, isPrimaryKey: true, remoteKey: pick([nil, "number", "meta.number"]))
            Attribute("text", .string, remoteKey: pick([nil, "wording", "meta.wording.text"]))
            Attribute("longText", .string, default: "none", remoteKey: pick([nil, "meta.wording.long"]))
            Attribute("isOpen", .bool, isOptional: false, default: true)
            Attribute(pick(["e\(number)Type", "type"]), .string)
            Attribute(pick(["e\(number)Description", "someURL"]), .string)
            Attribute("marked", .string, remoteKey: pick([nil, "meta.marked"]), transformer: "marked")
            Attribute("boxed", .integer, transformer: "boxed")
        }
        root.attributes += AttributeType.allCases.map { Attribute("of\($0.rawValue)", $0) }
        if generator.happens(0.3) {
            root.attributes.append(
                Attribute(
                    "part", .string, isPrimaryKey: true, remoteKey: pick([nil, "meta.part", "piece"]),
                    userInfo: pick([[:], ["sync.isMapKey": "YES"]])))
        }
        if generator.happens(0.4) {
            root.userInfo = ["sync.discriminator": "kind"]
            entities.append(
                Entity("H\(number)", parent: root.name) {
                    Attribute("extra\(number)", .integer, remoteKey: pick([nil, "meta.extra"]))
                    Attribute("h\(number)Signed", .bool)
                })
        }
        entities.append(root)
    }

    private mutating func pick<T>(_ choices: [T]) -> T {
        choices[Int.random(in: choices.indices, using: &generator)]
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
        let remoteKey: String? = pick([nil, "to_\(name)", "links.\(name)"])
        guard generator.happens(0.6) else {
            return Relationship(name, to: entities[destination].name, inverse: inverse, remoteKey: remoteKey)
        }
        return Relationship(
            name, toMany: entities[destination].name, isOrdered: inverse != name && generator.happens(0.4),
            inverse: inverse, remoteKey: pick([remoteKey, "\(name).edges.node", "wrap.\(name)[].item"]))
    }
}
