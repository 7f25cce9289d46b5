public import SyncPersistence

/// Decides which changes of devices a service accepts, and amends them.
///
/// One function authorizes, validates and amends. It is called for each changed record and link of a push:
///
/// ```swift
/// let review = Review { change, store in
///     guard let todo = change.new, todo.entity == "ToDo" else { return .accept }
///     if change.old?["isLocked"] == true { return .unauthorized }
///     if todo["title"] == "" { return .refuse(code: "title", reason: "A to-do needs a title.") }
///     return .amend(["title": trimmed(todo["title"])])
/// }
/// ```
///
/// A service value with the review of one user is made for each request, so the review knows whose request it is.
public struct Review: Sendable {
    private let body: @Sendable (Change, ReadTransaction) throws -> Verdict

    /// A review that accepts everything.
    public static let acceptAll = Review(acceptsAll: true) { _, _ in .accept }

    /// Whether the verdict on each change is to accept it.
    let acceptsAll: Bool

    private init(
        acceptsAll: Bool, _ body: @escaping @Sendable (_ change: Change, _ store: ReadTransaction) throws -> Verdict
    ) {
        (self.acceptsAll, self.body) = (acceptsAll, body)
    }

    /// Creates a review.
    ///
    /// - Parameter body: Returns the verdict on a change. It may read from the transaction, and must not change it. No
    ///   change of the push is stored yet, unless a deletion has the change as its consequence. The device sends the
    ///   change again later if the body throws. It may be called for a change that is not stored in the end.
    public init(_ body: @escaping @Sendable (_ change: Change, _ store: ReadTransaction) throws -> Verdict) {
        self.init(acceptsAll: false, body)
    }

    /// A change of one record or link that a device asks for.
    public struct Change: Sendable {
        /// The identifier of the device.
        public let device: String

        /// The mutation that the device has sent.
        public let mutation: Mutation

        /// The record as it is stored; nil if there is none.
        public let old: Record?

        /// The record as it would be stored; nil for a deletion.
        public let new: Record?

        /// Whether the change is a consequence of the mutation for another record, by a delete rule for instance.
        ///
        /// Its verdict holds for the whole mutation. A consequence cannot be amended.
        public let isConsequence: Bool
    }

    /// What a service does with a change.
    public enum Verdict: Hashable, Sendable {
        /// Stores the change.
        case accept
        /// Stores the change with other values by name, and a new record under another key if one is given.
        ///
        /// The device receives values and key with the response. References to the record in the same push are changed
        /// too.
        case amend([String: Value] = [:], key: Value? = nil)
        /// Refuses the change for good.
        case refuse(code: String, reason: String)
        /// Refuses the change, because the user may not make it.
        case unauthorized
        /// Refuses the change for now; the device tries again, after so many seconds if they are given.
        case later(after: Int? = nil)
    }

    /// Returns the verdict on a change; `later` if the app's closure throws, so that the device sends the change
    /// again.
    func verdict(on change: Change, in store: ReadTransaction) -> Verdict {
        do { return try body(change, store) } catch { return .later() }
    }
}

extension Review.Verdict {
    /// The outcome of a mutation that the verdict stops; nil if it is accepted.
    var outcome: PushResponse.Outcome? {
        switch self {
        case .accept, .amend: nil
        case .refuse(let code, let reason): .refused(code: code, reason: reason)
        case .unauthorized: .unauthorized
        case .later(let seconds): .later(after: seconds.map { max($0, 0) })
        }
    }
}
