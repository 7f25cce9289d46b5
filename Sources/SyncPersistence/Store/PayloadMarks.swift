/// Marks of the records and relationships that have changed since a payload was synced.
///
/// Marks are kept once there are rows for payloads. They are stored beside the rows, in the family without a name, by
/// ``RecordToken``. When there are too many marks, all rows so far are void instead.
package final class PayloadMarks {
    /// The metadata with the number of marks.
    static let countName = "sync.payloads"
    /// The metadata with the entities that have a memory.
    private static let familiesName = "sync.payloadFamilies"
    /// The name of the metadata with a number of a commit; rows that were stored up to that commit are not used any
    /// more.
    private static let horizonName = "sync.payloadsHorizon"

    /// The largest number of marks.
    private static let limit = 20_000

    /// The tokens to be marked instead of those of the touched records; nil for these.
    package var tokens: [UInt64]?

    /// Reads what is stored.
    private let store: ReadTransaction
    /// Stores the counts.
    private let metadata: MetadataLog

    /// Creates the marks of a transaction.
    ///
    /// - Parameters:
    ///   - store: Reads what is stored.
    ///   - metadata: Stores the number of marks and the families.
    init(of store: ReadTransaction, _ metadata: MetadataLog) {
        self.store = store
        self.metadata = metadata
    }

    /// Returns the commit up to which all rows are void.
    package func horizon() throws -> Int64 { try store.number(Self.horizonName) ?? 0 }

    /// Returns the last commit that has changed the record or relationship of a token, as far as is known.
    package func commit(of token: UInt64) throws -> Int64? {
        let key: Value = ["", .integer(Int64(bitPattern: token))]
        let record = try store.storage.record(key, in: store.shape("sync.payloads"))
        guard case .integer(let sequence)? = record?["sequence"] else { return nil }
        return sequence
    }

    /// Returns the last commits that have changed records and relationships, by token.
    package func all() throws -> [UInt64: Int64] {
        var marks: [UInt64: Int64] = [:]
        try store.storage.forEach(Query("sync.payloads", where: .comparison(path: "family", .equal, ""))) { record in
            if case .integer(let token) = record["number"], case .integer(let sequence) = record["sequence"] {
                marks[UInt64(bitPattern: token)] = sequence
            }
            return true
        }
        return marks
    }

    /// Returns the number of marks; nil if none are kept.
    package func count() throws -> Int? { try store.number(Self.countName).map { min(Int($0), Self.limit) } }

    /// Whether marks are kept for no other family than the given one.
    package func isOnlyFamily(_ family: String) throws -> Bool { try families().allSatisfy { $0 == family } }

    /// Returns the families with rows for which marks are kept.
    private func families() throws -> [String] {
        try store.metadata(Self.familiesName)?.split(separator: "\n").map(String.init) ?? []
    }

    /// Keeps marks from now on, for the rows of a family.
    package func keep(for family: String) throws {
        if try count() == nil { try metadata.set("0", for: Self.countName) }
        let families = try families()
        if families.contains(family) { return }
        try metadata.set((families + [family]).joined(separator: "\n"), for: Self.familiesName)
    }

    /// Marks what a commit has changed.
    ///
    /// - Parameters:
    ///   - sequence: The number of the commit.
    ///   - log: Has the touched records.
    ///   - entries: Has the changed entries of the journal.
    func add(_ log: ChangeLog, _ entries: TransactionJournal, in sequence: Int64) throws {
        guard var count = try count() else { return }
        var tokens: Set<UInt64> = []
        if let given = self.tokens {
            tokens.formUnion(given)
        } else {
            tokens = try entries.changedTokens()
            for change in log.touched {
                RecordToken.forEach(from: change.old, to: change.new) { tokens.insert($0) }
                if count + tokens.count > Self.limit { break }
            }
        }
        if tokens.isEmpty { return }
        let shape = try store.shape("sync.payloads")
        if count + tokens.count > Self.limit {
            try metadata.set("\(sequence - 1)", for: Self.horizonName)
            for token in try all().keys {
                _ = try store.storage.remove(["", .integer(Int64(bitPattern: token))], in: shape)
            }
            try metadata.set("0", for: Self.countName)
            return
        }
        for token in tokens.sorted() {
            let mark = Record(shape, slots: ["", .integer(Int64(bitPattern: token)), .integer(sequence), .null])
            if try store.storage.put(mark) == nil { count += 1 }
        }
        try metadata.set("\(count)", for: Self.countName)
    }
}
