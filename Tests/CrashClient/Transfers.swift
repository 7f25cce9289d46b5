import DifferentialSyncTesting
import SQLitePersistence
import SyncPersistence

/// Tasks that move amounts between accounts and read them all, so that the sum is the same at any time.
struct Transfers {
    static let accountCount: Int64 = 16
    static let sum: Int64 = 1_600

    static let schema: Schema = {
        do {
            return try Schema {
                Entity("Account") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("balance", .integer, isOptional: false)
                }
                Entity("Counter") {
                    Attribute("task", .string, isPrimaryKey: true)
                    Attribute("count", .integer, isOptional: false)
                }
            }
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    let store: SQLiteAdapter

    /// Gives all accounts what they begin with.
    func begin() async throws {
        var changes = ChangeSet()
        for id in 0..<Transfers.accountCount {
            changes.put(Record(try shape("Account"), ["id": .integer(id), "balance": .integer(100)]))
        }
        try await store.commit(changes)
    }

    /// Moves and reads `count` times as each of the tasks; answers the sums that were read and were wrong.
    func run(tasks: [String], count: Int, seed: UInt64) async throws -> [Int64] {
        try await withThrowingTaskGroup(of: [Int64].self) { group in
            for (number, task) in tasks.enumerated() {
                group.addTask { try await work(as: task, count, SeededGenerator(seed: seed + UInt64(number))) }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    private func work(as task: String, _ count: Int, _ generator: SeededGenerator) async throws -> [Int64] {
        var generator = generator
        var wrong: [Int64] = []
        for _ in 0..<count {
            let (from, to) = (
                Int64.random(in: 0..<Transfers.accountCount, using: &generator),
                Int64.random(in: 0..<Transfers.accountCount, using: &generator)
            )
            try await store.write { transaction in
                var changes = ChangeSet()
                if from != to {
                    for (id, amount) in [(from, -1 as Int64), (to, 1)] {
                        let balance = try transaction.record(RecordID("Account", .integer(id)))?["balance"].number ?? 0
                        changes.update(RecordID("Account", .integer(id)), ["balance": .integer(balance + amount)])
                    }
                }
                let done = try transaction.record(RecordID("Counter", .string(task)))?["count"].number ?? 0
                changes.put(
                    Record(try transaction.shape("Counter"), ["task": .string(task), "count": .integer(done + 1)]))
                try transaction.apply(changes)
            }
            let sum = try await total()
            if sum != Transfers.sum { wrong.append(sum) }
        }
        return wrong
    }

    /// What all accounts have together.
    func total() async throws -> Int64 {
        try await store.read { transaction in
            try transaction.records(Query("Account")).compactMap { $0["balance"].number }.reduce(0, +)
        }
    }

    /// How often each task has moved something.
    func counts() async throws -> [String: Int64] {
        try await store.read { transaction in
            try transaction.records(Query("Counter")).reduce(into: [:]) { counts, record in
                if case .string(let task) = record["task"] { counts[task] = record["count"].number }
            }
        }
    }

    private func shape(_ entity: String) throws -> Shape {
        guard let shape = store.schema[entity] else { preconditionFailure("no entity \(entity)") }
        return shape
    }
}

extension Value {
    fileprivate var number: Int64? { if case .integer(let number) = self { number } else { nil } }
}
