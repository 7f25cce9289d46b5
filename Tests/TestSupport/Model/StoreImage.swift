import DifferentialSyncTesting
package import DifferentialSync
package import SyncPersistence

/// The contents of a store or of a model, independent of how they are stored.
package struct StoreImage: Equatable, Sendable {
    /// The records and links of each hierarchy in insertion order, by the name of its root.
    package var records: [String: [Record]] = [:]
    /// The journal entries, under the names of the roots.
    package var journal: Set<JournalEntry> = []
    /// The records in the history, present and deleted ones.
    package var history: Set<RecordID> = []
    /// The fingerprint that is kept.
    package var fingerprint: StoreFingerprint?
    /// The metadata by name, including the sequence number.
    package var metadata: [String: String] = [:]

    /// Creates an empty image.
    package init() {}

    /// Reads the image of a store.
    ///
    /// - Complexity: O(size of the store)
    package init(of transaction: ReadTransaction) throws {
        fingerprint = try transaction.fingerprint()
        for root in transaction.schema.roots {
            switch root.role {
            case nil, .links:
                records[root.name] = try transaction.records(Query(root.name))
                // The journal may name a descendant; the image always names the root.
                for entry in try transaction.journal(of: root.name) {
                    journal.insert(
                        JournalEntry(
                            id: RecordID(root.name, entry.id.key), base: entry.base, isUnresolved: entry.isUnresolved,
                            remote: entry.remote))
                }
            case .metadata:
                for record in try transaction.records(Query(root.name)) {
                    guard case .string(let name) = record["name"], case .string(let value) = record["value"] else {
                        continue
                    }
                    // The index of waiting records and the text of a fingerprint are implementation details.
                    if !name.hasPrefix("sync.awaited"), name != "sync.history.fingerprint" { metadata[name] = value }
                }
            case .history: history = Set(try transaction.history(after: 0, limit: .max).map(\.id))
            case .journal, .payloads, .inFlight: break
            }
        }
    }

    /// Returns the differences as lines.
    ///
    /// `here` marks what only this image has, `there` what only the other has.
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
            let state = entry.isUnresolved ? "unresolved, remote \(images[1])" : "resolved"
            return "\(entry.id), base \(images[0]), \(state)"
        }
        compare("history", history, other.history) { "\($0)" }
        if fingerprint != other.fingerprint { lines.append("another fingerprint") }
        if metadata != other.metadata { lines.append("metadata: here \(metadata), there \(other.metadata)") }
        return lines
    }
}

/// The outcome of a change set.
package enum StoreOutcome: Equatable, Sendable {
    /// The change set was committed, with these net changes.
    case committed(changes: Set<Change<Record>>, heldBack: Set<RecordID>, metadata: Set<String>, sequence: Int64)
    /// The change set was refused with an error.
    case refused(PersistenceError.Code)

    /// Creates the outcome of a commit.
    package init(_ commit: Commit) {
        self = .committed(
            changes: Set(commit.changes.compactMap(\.change)), heldBack: Set(commit.heldBack),
            metadata: Set(commit.metadata), sequence: commit.sequence)
    }
}
