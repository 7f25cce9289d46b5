public import DifferentialSync

/// Changes of records, links and metadata that are committed together.
///
/// ```swift
/// var changes = ChangeSet()
/// try changes.put(Record("User", in: schema, ["id": 7, "name": "Ada"]))
/// changes.update(RecordID("Post", 1), ["author": 7])
/// changes.delete(RecordID("Post", 2))
/// try await store.commit(changes)
/// ```
///
/// Changes are made in the order in which they were added. Rules of the schema for several records, such as that each
/// reference has a target, are checked at the end of the transaction.
public struct ChangeSet: Sendable, Hashable {
    /// The origin of the changes, which decides what the journal records.
    public var origin: Origin

    /// The changes in their order.
    public private(set) var operations: [Operation] = []

    /// Creates an empty change set.
    public init(origin: Origin = .local) {
        self.origin = origin
    }

    /// The origin of changes.
    public enum Origin: String, Hashable, Sendable, Codable {
        /// The changes were made on this device: the journal records them with the old images, for the next cycle.
        case local
        /// The changes come from the remote: records and shadow change, and nothing is sent back.
        ///
        /// A record with a local change keeps it. The remote's version is stored beside it for the next cycle. The same
        /// happens if a change would lose a local change of another record, or refers to a missing record; see
        /// ``Commit/heldBack``. The same holds for ``agreed``.
        case remote
        /// The changes are those that a cycle has agreed on: records and shadow change, regardless of the journal.
        ///
        /// Consequences for other records, of a delete rule for instance, are local changes.
        case agreed
    }

    /// A change.
    public enum Operation: Sendable, Hashable {
        /// Inserts or replaces a record.
        case put(Record)
        /// Changes some values of an existing record.
        case update(RecordID, [String: Value])
        /// Deletes a record if it exists.
        case delete(RecordID)
        /// Changes a record that must be as the change expects.
        case exact(Change<Record>)
        /// Links two records, at a place among those of an ordered relationship, or at the end.
        case link(RecordID, relationship: String, to: Value, at: Int?)
        /// Unlinks two records.
        case unlink(RecordID, relationship: String, from: Value)
        /// Links a record with these records alone, in this order.
        case setLinks(RecordID, relationship: String, to: [Value])
        /// Sets the shadow's version of a record, and the remote's if that differs.
        case setShadow(JournalEntry)
        /// Sets metadata under a name, or removes it for nil.
        case setMetadata(String, String?)
        /// Starts to keep a history of the last change of each record, or stops and removes it.
        case keepHistory(Bool)
        /// Removes deleted records from the history up to a number.
        case forgetHistory(through: Int64)
    }
}

extension ChangeSet {
    /// Whether there are no changes.
    public var isEmpty: Bool { operations.isEmpty }

    /// Adds a change.
    public mutating func add(_ operation: Operation) { operations.append(operation) }

    /// Inserts or replaces a record.
    ///
    /// All values of a replaced record are those of the new one, and it keeps its places in ordered relationships. A
    /// record of an entity without a primary key of its own gets a key from the store.
    public mutating func put(_ record: Record) { add(.put(record)) }

    /// Changes some values of an existing record.
    ///
    /// Committing throws ``PersistenceError`` if the record does not exist, if a name is unknown, or if a value changes
    /// the primary key.
    ///
    /// - Parameters:
    ///   - id: The record.
    ///   - values: The new values by the names of their attributes. Other values are kept.
    public mutating func update(_ id: RecordID, _ values: [String: Value]) { add(.update(id, values)) }

    /// Deletes a record if it exists.
    ///
    /// The delete rules of its relationships decide which records are deleted with it, and which references are
    /// cleared.
    public mutating func delete(_ id: RecordID) { add(.delete(id)) }

    /// Makes the changes of a diff in their order.
    ///
    /// Each record must be as the diff expects.
    ///
    /// - Complexity: O(number of changes)
    public mutating func apply(_ diff: Diff<Record>?) {
        for change in diff?.changes ?? [] { add(.exact(change)) }
    }

    /// Links two records, at a place among those of an ordered relationship, or at the end.
    ///
    /// Linked records stay linked once. The record at the other end of a relationship to one is unlinked from its
    /// former owner.
    ///
    /// - Parameters:
    ///   - id: The record.
    ///   - relationship: The relationship of that record.
    ///   - key: The key of the record to link with, which must exist.
    ///   - place: The position in the order, from 0; nil for the end. A position beyond the end is the end.
    public mutating func link(_ id: RecordID, _ relationship: String, to key: Value, at place: Int? = nil) {
        add(.link(id, relationship: relationship, to: key, at: place))
    }

    /// Unlinks two records.
    ///
    /// It changes nothing if they are not linked.
    ///
    /// - Parameters:
    ///   - id: The record.
    ///   - relationship: The relationship of that record.
    ///   - key: The key of the record at the other end.
    public mutating func unlink(_ id: RecordID, _ relationship: String, from key: Value) {
        add(.unlink(id, relationship: relationship, from: key))
    }

    /// Links a record with these records alone, in this order.
    ///
    /// Records that are linked and not listed are unlinked, not deleted.
    ///
    /// - Parameters:
    ///   - id: The record.
    ///   - relationship: The relationship of that record.
    ///   - keys: The keys of the records to link with; one at most for a relationship to one.
    public mutating func setLinks(_ id: RecordID, _ relationship: String, to keys: [Value]) {
        add(.setLinks(id, relationship: relationship, to: keys))
    }

    /// Sets metadata under a name, or removes it for nil.
    ///
    /// Metadata is stored in the transaction of the other changes, for example a cursor with the records that it
    /// belongs to.
    ///
    /// - Parameters:
    ///   - name: The name. Names that begin with `sync.` are the library's own, and are refused. Under names that begin
    ///     with `cycle.`, the library keeps the state of collections: do not set them.
    ///   - value: The text; nil to remove it.
    public mutating func setMetadata(_ name: String, _ value: String?) { add(.setMetadata(name, value)) }

    /// Starts to keep a history of the last change of each record, or stops and removes it.
    ///
    /// A new store keeps none. A store that serves devices needs it. Once it is kept, each existing record has a number
    /// in it, and each later change of a record gets the next number. The store also keeps a ``StoreFingerprint``.
    ///
    /// - Complexity: O(number of records) to start and to stop
    public mutating func keepHistory(_ isKept: Bool) { add(.keepHistory(isKept)) }

    /// Removes deleted records from the history up to a number.
    ///
    /// A device that has read the history only up to a smaller number must then compare all records.
    public mutating func forgetHistory(through sequence: Int64) { add(.forgetHistory(through: sequence)) }
}
