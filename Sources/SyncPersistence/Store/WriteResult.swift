/// The commit of a write, and the result of its body.
///
/// ```swift
/// let written = try await store.write { transaction in
///     try transaction.apply(changes)
///     return try transaction.count(Query("Note"))
/// }
/// written.commit.inserted   // [Note 1]
/// written.result            // 1
/// ```
public struct WriteResult<Result> {
    /// The effective changes.
    public let commit: Commit

    /// What the body has returned.
    public let result: Result

    /// Creates the result of a write.
    public init(commit: Commit, result: Result) {
        self.commit = commit
        self.result = result
    }
}

extension WriteResult: Sendable where Result: Sendable {}
