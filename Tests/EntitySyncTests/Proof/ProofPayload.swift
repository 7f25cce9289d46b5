import DifferentialSyncTesting
import SyncPersistence

/// Makes objects of a schema's entities that follow from a seed.
///
/// They have few keys, so that they refer to each other.
struct ProofPayload {
    let schema: Schema
    /// The number of keys of the entity of the objects.
    let keyCount: Int
    var random: SeededGenerator

    init(_ schema: Schema, keyCount: Int = 44, seed: UInt64) {
        self.schema = schema
        self.keyCount = keyCount
        random = SeededGenerator(seed: seed)
    }
}

extension ProofPayload {
    /// Returns objects with different keys, at least as many as the payload memory needs.
    mutating func objects(of entity: String, _ count: Int = 38) -> [Value] {
        (0..<keyCount).shuffled(using: &random).prefix(count).map { object(of: entity, key: $0) }
    }

    /// Returns the objects after a few edits.
    mutating func edited(_ objects: [Value], of entity: String) -> [Value] {
        var objects = objects
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let place = Int.random(in: 0..<max(objects.count, 1), using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0 where objects.count > 34: objects.remove(at: place)
            case 1: objects.append(object(of: entity, key: .random(in: 0..<keyCount, using: &random)))
            case 2: objects.swapAt(place, 0)
            case 3 where objects.count < 45: objects.append(objects[place])
            case 4: objects[place] = ["text": "no key"]
            default:
                if case .object(let old) = objects[place], case .integer(let key)? = old["id"] {
                    objects[place] = object(of: entity, key: Int(key))
                }
            }
        }
        return objects
    }

    /// Returns an object with nested objects.
    mutating func object(of declared: String, key: Int, depth: Int = 2) -> Value {
        var entity = declared
        var members: [(String, Value)] = []
        if schema[declared]?.root == "Animal" {
            if random.happens(0.7) { entity = ["Animal", "Cat", "Dog"].randomElement(using: &random) ?? declared }
            if random.happens(0.9) { members.append(("type", .string(entity))) }
        }
        guard let shape = schema[entity] else { return .null }
        for slot in shape.slots {
            guard case .attribute(let type) = slot.content, !slot.isInternal else { continue }
            if slot.name == "id" {
                members.append(("id", .integer(Int64(key))))
            } else if slot.name == "kind" {
                members.append(("kind", .string(key % 2 == 0 ? "even" : "odd")))
            } else if random.happens(0.7) {
                members.append((slot.name, value(of: type)))
            }
        }
        if random.happens(0.05) { members.append(("unheard", true)) }
        for relationship in shape.relationships where depth > 0 && random.happens(depth == 2 ? 0.5 : 0.3) {
            members.append(contentsOf: statement(of: relationship.definition, depth: depth))
        }
        members.shuffle(using: &random)
        return .members(members)
    }

    private mutating func value(of type: AttributeType) -> Value {
        if random.happens(0.08) { return .null }
        if random.happens(0.03) { return ["a": 1] }
        if case .string = type { return .string(["a", "b", "c", "7"].randomElement(using: &random) ?? "") }
        return .integer(.random(in: 0..<4, using: &random))
    }

    /// Returns one of few keys: a key of the payload's own objects, or of nested things.
    mutating func key(of entity: String) -> Int { .random(in: 0..<(keyCount + 2), using: &random) }

    /// Returns the JSON text of a single key.
    func named(_ key: Int, _ entity: String) -> Value {
        let shape = schema[entity]
        return shape?.keySlots.count == 2
            ? [.integer(Int64(key)), key % 2 == 0 ? "even" : "odd"] : .integer(Int64(key))
    }

    private mutating func statement(of relationship: Relationship, depth: Int) -> [(String, Value)] {
        let (name, destination) = (relationship.name, relationship.destination)
        let keys = (0..<Int.random(in: 0...3, using: &random)).map { _ in key(of: destination) }
        switch (relationship.isToMany, Int.random(in: 0..<10, using: &random)) {
        case (true, 0): return [(name, .null)]
        case (true, 1): return [(name, .string("odd"))]
        case (true, 2...4): return [("\(name)_ids", .array(keys.map { named($0, destination) }))]
        case (true, _): return [(name, .array(keys.map { object(of: destination, key: $0, depth: depth - 1) }))]
        case (false, 0): return [(name, .null)]
        case (false, 1...4): return [("\(name)_id", named(key(of: destination), destination))]
        case (false, _): return [(name, object(of: destination, key: key(of: destination), depth: depth - 1))]
        }
    }
}

extension ProofPayload {
    /// Returns changes by others: of records, values and links.
    mutating func changes() -> ChangeSet {
        var changes = ChangeSet(origin: [.local, .remote, .agreed].randomElement(using: &random) ?? .local)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let shapes = schema.shapes.filter { !$0.isAbstract }
            guard let shape = shapes.randomElement(using: &random) else { continue }
            let key = named(self.key(of: shape.name), shape.name)
            let id = RecordID(shape.root, key)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: changes.delete(id)
            case 1: changes.update(id, ["text": value(of: AttributeType.string)])
            case 2:
                var values: [String: Value] = ["text": .string(random.happens(0.5) ? "a" : "theirs")]
                if shape.keySlots.count == 2, case .array(let parts) = key {
                    (values["id"], values["kind"]) = (parts[0], parts[1])
                } else if shape.slots.contains(where: { $0.name == "id" }) {
                    values["id"] = key
                }
                changes.put(Record(shape, values))
            default:
                guard let relationship = shape.relationships.randomElement(using: &random)?.definition else { continue }
                let keys = (0..<Int.random(in: 0...2, using: &random)).map { _ in
                    named(self.key(of: relationship.destination), relationship.destination)
                }
                if relationship.isToMany || keys.count < 2 {
                    changes.setLinks(RecordID(shape.name, key), relationship.name, to: keys)
                }
            }
        }
        return changes
    }
}

extension Value {
    /// Returns an object with the given names and values.
    static func members(_ members: [(String, Value)]) -> Value {
        .object(ValueObject(members.map { ValueObject.Member(name: $0.0, value: $0.1) }))
    }
}
