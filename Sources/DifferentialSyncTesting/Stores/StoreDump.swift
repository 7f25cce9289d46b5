import DifferentialSync
public import SyncPersistence

/// The content of a store, which can be compared with that of another store or of another time.
///
/// It has the records of all entities, links, journal, history, metadata and the sequence number.
///
/// ```swift
/// let before = try await StoreDump(of: store)
/// _ = try? await store.commit(refused)
/// #expect(try await StoreDump(of: store) == before)
/// ```
public struct StoreDump: Sendable, Equatable {
    /// The records of each hierarchy in their order, by the name of its root; the journal, which has no order of its own,
    /// sorted by key.
    public let records: [String: [Record]]

    /// Creates a dump of records by the names of their roots.
    package init(records: [String: [Record]]) { self.records = records }

    /// Reads all that a store holds, in one transaction.
    ///
    /// - Complexity: O(size of the store)
    public init(of store: any PersistenceAdapter) async throws {
        self = try await store.read { try StoreDump(of: $0) }
    }

    /// Reads all that a store holds.
    ///
    /// - Complexity: O(size of the store)
    public init(of transaction: ReadTransaction) throws {
        var records: [String: [Record]] = [:]
        for root in transaction.schema.roots {
            records[root.name] = try transaction.records(Query(root.name))
            if case .journal? = root.role {
                records[root.name]?.sort { Value.areInIncreasingOrder($0.key, $1.key) }
            }
        }
        self.records = records
    }
}

extension StoreDump {
    /// Returns the differences, one in a line: the place, the content of this dump, and that of the other.
    public func differences(from other: StoreDump) -> [String] {
        Set(records.keys).union(other.records.keys).sorted().flatMap { name -> [String] in
            let (ours, theirs) = (records[name] ?? [], other.records[name] ?? [])
            if ours == theirs { return [] }
            let (known, others) = (StoreDump.byKey(ours), StoreDump.byKey(theirs))
            var differences: [String] = []
            for record in ours where others[record.key] != record {
                let their = others[record.key].map(StoreDump.text) ?? "nothing"
                differences.append("\(name): \(StoreDump.text(record)), and there \(their)")
            }
            for record in theirs where known[record.key] == nil {
                differences.append("\(name): nothing, and there \(StoreDump.text(record))")
            }
            return differences.isEmpty
                ? ["\(name): the order \(ours.map(\.key)), and there \(theirs.map(\.key))"] : differences
        }
    }

    private static func byKey(_ records: [Record]) -> [Value: Record] {
        Dictionary(records.map { ($0.key, $0) }) { first, _ in first }
    }

    package static func text(_ record: Record) -> String {
        let values = zip(record.shape.slots, record.values).map { "\($0.name): \($1)" }
        return "\(record.entity)(\(values.joined(separator: ", ")))"
    }
}

extension StoreDump: CustomStringConvertible {
    /// All records, one in a line.
    public var description: String {
        records.sorted { $0.key < $1.key }.flatMap { $0.value.map(StoreDump.text) }.joined(separator: "\n")
    }
}
