extension ListedRecord {
    /// Renames the entities of all listed records.
    ///
    /// - Parameters:
    ///   - storage: The store when its records have been converted.
    ///   - newName: Returns the new name of the root of a record's hierarchy; nil for a dropped record, which is removed
    ///     from its list.
    /// - Complexity: O(number of rows of metadata)
    static func rename(in storage: any RecordStorage, _ newName: (RecordID) -> String?) throws {
        for row in try storage.records(of: "sync.metadata") {
            guard case .string(let name) = row["name"], let listed = ListedRecord(name: name) else { continue }
            let entity = newName(listed.id)
            if entity == listed.id.entity { continue }
            _ = try storage.remove(row.key, in: row.shape)
            guard let entity else { continue }
            var renamed = row
            renamed["name"] = .string(ListedRecord(RecordID(entity, listed.id.key), in: listed.list).name)
            _ = try storage.put(renamed)
        }
    }
}
