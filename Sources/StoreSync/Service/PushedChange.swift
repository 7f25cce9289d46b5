import SyncPersistence

/// A mutation of a push, with the versions of its record and the outcome so far.
struct PushedChange {
    /// The mutation as it was sent.
    let mutation: Mutation

    /// The record, under the name of its hierarchy's root and with the key that it has or gets here.
    var id: RecordID

    /// The record before the push; nil if there is none.
    var old: Record?

    /// The record as the device has it after the mutation; nil for a deletion.
    var sent: Record?

    /// The record to be stored; nil for a deletion.
    var new: Record?

    /// The key that the review has given to a new record.
    var key: Value?

    /// Why the mutation is not made; nil as long as it is accepted.
    var outcome: PushResponse.Outcome?

    init(_ mutation: Mutation) {
        self.mutation = mutation
        id = mutation.id
    }

    var isAccepted: Bool { outcome == nil }

    var isDeletion: Bool { mutation.change == .delete }

    /// Whether the mutation is accepted, and changes the record.
    var isEffective: Bool { isAccepted && old != new }
}

/// What the mutations of a push are checked against.
struct PushContext {
    let transaction: WriteTransaction
    let device: String
    let scope: ScopeView
    let limits: SyncLimits
    /// The number of the last change that the device knew when it made the push.
    private let base: Int64
    private let review: Review
    /// Whether nobody else has changed anything after the base of the push.
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

extension PushResponse.Outcome {
    /// Refuses a record for an error of the schema.
    static func refused(_ error: PersistenceError) -> PushResponse.Outcome {
        .refused(code: error.code.description, reason: error.description)
    }

    /// Refuses a record for a kind of error.
    static func refused(_ code: PersistenceError.Code, _ reason: String) -> PushResponse.Outcome {
        .refused(code: code.description, reason: reason)
    }
}
