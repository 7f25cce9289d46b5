extension SchemaChanges {
    /// Checks that the records of a store allow for the changes.
    ///
    /// - Parameter storage: The store as it was, under the older schema.
    /// - Throws: ``PersistenceError`` that names all conditions that do not hold.
    /// - Complexity: O(number of records of the shapes that there are conditions for), at worst
    package func check(_ storage: any RecordStorage) throws {
        var messages: [String] = []
        for condition in conditions {
            var isBroken = false
            try storage.forEach(
                Query(condition.shape.name, where: condition.slot.map { .isNull(path: $0) })
            ) { record in
                // Heirs may be asked for less. Of the journal, it is the shadow's image that counts.
                isBroken =
                    record.shape.name == condition.shape.name
                    && (record.shape.role == nil || record["sync.isInShadow"] == true)
                return !isBroken
            }
            if isBroken { messages.append(condition.message) }
        }
        if !messages.isEmpty { throw SchemaChanges.refusal(messages) }
    }

    /// What becomes of a record of the older schema: its values under the newer one, and defaults for what is new.
    ///
    /// - Complexity: O(number of slots)
    package func converted(_ record: Record) -> Record {
        guard let conversion = conversions[record.shape.name] else { return record }
        return Record(
            conversion.shape,
            slots: zip(conversion.shape.slots, conversion.positions).map { slot, position in
                position.map { record.values[$0] } ?? slot.defaultValue
            })
    }
}
