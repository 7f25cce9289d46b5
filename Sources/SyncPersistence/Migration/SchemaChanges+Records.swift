extension SchemaChanges {
    /// Checks that the records of a store allow the changes.
    ///
    /// - Parameter storage: The store before the changes, under the older schema.
    /// - Throws: ``PersistenceError`` with all conditions that do not hold.
    /// - Complexity: O(number of records of the shapes with conditions), at worst
    package func check(_ storage: any RecordStorage) throws {
        var messages: [String] = []
        for condition in conditions {
            var isBroken = false
            try storage.forEach(
                Query(condition.shape.name, where: condition.slot.map { .isNull(path: $0) })
            ) { record in
                // Heirs may have weaker requirements. In a journal, only images of the shadow count.
                isBroken =
                    record.shape.name == condition.shape.name
                    && (record.shape.role == nil || record["sync.isInShadow"] == true)
                return !isBroken
            }
            if isBroken { messages.append(condition.message) }
        }
        if !messages.isEmpty { throw SchemaChanges.refusal(messages) }
    }

    /// Converts a record of the older schema.
    ///
    /// It keeps its values under the newer schema, and new slots have their defaults.
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
