import DifferentialSyncTesting
package import SyncPersistence

/// A sequence of changes that one end makes, so that the number of changes tells which records it must have.
///
/// The number is stored in the transaction of each change. The ends change records of their own, and attributes of
/// their own in one record that both have.
package struct Ledger {
    /// The schema of both ends.
    package static let schema: Schema = {
        do {
            return try Schema {
                Entity("Item") {
                    Attribute("id", .string, isPrimaryKey: true)
                    Attribute("value", .integer)
                    Relationship("previous", to: "Item", inverse: "next")
                    Relationship("next", toMany: "Item", inverse: "previous")
                }
                Entity("Count") {
                    Attribute("id", .string, isPrimaryKey: true)
                    Attribute("device", .integer)
                    Attribute("service", .integer)
                }
            }
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    /// The key of the record that both ends change.
    package static let shared = RecordID("Count", "shared")

    /// The end: "device" or "service".
    package let end: String

    private let seed: UInt64

    package init(of end: String, seed: UInt64) { (self.end, self.seed) = (end, seed) }

    /// A change of the end's own items.
    private enum Step {
        case put(Int64, value: Int64)
        case delete(Int64)
    }

    private func step(_ number: Int64) -> Step {
        var generator = SeededGenerator(seed: seed &+ UInt64(number) &* 0x9E37_79B9)
        let item = Int64.random(in: 0...max(number / 3, 1), using: &generator)
        return Int.random(in: 0..<4, using: &generator) == 0 ? .delete(item) : .put(item, value: number)
    }

    /// Returns the number of changes that a store has of the end.
    package func count(in transaction: ReadTransaction) throws -> Int64 {
        guard case .integer(let count)? = try transaction.record(Self.shared)?[end] else { return 0 }
        return count
    }

    /// Makes the next change; returns its number.
    package func change(_ transaction: WriteTransaction) throws -> Int64 {
        let number = try count(in: transaction) + 1
        var changes = ChangeSet()
        if try transaction.record(Self.shared) == nil {
            changes.put(Record(try transaction.shape("Count"), ["id": "shared", end: .integer(number)]))
        } else {
            changes.update(Self.shared, [end: .integer(number)])
        }
        switch step(number) {
        case .put(let item, let value):
            let id = RecordID("Item", key(item))
            if try transaction.record(id) == nil {
                changes.put(Record(try transaction.shape("Item"), ["id": key(item), "value": .integer(value)]))
            } else {
                changes.update(id, ["value": .integer(value)])
            }
            let previous = RecordID("Item", key(item - 1))
            if try item > 0 && transaction.record(previous) != nil { changes.update(id, ["previous": previous.key]) }
        case .delete(let item):
            let id = RecordID("Item", key(item))
            if try transaction.record(id) != nil { changes.delete(id) }
        }
        try transaction.apply(changes)
        return number
    }

    /// Returns the values of the end's items after a number of changes, by key.
    package func items(after count: Int64) -> [Value: Value] {
        var items: [Value: Value] = [:]
        for number in stride(from: 1, through: count, by: 1) {
            switch step(number) {
            case .put(let item, let value): items[key(item)] = .integer(value)
            case .delete(let item): items[key(item)] = nil
            }
        }
        return items
    }

    private func key(_ item: Int64) -> Value { .string("\(end) \(item)") }
}
