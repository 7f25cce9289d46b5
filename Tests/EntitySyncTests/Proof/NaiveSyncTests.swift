import DifferentialSyncTesting
import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Random payloads change a store and plain dictionaries in the same way.
struct NaiveSyncTests {
    private static let seeds = environmentSeed.map { [$0] } ?? Array(0..<UInt64(isFullScale ? 80 : 12))

    @Test(arguments: StoreKind.allCases, seeds)
    func randomPayloadsEndLikeTheNaiveSync(kind: StoreKind, seed: UInt64) async throws {
        var world = NaiveWorld(seed: seed)
        let store = try await ProofStore(kind, usesMemory: true, world.schema())
        for number in 0..<8 {
            let statements = world.statements()
            let before = world.model.unknownCount
            world.model.sync(statements)
            let json = try Value.array(statements.map { world.object($0) }).jsonBytes()
            let result = try await store.adapter.sync(json, into: "Root")
            let lines = try await lines(of: store.adapter, world.model)
            #expect(lines == world.model.lines, "seed \(seed), payload \(number)")
            // Random objects contradict each other.
            let reports = result.reports.filter { $0.kind != .contradiction }
            #expect(reports.allSatisfy { $0.kind == .unknownReference }, "seed \(seed), payload \(number)")
            #expect(reports.count == world.model.unknownCount - before, "seed \(seed), payload \(number)")
            if lines != world.model.lines { return }
        }
        await store.close()
    }

    private func lines(of store: any PersistenceAdapter, _ model: NaiveSync) async throws -> Set<String> {
        try await store.read { transaction in
            var lines: Set<String> = []
            for record in try transaction.records(Query("Root")) {
                let names = record.shape.slots.map(\.name).filter { $0.hasPrefix("a") || $0 == "boss" }
                let texts = names.filter { !record[$0].isNull }.map { "\($0): \(record[$0])" }.sorted()
                lines.insert("Root \(record.key) \(texts)")
                for form in model.forms.indices {
                    let keys = try transaction.related(record.id, "r\(form)").map(\.description)
                    let sorted = keys.compactMap { Int($0) }.sorted()
                    if !sorted.isEmpty { lines.insert("r\(form) of \(record.key): \(sorted)") }
                }
            }
            for form in model.forms.indices {
                for record in try transaction.records(Query("Thing\(form)")) {
                    lines.insert("Thing\(form) \(record.key) \(record["text"])")
                }
            }
            return lines
        }
    }
}

/// A schema and payloads that follow from a seed.
private struct NaiveWorld {
    var model: NaiveSync
    private var random: SeededGenerator
    private let types: [AttributeType]
    private let areOrdered: Bool

    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let forms = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            NaiveSync.Form.allCases.randomElement(using: &random) ?? .owning
        }
        model = NaiveSync(forms: forms, cascades: random.happens(0.5))
        types = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            [.string, .integer, .bool, .double].randomElement(using: &random) ?? .string
        }
        areOrdered = random.happens(0.3)
        self.random = random
    }

    func schema() throws -> Schema {
        var root = Entity("Root", attributes: [Attribute("id", .integer, isPrimaryKey: true)])
        for (number, type) in types.enumerated() { root.attributes.append(Attribute("a\(number)", type)) }
        root.relationships.append(Relationship("boss", to: "Root"))
        var things: [Entity] = []
        for (number, form) in model.forms.enumerated() {
            let (name, thing) = ("r\(number)", "Thing\(number)")
            let deleteRule: DeleteRule = form == .owning && model.cascades ? .cascade : .nullify
            root.relationships.append(
                form == .naming
                    ? Relationship(name, to: thing, inverse: "roots")
                    : Relationship(name, toMany: thing, isOrdered: areOrdered, inverse: "roots", deleteRule: deleteRule)
            )
            things.append(
                Entity(
                    thing, attributes: [Attribute("id", .integer, isPrimaryKey: true), Attribute("text", .string)],
                    relationships: [
                        form == .owning
                            ? Relationship("roots", to: "Root", inverse: name)
                            : Relationship("roots", toMany: "Root", inverse: name)
                    ]))
        }
        return try Schema([root] + things)
    }

    /// The content of a payload.
    ///
    /// A thing that can have only one owner has at most one.
    mutating func statements() -> [NaiveSync.Statement] {
        let count = random.happens(0.3) ? 36 : Int.random(in: 0...12, using: &random)
        var free = model.forms.map { _ in Array(0..<20).shuffled(using: &random) }
        return (0..<40).shuffled(using: &random).prefix(count).map { key in
            var statement = NaiveSync.Statement(key: key)
            for (number, type) in types.enumerated() where random.happens(0.6) {
                statement.values["a\(number)"] = value(of: type)
            }
            if random.happens(0.5) {
                statement.boss = .some(random.happens(0.2) ? nil : .random(in: 0..<42, using: &random))
            }
            for (number, form) in model.forms.enumerated() where random.happens(0.6) {
                let limit = form == .naming ? 0...1 : 0...3
                let count = Int.random(in: limit, using: &random)
                var keys: [Int] = []
                for _ in 0..<count {
                    let key = form == .owning ? free[number].popLast() : Int.random(in: 0..<20, using: &random)
                    if let key, !keys.contains(key) { keys.append(key) }
                }
                statement.things[number] =
                    random.happens(0.4)
                    ? .keys(keys)
                    : .objects(keys.map { ($0, random.happens(0.7) ? value(of: .string) : nil) })
            }
            return statement
        }
    }

    private mutating func value(of type: AttributeType) -> Value {
        if random.happens(0.15) { return .null }
        let number = Int64.random(in: 0..<4, using: &random)
        switch type {
        case .integer: return .integer(number)
        case .bool: return .bool(number > 1)
        case .double: return .double(Double(number) + 0.5)
        default: return .string("text \(number)")
        }
    }

    /// Returns a statement as an object, with its values in one of their possible forms.
    mutating func object(_ statement: NaiveSync.Statement) -> Value {
        var members: [(String, Value)] = [("id", key(statement.key))]
        for (name, value) in statement.values.sorted(by: { $0.key < $1.key }) {
            if case .integer(let number) = value, random.happens(0.3) {
                members.append((name, .string("\(number)")))
            } else {
                members.append((name, value))
            }
        }
        if let boss = statement.boss { members.append(("boss_id", boss.map { key($0) } ?? .null)) }
        for (number, content) in statement.things.sorted(by: { $0.key < $1.key }) {
            let isToMany = model.forms[number] != .naming
            switch content {
            case .keys(let keys):
                let values = keys.map { key($0) }
                members.append(
                    isToMany
                        ? ("r\(number)_ids", values.isEmpty && random.happens(0.3) ? .null : .array(values))
                        : ("r\(number)_id", values.first ?? .null))
            case .objects(let objects):
                let values = objects.map { object -> Value in
                    var members: [(String, Value)] = [("id", key(object.key))]
                    if let text = object.text { members.append(("text", text)) }
                    return .members(members)
                }
                members.append(
                    isToMany
                        ? ("r\(number)", values.isEmpty && random.happens(0.3) ? .null : .array(values))
                        : ("r\(number)", values.first ?? .null))
            }
        }
        members.shuffle(using: &random)
        return .members(members)
    }

    /// A key as a number or as text.
    private mutating func key(_ key: Int) -> Value { random.happens(0.8) ? .integer(Int64(key)) : .string("\(key)") }
}
