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
