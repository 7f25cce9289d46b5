public import DifferentialSync

/// Changes that belong together: records, links and metadata, in one commit.
///
/// ```swift
/// var changes = ChangeSet()
/// changes.put(Record(schema["User"]!, ["id": 7, "name": "Ada"]))
/// changes.update(RecordID("Post", 1), ["author": 7])
/// changes.delete(RecordID("Post", 2))
/// try await store.commit(changes)
/// ```
///
/// Changes are made in the order in which they were added. What the schema asks of the whole, such as that nobody names
/// a record that is not there, is checked at the end of the transaction.
public struct ChangeSet: Sendable, Hashable {
    /// Where the changes come from, which says what the journal notes of them.
    public var origin: Origin

    /// The changes, in order.
    public private(set) var operations: [Operation] = []

    /// No changes yet.
    public init(origin: Origin = .local) {
        self.origin = origin
    }

    /// Where changes come from.
    public enum Origin: String, Hashable, Sendable, Codable {
        /// They were made here: the journal notes them, and keeps the old images, for the next cycle.
        case local
        /// They were made at the remote, and come from there: records and shadow change, and nothing is sent back. A
        /// record with a local change keeps it; what the remote holds is noted beside it, for the next cycle.
        ///
        /// A change is also only noted if it would lose a local change of another record, or if it names a record that is
        /// not there; see ``Commit/heldBack``. The same holds for ``agreed``.
        case remote
        /// They are what a cycle has agreed on: records and shadow change, whatever was noted of them before. What follows
        /// for other records, by a delete rule for instance, is a local change.
        case agreed
    }

    /// One change.
    public enum Operation: Sendable, Hashable {
        /// Store a record, whether it is new or not.
        case put(Record)
        /// Change some values of a record that is there.
        case update(RecordID, [String: Value])
        /// Delete a record, if it is there.
        case delete(RecordID)
        /// Make a change to a record that is as the change expects.
        case exact(Change<Record>)
        /// Connect two records, at a place among those of an ordered relationship, or at the end.
        case link(RecordID, relationship: String, to: Value, at: Int?)
        /// Separate two records.
        case unlink(RecordID, relationship: String, from: Value)
        /// Connect a record with these and no others, in this order.
        case setLinks(RecordID, relationship: String, to: [Value])
        /// Note what the shadow holds of a record, and what the remote holds if that is something else.
        case setShadow(JournalEntry)
        /// Note something by name, or forget it where it is nil.
        case setMetadata(String, String?)
        /// Keep a tombstone of each record that is deleted from now on, or keep none and forget those that there are.
        ///
        /// A new store keeps none. One that serves other devices needs them, to report what was deleted.
        case keepTombstones(Bool)
        /// Forget the deletions up to a sequence number.
        case forgetTombstones(through: Int64)
    }
}

extension ChangeSet {
    /// Whether there are no changes.
    public var isEmpty: Bool { operations.isEmpty }

    /// Adds a change.
    public mutating func add(_ operation: Operation) { operations.append(operation) }

    /// Stores a record, whether it is new or not.
    public mutating func put(_ record: Record) { add(.put(record)) }

    /// Changes some values of a record that is there.
    public mutating func update(_ id: RecordID, _ values: [String: Value]) { add(.update(id, values)) }

    /// Deletes a record, if it is there.
    public mutating func delete(_ id: RecordID) { add(.delete(id)) }

    /// Makes the changes of a diff, in its order, each on a record that is as the diff expects.
    ///
    /// - Complexity: O(number of changes)
    public mutating func apply(_ diff: Diff<Record>?) {
        for change in diff?.changes ?? [] { add(.exact(change)) }
    }

    /// Connects two records, at a place among those of an ordered relationship, or at the end.
    public mutating func link(_ id: RecordID, _ relationship: String, to key: Value, at place: Int? = nil) {
        add(.link(id, relationship: relationship, to: key, at: place))
    }

    /// Separates two records.
    public mutating func unlink(_ id: RecordID, _ relationship: String, from key: Value) {
        add(.unlink(id, relationship: relationship, from: key))
    }

    /// Connects a record with these and no others, in this order.
    public mutating func setLinks(_ id: RecordID, _ relationship: String, to keys: [Value]) {
        add(.setLinks(id, relationship: relationship, to: keys))
    }

    /// Notes something by name, or forgets it where it is nil.
    public mutating func setMetadata(_ name: String, _ value: String?) { add(.setMetadata(name, value)) }
}
