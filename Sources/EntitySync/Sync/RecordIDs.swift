public import SyncPersistence

/// The ids of records of one entity, each of which is made when it is asked for.
///
/// ```swift
/// let result = try await store.sync(data, into: "User")
/// result["User"].unchanged.count  // how many users are as they were
/// result["User"].unchanged.first  // such as User 7
/// ```
///
/// It is a collection as an array is; `Array(ids)` makes one of it.
public struct RecordIDs: RandomAccessCollection, Sendable {
    private let entity: String
    private let keys: KeyList

    init(_ entity: String = "", _ keys: KeyList = KeyList()) {
        self.entity = entity
        self.keys = keys
    }

    /// The position of the first id, which is 0.
    public var startIndex: Int { 0 }

    /// The position behind the last id, which is how many there are.
    public var endIndex: Int { keys.count }

    /// The id at a position. O(1), but for making the text of its key
    public subscript(position: Int) -> RecordID { RecordID(entity, keys[position]) }
}

extension RecordIDs: CustomStringConvertible {
    /// As that of an array of them.
    public var description: String { Array(self).description }
}
