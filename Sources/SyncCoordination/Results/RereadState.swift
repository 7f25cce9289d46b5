import SyncPersistence

/// A value of the journal, which is read again after each commit.
struct RereadState<Output: Equatable & Sendable>: ObservedState {
    private let read: @Sendable (ReadTransaction) throws -> Output
    /// The value at the last reading; nil before the first.
    private var value: Output?

    /// Creates the state before the first reading.
    init(_ read: @escaping @Sendable (ReadTransaction) throws -> Output) {
        self.read = read
    }

    /// A commit does not show the journal.
    func receive(_ commit: Commit) -> Bool { true }

    /// Returns the value if it has changed; nil otherwise.
    mutating func update(in transaction: ReadTransaction, isPrepared: Bool) throws -> Output? {
        let former = value
        let value = try read(transaction)
        self.value = value
        return value == former ? nil : value
    }
}
