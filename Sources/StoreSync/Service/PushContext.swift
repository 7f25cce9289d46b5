import SyncPersistence

/// What the mutations of a push are checked against.
struct PushContext {
    let transaction: WriteTransaction
    let device: String
    let scope: ScopeView
    let limits: SyncLimits
    /// The number of the last change that the device knew when it made the push.
    private let base: Int64
    private let review: Review
    /// Whether no other writer has changed a record since the version that the push is based on.
    private let isCurrent: Bool

    init(
        _ request: PushRequest, of session: ServiceSession, _ limits: SyncLimits, _ review: Review,
        in transaction: WriteTransaction
    ) throws {
        (self.limits, self.review, self.transaction) = (limits, review, transaction)
        (device, base, scope) = (request.device, request.base.sequence, session.scope)
        let (device, base) = (request.device, request.base.sequence)
        isCurrent = try base >= session.sequence || transaction.hasMadeAllChanges(device, after: base)
    }

    var schema: Schema { transaction.schema }

    /// Whether another writer has changed a record after the base of the push.
    func isChangedByOthers(_ id: RecordID) throws -> Bool {
        if isCurrent { return false }
        guard let last = try transaction.lastChange(of: id) else { return false }
        return last.sequence > base && last.writer != device
    }

    /// Returns the review's verdict on a change.
    func verdict(
        on mutation: Mutation, _ old: Record?, _ new: Record?, isConsequence: Bool = false
    ) -> Review.Verdict {
        if review.acceptsAll { return .accept }
        return review.verdict(
            on: Review.Change(
                device: device, mutation: mutation, old: old, new: new, isConsequence: isConsequence),
            in: transaction)
    }
}
