/// The metadata that a transaction changes, and the number of its commit.
final class MetadataLog {
    /// The names of the metadata that the change sets have set.
    private(set) var names: [String] = []

    /// Whether the library's own data was written, which makes a commit without changed records.
    private(set) var hasInternalChanges = false

    /// The number of the last commit; nil until it is read.
    private var knownSequence: Int64?
    /// Reads what is stored.
    private let store: ReadTransaction

    /// Creates the log of a transaction.
    ///
    /// - Parameter store: Reads what is stored.
    init(of store: ReadTransaction) {
        self.store = store
    }

    /// Sets metadata under a name, or removes it for nil; returns whether that changes anything.
    @discardableResult
    func set(_ value: String?, for name: String) throws -> Bool {
        let hasChanged = try setUncounted(value, for: name)
        if hasChanged { hasInternalChanges = true }
        return hasChanged
    }

    /// Sets metadata under a name without counting it as a change of the store; returns whether that changes anything.
    @discardableResult
    func setUncounted(_ value: String?, for name: String) throws -> Bool {
        let shape = try store.shape("sync.metadata")
        guard let value else { return try store.storage.remove(.string(name), in: shape) != nil }
        let record = Record(shape, slots: [.string(name), .string(value)])
        return try store.storage.put(record) != record
    }

    /// Sets the metadata of a change set.
    func setPublic(_ value: String?, for name: String) throws {
        guard !name.hasPrefix("sync.") else {
            throw PersistenceError(
                .unknownName, "the name '\(name)' is the library's own: choose one without 'sync.'")
        }
        if try set(value, for: name) { names.append(name) }
    }

    /// Records that the library's own data was written.
    func setHasInternalChanges() { hasInternalChanges = true }

    /// Returns the number of the commit if anything changes.
    func nextSequence() throws -> Int64 {
        if let knownSequence { return knownSequence + 1 }
        let sequence = try store.sequence
        if sequence == .max {
            throw PersistenceError(
                .unreadable, "the number of the last commit is the greatest: \(PersistenceError.damageRemedy)",
                id: RecordID("sync.metadata", "sync.sequence"))
        }
        knownSequence = sequence
        return sequence + 1
    }
}
