import SyncPersistence

/// One step of a cycle: its transaction, and the state of the device, which it changes.
struct CycleTurn {
    let transaction: WriteTransaction

    /// The entities that both ends have, by the last handshake.
    private(set) var shapes: SyncedShapes

    /// The state of the device, with the changes of this step.
    var state: DeviceState

    /// The state that is stored.
    private var saved: DeviceState

    /// Reads the state for the first step of a cycle; a store without one becomes a new device.
    init(firstIn transaction: WriteTransaction, makeName: () -> String) throws {
        self.transaction = transaction
        shapes = SyncedShapes(transaction.schema, remote: nil)
        if let known = try DeviceState(in: transaction) {
            state = known
        } else {
            state = DeviceState(device: makeName())
            try state.store(in: transaction)
        }
        saved = state
    }

    /// Reads the state for a further step, unless another cycle has continued meanwhile.
    ///
    /// - Parameters:
    ///   - number: The ``number`` after the cycle's last step.
    ///   - transaction: The transaction of the step.
    ///   - remote: The response to the last handshake; nil before the first.
    init(after number: Int64, in transaction: WriteTransaction, _ remote: HandshakeResponse?) throws {
        guard let state = try DeviceState(in: transaction), state.turn == number else {
            throw PersistenceError(
                .cycleOvertaken, "another cycle of the store has continued meanwhile: let one run at a time")
        }
        (self.transaction, self.state, saved) = (transaction, state, state)
        shapes = SyncedShapes(transaction.schema, remote: remote?.entities)
    }

    /// The ``DeviceState/turn`` that is stored, by which a cycle notices others.
    var number: Int64 { saved.turn }

    /// Whether the state is stored with all changes of this step.
    var isSaved: Bool { state == saved }

    /// Continues with the entities that a handshake states.
    mutating func takeEntities(of response: HandshakeResponse) {
        shapes = SyncedShapes(transaction.schema, remote: response.entities)
    }

    /// Stores the state under the next number.
    mutating func save() throws {
        state.turn += 1
        try state.store(in: transaction)
        saved = state
    }

    /// Stores the state if this step has changed it.
    mutating func saveIfChanged() throws { if !isSaved { try save() } }
}
