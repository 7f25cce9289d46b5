import DifferentialSyncTesting
package import DifferentialSync
package import SyncPersistence

/// What a store or a model of one holds, without regard to how it is stored.
package struct StoreImage: Equatable, Sendable {
    /// The records and links of each hierarchy in their order, by the name of its root.
    package var records: [String: [Record]] = [:]
    /// What has changed since the shadow, under the names of the roots.
    package var journal: Set<JournalEntry> = []
    /// What has been deleted, and the number of the commit that did it.
    package var tombstones: [RecordID: Int64] = [:]
    /// All that is noted by name, the sequence number among it.
    package var metadata: [String: String] = [:]

    /// Of nothing.
    package init() {}

    /// Of what a transaction reads.
    package init(of transaction: ReadTransaction) throws {
        for root in transaction.schema.roots {
            switch root.role {
            case nil, .links:
                records[root.name] = try transaction.records(Query(root.name))
                // Under the name of the root, whatever name the record was called by.
                for entry in try transaction.journal(of: root.name) {
                    journal.insert(
                        JournalEntry(
                            id: RecordID(root.name, entry.id.key), base: entry.base, isUnsettled: entry.isUnsettled,
                            remote: entry.remote))
                }
            case .metadata:
                for record in try transaction.records(Query(root.name)) {
                    guard case .string(let name) = record["name"], case .string(let value) = record["value"] else {
                        continue
                    }
                    // Where to look for what waits is no part of what a store means.
                    if !name.hasPrefix("sync.awaited") { metadata[name] = value }
                }
            case .tombstones:
                for record in try transaction.records(Query(root.name)) {
                    guard case .string(let entity) = record["entity"], case .string(let key) = record["key"],
                        case .integer(let sequence) = record["sequence"]
                    else { continue }
                    tombstones[RecordID(entity, try Value(taggedJSON: key))] = sequence
                }
            case .journal, .payloads, .inFlight: break
            }
        }
    }

    /// What differs, one difference in a line: what stands only here, and what only there.
    package func differences(from other: StoreImage) -> [String] {
        var lines = StoreDump(records: records).differences(from: StoreDump(records: other.records))
        func compare<Element: Hashable>(
            _ name: String, _ ours: Set<Element>, _ theirs: Set<Element>, _ text: (Element) -> String
        ) {
            lines += ours.subtracting(theirs).map { "\(name): here \(text($0))" }
            lines += theirs.subtracting(ours).map { "\(name): there \(text($0))" }
        }
        compare("journal", journal, other.journal) { entry in
            let images = [entry.base, entry.remote].map { $0.map(StoreDump.text) ?? "nothing" }
            return "\(entry.id), base \(images[0]), \(entry.isUnsettled ? "unsettled, remote \(images[1])" : "settled")"
        }
        if tombstones != other.tombstones { lines.append("tombstones: here \(tombstones), there \(other.tombstones)") }
        if metadata != other.metadata { lines.append("metadata: here \(metadata), there \(other.metadata)") }
        return lines
    }
}

/// What a change set has come to.
package enum StoreOutcome: Equatable, Sendable {
    /// It was committed, with these net changes.
    case committed(changes: Set<Change<Record>>, heldBack: Set<RecordID>, metadata: Set<String>, sequence: Int64)
    /// It was refused.
    case refused(PersistenceError.Code)

    package init(_ commit: Commit) {
        self = .committed(
            changes: Set(commit.changes.compactMap(\.change)), heldBack: Set(commit.heldBack),
            metadata: Set(commit.metadata), sequence: commit.sequence)
    }
}
