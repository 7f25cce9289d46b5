/// The progress of storing a step.
public struct CycleProgress: Hashable, Sendable {
    /// The number of stored changes.
    public let completed: Int

    /// The number of all changes.
    public let total: Int

    /// The completed fraction, from 0 to 1.
    public var fraction: Double { total == 0 ? 1 : Double(completed) / Double(total) }
}

/// The progress report and the cancellation of a step while it is stored.
struct CycleMonitor: Sendable {
    /// Called after each part.
    let progress: (@Sendable (CycleProgress) -> Void)?

    /// Whether the task of the cycle has been cancelled.
    let isCancelled = Locked(false)

    /// The number of changes between two checks for cancellation.
    private static let chunkSize = 1_000

    /// Applies changes within a transaction, part by part.
    ///
    /// - Throws: `CancellationError` between two parts if the task has been cancelled. The transaction is then rolled
    ///   back.
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
