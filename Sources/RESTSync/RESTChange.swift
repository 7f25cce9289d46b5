public import SyncPersistence

/// A change of one record or link that a server receives.
///
/// Most REST servers expect these requests:
///
/// | ``kind`` | of a record | of a link |
/// |---|---|---|
/// | ``Kind/insertion`` | `POST /todos` with ``object`` | `PUT /todos/1/tags/2` |
/// | ``Kind/update`` | `PATCH /todos/1` with ``changes`` | none: links have no values |
/// | ``Kind/deletion`` | `DELETE /todos/1` | `DELETE /todos/1/tags/2` |
public struct RESTChange: Hashable, Sendable {
    /// The kind of the change.
    public let kind: Kind

    /// The record; for a link, the record that the link is sent with.
    public let record: RecordID

    /// The link between ``record`` and another record; nil if the record itself changes.
    public let link: Link?

    /// The whole record as JSON after the change; for a deleted record, before it.
    ///
    /// Relationships whose links are sent with other records are omitted, such as the to-dos of a list, unless the
    /// `properties` of the remote's export options name them.
    ///
    /// A to-one relationship is null if the change has removed its link, except in the style `nested`. Another one
    /// without a target is omitted, unless the remote's export options have `writesNullTargets`. The server may know a
    /// target that was never fetched.
    public let object: Value

    /// The changed properties as JSON; all of them for an insertion, and none for a deletion or a link.
    ///
    /// A to-one relationship whose link was removed is null, except in the style `nested`.
    public let changes: Value

    /// A name of the change that is the same at each attempt.
    ///
    /// The server receives it as an idempotency key, such as the header `Idempotency-Key`.
    public let name: String

    /// The number of the attempt; 1 for the first.
    ///
    /// From the second attempt on, the server may have stored the change.
    public let attempt: Int

    /// The kinds of changes.
    public enum Kind: Hashable, Sendable {
        /// The record or link is new.
        case insertion
        /// The record has new values.
        case update
        /// The record or link was deleted.
        case deletion
    }

    /// A link of a relationship that is many-to-many.
    public struct Link: Hashable, Sendable {
        /// The relationship, such as `ToDo.tags`.
        public let relationship: String

        /// The record at the other end.
        public let target: RecordID
    }
}

/// A server's answer to a change.
public enum RESTAnswer: Hashable, Sendable {
    /// The server has stored the change.
    ///
    /// The object is the record as the server has stored it; null if the server returns nothing. Its key may be one
    /// that the server has given to a new record. For a link, it is the record that the link was sent with.
    case accepted(Value = .null)
    /// The server has not stored the change, because someone else has changed the record.
    case conflict
    /// The server no longer has the record.
    ///
    /// For a link, the server lacks one of its ends. For a new record, it lacks a record that the new one refers to.
    case deleted
    /// The server will never accept the change.
    case refused(code: String, reason: String)
    /// The account may not make the change.
    case unauthorized
    /// The server has not stored the change, and may accept it later, in so many seconds if they are given.
    case later(after: Int? = nil)
}
