/// A record in a list that the synchronization of a store keeps, such as the list of refused records.
///
/// Each record of a list has a text in the store's metadata. The name of the metadata contains the list and the record.
package struct ListedRecord {
    /// The prefix of the names of all lists.
    private static let prefix = "sync.store."

    /// The name of the list.
    let list: String

    /// The record, under the name of its hierarchy's root.
    package let id: RecordID

    /// Creates a record of a list.
    package init(_ id: RecordID, in list: String) { (self.id, self.list) = (id, list) }

    /// Creates a record from the name of its metadata; nil for other metadata.
    package init?(name: String) {
        guard name.hasPrefix(Self.prefix) else { return nil }
        let parts = name.dropFirst(Self.prefix.count).split(separator: ".", maxSplits: 1)
        guard parts.count == 2, case .array(let values)? = try? Value(taggedJSON: String(parts[1])),
            values.count == 2, case .string(let entity) = values[0]
        else { return nil }
        (id, list) = (RecordID(entity, values[1]), String(parts[0]))
    }

    /// Returns the prefix of the names of a list's metadata.
    package static func prefix(of list: String) -> String { "\(prefix)\(list)." }

    /// The name of the metadata.
    package var name: String { Self.prefix(of: list) + Value.array([.string(id.entity), id.key]).taggedJSON }
}
