/// A record of a push of the whole store that was sent and has no response yet.
package struct RecordInFlight {
    /// The record, under the name of its hierarchy's root.
    package let id: RecordID

    /// The sent image if the record has changed since; nil if it is unchanged.
    let image: SentRecord.Image?

    /// Whether the present version is the sent one.
    package var isUnchanged: Bool { image == nil }
}

extension ReadTransaction {
    /// Returns the records of a push of the whole store that was sent and not answered, in their order.
    ///
    /// - Complexity: O(size of the push)
    package func recordsInFlight() throws -> [RecordInFlight] {
        var lists: [SentKeys] = []
        var others: [RecordID] = []
        var images: [RecordID: SentRecord.Image?] = [:]
        for row in try records(Query(Shape.inFlightName)) {
            if let list = try SentKeys(row) {
                lists.append(list)
            } else {
                let sent = try SentRecord(row, schema: schema)
                let id = RecordID(sent.entity, sent.key)
                images[id] = .some(sent.image)
                others.append(id)
            }
        }
        var result: [RecordInFlight] = []
        for list in lists {
            for key in list.keys {
                let id = RecordID(list.entity, key)
                let image = images.isEmpty ? nil : images.removeValue(forKey: id)
                result.append(RecordInFlight(id: id, image: image ?? nil))
            }
        }
        for id in others {
            if let image = images[id] { result.append(RecordInFlight(id: id, image: image)) }
        }
        return result
    }

    /// Returns the sent version of a record in flight; nil for a deletion.
    package func sentVersion(of sent: RecordInFlight) throws -> Record? {
        if let image = sent.image { return image.record }
        return try record(sent.id)
    }

    /// Whether the present version of a record was sent with a push of the whole store that has no response yet.
    ///
    /// - Parameter known: The keys in the push that earlier calls within the transaction have read, by hierarchies.
    /// - Complexity: O(size of the push) for the first record of a hierarchy, then O(1)
    package func isInFlight(_ id: RecordID, known: inout [String: Set<Value>]) throws -> Bool {
        let id = RecordID(try shape(id.entity).root, id.key)
        guard let row = try storage.record(SentRecord.key(id.key, of: id.entity), in: shape(Shape.inFlightName)) else {
            let keys = try known[id.entity] ?? sentKeys(of: id.entity)
            known[id.entity] = keys
            return keys.contains(id.key)
        }
        return try SentRecord(row, schema: schema).image.map { try $0.record == record(id) } ?? true
    }

    /// Returns the keys in the lists of a hierarchy.
    func sentKeys(of entity: String) throws -> Set<Value> {
        var keys: Set<Value> = []
        for row in try records(SentKeys.query(entity)) { keys.formUnion(try SentKeys(row)?.keys ?? []) }
        return keys
    }
}
