import SyncPersistence

extension WriteTransaction {
    /// Gives a new local record with a counted key another key, because a record of the remote has or had the present
    /// one.
    ///
    /// The records that refer to it are changed with it, and it keeps its values without a slot here.
    ///
    /// - Parameters:
    ///   - record: A record that the remote has never had.
    ///   - device: The identifier of the device.
    /// - Returns: The record with its new key.
    @discardableResult
    func giveOtherKey(to record: Record, device: String) throws -> Record {
        let renamed = try changeKey(of: record.id, to: freeKey(of: record, device: device))
        try KeptAttributes.move(from: record.rootID, to: renamed.rootID, in: self)
        return renamed
    }

    /// Returns a key that no record of the store has, and hardly one of another device.
    private func freeKey(of record: Record, device: String) throws -> Value {
        var digest = ContentDigest(seed: 0)
        digest.combine(device)
        digest.combine(record.shape.root)
        digest.combine("\(record.key)")
        while true {
            // Few enough digits that every reader of JSON keeps them.
            let key = Value.integer(Int64(1 << 40 + digest.finalize() >> 12))
            let id = RecordID(record.shape.root, key)
            if try self.record(id) == nil && journalEntry(id) == nil { return key }
            digest.combine("again")
        }
    }
}
