import DifferentialSyncTesting
import Foundation
import SyncValues

/// Makes values that conform to a schema, from texts that mean something to the server, and damages them.
struct ValueMaker {
    let schemas: JSONSchemas
    var random: SeededGenerator

    /// The epochs that the server has sent.
    var epochs = ["a1"]

    /// The number of the next push that the server expects.
    var nextPush: Int64 = 1

    private static let names = ["List", "Note", "name", "color", "id", "title", "list", "price", "due", "extra"]
    private static let texts = ["phone", "tablet", "a", "p1", "red", "é", "'; --", "\u{0}", "2024-02-30", ""]
    private static let numbers: [Int64] = [0, 1, 2, 7, 100, 1_000_000, .max]

    /// Returns a value that conforms.
    ///
    /// - Parameter name: The name of the member or of the items.
    mutating func value(_ schema: JSONSchema, _ name: String = "") -> Value {
        let schema = schemas.resolved(schema)
        if let alternative = schema.alternatives.randomElement(using: &random) { return value(alternative, name) }
        if let choices = schema.choices { return choices.randomElement(using: &random) ?? .null }
        switch schema.types?.randomElement(using: &random) {
        case "object":
            var members: [ValueObject.Member] = []
            for (name, property) in schema.properties.sorted(by: { $0.key < $1.key })
            where schema.required.contains(name) || random.happens(0.3) {
                members.append(ValueObject.Member(name: name, value: value(property, name)))
            }
            for schema in schema.others {
                for name in Set((0..<3).compactMap { _ in Self.names.randomElement(using: &random) }).sorted() {
                    members.append(ValueObject.Member(name: name, value: value(schema, name)))
                }
            }
            let object = ValueObject(members)
            return .object(object["mutations"] == nil ? object : withRows(object))
        case "array":
            if name == "versions" { return [1, 2] }
            guard let items = schema.items.first, items.types != ["array"] else { return .array([]) }
            return .array((0..<Int.random(in: 0...3, using: &random)).map { _ in value(items, name) })
        case "integer" where name == "number" && random.happens(0.7): return .integer(nextPush)
        case "integer" where name == "sequence" && random.happens(0.5): return 0
        case "integer":
            // Positions and numbers near those that exist lead further.
            let number =
                random.happens(0.7)
                ? Int64.random(in: 0...5, using: &random) : Self.numbers.randomElement(using: &random)
            return .integer(max(number ?? 0, schema.minimum ?? .min))
        case "boolean": return .bool(Bool.random(using: &random))
        case "null": return .null
        default: return .string(text(name, schema))
        }
    }

    private mutating func text(_ name: String, _ schema: JSONSchema) -> String {
        switch name {
        case "epoch" where random.happens(0.9): return epochs.randomElement(using: &random) ?? ""
        case "device" where random.happens(0.9): return random.happens(0.5) ? "phone" : "tablet"
        case "entity", "values": return Self.names.randomElement(using: &random) ?? ""
        default:
            let text = (random.happens(0.5) ? Self.texts : Self.names).randomElement(using: &random) ?? ""
            return text.isEmpty && schema.minimumLength ?? 0 > 0 ? "x" : text
        }
    }

    /// Returns a push whose rows have the values of its shapes.
    private mutating func withRows(_ push: ValueObject) -> ValueObject {
        guard case .array(var shapes)? = push["shapes"], !shapes.isEmpty else { return push }
        let fits = random.happens(0.5)
        if fits { shapes = [["entity": "List", "kind": "insert", "values": ["name", "color"]]] }
        let rows = (0..<Int.random(in: 0...4, using: &random)).map { _ -> Value in
            if fits {
                let key = Value.string(Self.texts.randomElement(using: &random) ?? "")
                return [0, key, key, "red"]
            }
            let index = Int.random(in: 0..<shapes.count, using: &random)
            var count = 0
            if case .array(let names)? = shapes[index].object?["values"] { count = names.count }
            return .array([.integer(Int64(index)), scalar()] + (0..<count).map { _ in scalar() })
        }
        return ValueObject(
            push.members.map { member in
                let rewritten = ["mutations": Value.array(rows), "shapes": .array(shapes)]
                return ValueObject.Member(name: member.name, value: rewritten[member.name] ?? member.value)
            })
    }

    /// Returns a value of any type.
    private mutating func scalar() -> Value {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: .null
        case 1: .bool(true)
        case 2, 3: .integer(Self.numbers.randomElement(using: &random) ?? 0)
        case 4: .double([0.5, -1e300, 1e-300].randomElement(using: &random) ?? 0)
        case 5: .array([1, "x"])
        case 6: .object(ValueObject([ValueObject.Member(name: "a", value: 1)]))
        default: .string((Self.texts + Self.names).randomElement(using: &random) ?? "")
        }
    }

    /// Returns a value with one or a few places damaged.
    mutating func damaged(_ value: Value) -> Value {
        switch value {
        case .array(let values) where !values.isEmpty && random.happens(0.8):
            var values = values
            let index = Int.random(in: 0..<values.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: values.remove(at: index)
            case 1: values.insert(values[index], at: index)
            default: values[index] = damaged(values[index])
            }
            return .array(values)
        case .object(let object) where !object.members.isEmpty && random.happens(0.9):
            var members = object.members.map { $0 }
            let index = Int.random(in: 0..<members.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: members.remove(at: index)
            case 1: members[index].name = Self.names.randomElement(using: &random) ?? ""
            default: members[index].value = damaged(members[index].value)
            }
            return .object(ValueObject(members))
        default:
            switch Int.random(in: 0..<6, using: &random) {
            case 0: return .integer([-1, .min, 0, 1 << 53].randomElement(using: &random) ?? 0)
            case 1: return .string(String(repeating: "x", count: 5_000))
            case 2: return (0..<100).reduce(Value.null) { inner, _ in .array([inner]) }
            default: return scalar()
            }
        }
    }

    /// Returns JSON text with a few bytes damaged.
    mutating func damagedBytes(_ text: Data) -> Data {
        var bytes = Array(text)
        for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: index)
            case 2: bytes.removeSubrange(index...)
            default: bytes.insert(contentsOf: bytes[index...].prefix(20), at: index)
            }
        }
        return Data(bytes)
    }
}
