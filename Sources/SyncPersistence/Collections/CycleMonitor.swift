/// How far the storing of a step has come.
public struct CycleProgress: Hashable, Sendable {
    /// How many changes have been stored.
    public let completed: Int

    /// How many there are.
    public let total: Int

    /// The part that is done, from 0 to 1.
    public var fraction: Double { total == 0 ? 1 : Double(completed) / Double(total) }
}

/// What watches a step while it is stored.
struct CycleMonitor: Sendable {
    /// Called after each part.
    let progress: (@Sendable (CycleProgress) -> Void)?

    /// Whether the task of the cycle has been cancelled.
    let isCancelled = Locked(false)

    /// How many changes are stored between two looks.
    private static let chunkSize = 1_000

    /// Makes changes within a transaction, part by part.
    ///
    /// - Throws: `CancellationError` between two parts if the task has been cancelled; the transaction is rolled back
    ///   then.
    func apply(_ changes: ChangeSet, in transaction: WriteTransaction) throws {
        let operations = changes.operations
        var completed = 0
        while completed < operations.count {
            if isCancelled.current { throw CancellationError() }
            var part = ChangeSet(origin: changes.origin)
            let end = min(completed + Self.chunkSize, operations.count)
            for operation in operations[completed..<end] { part.add(operation) }
            try transaction.apply(part)
            completed = end
            progress?(CycleProgress(completed: completed, total: operations.count))
        }
    }
}
