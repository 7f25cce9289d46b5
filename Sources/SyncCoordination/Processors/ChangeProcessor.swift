public import SyncPersistence

/// Work that an app adds to the synchronization of a store, such as the upload of a photo's file.
///
/// The cycles of a coordinator send and receive all records, without any processor. A processor has a job of its own. It
/// states by a filter which records are its work, and is done with a record once that no longer matches. So the store
/// itself is the queue: work that a crash or a lost connection has interrupted resumes with the next start.
///
/// ```swift
/// struct PhotoUploader: ChangeProcessor {
///     let name = "photos"
///     let work: ProcessorWork? = ProcessorWork("Photo", where: Field("address").isNull, precedesSync: true)
///
///     func process(_ photos: [Record], in context: ProcessorContext) async throws -> [RecordID: ProcessorOutcome] {
///         var outcomes: [RecordID: ProcessorOutcome] = [:]
///         for photo in photos {
///             outcomes[photo.id] = .update(["address": .string(try await upload(photo))])
///         }
///         return outcomes
///     }
/// }
/// ```
///
/// A processor runs beside the cycles and the other processors. The order between two processors follows from their
/// filters: a record that one of them has changed becomes the work of the other.
public protocol ChangeProcessor: Sendable {
    /// The name, for events and logs.
    var name: String { get }

    /// The records to process; nil for a processor that only receives changes.
    var work: ProcessorWork? { get }

    /// Prepares the processor, such as by a subscription at a remote.
    ///
    /// It is called before anything else, once per coordinator, and again after an error.
    func setUp(in context: ProcessorContext) async throws

    /// Loads the first records into an empty store, besides those of the cycles.
    ///
    /// It is called after ``setUp(in:)`` if the store has no records then, and again after an error.
    func load(in context: ProcessorContext) async throws

    /// Processes records that match ``work``.
    ///
    /// The same records may be passed again after a crash. So a request that creates something needs a name that
    /// follows from the record, such as its key.
    ///
    /// - Parameters:
    ///   - records: At least one record. None of them is being processed already.
    ///   - context: The store and the remote.
    /// - Returns: The outcome of each record. A record without an outcome is passed again after a delay.
    /// - Throws: An error that concerns all records: they are passed again after a delay, by the kind of a
    ///   `RemoteError`.
    func process(_ records: [Record], in context: ProcessorContext) async throws -> [RecordID: ProcessorOutcome]

    /// Receives the changes that a cycle has stored for the remote, in the order of the commits.
    ///
    /// After an error they are passed again. They are never passed while records are processed.
    ///
    /// Some changes are never passed:
    ///
    /// - changes that were not received when the process ended
    /// - changes of a bounded run without a start
    /// - changes that are stored while the coordinator stops
    /// - changes of the oldest commits if more than 10,000 wait, because the processor processes records or fails;
    ///   ``SyncEvent/dropped(processor:count:)`` reports their number
    ///
    /// Use ``work`` for changes that must not be missed.
    func receive(_ changes: [Commit.RecordChange], in context: ProcessorContext) async throws
}

extension ChangeProcessor {
    /// No records.
    public var work: ProcessorWork? { nil }

    /// Does nothing.
    public func setUp(in context: ProcessorContext) async throws {}

    /// Does nothing.
    public func load(in context: ProcessorContext) async throws {}

    /// Does nothing.
    public func process(
        _ records: [Record], in context: ProcessorContext
    ) async throws -> [RecordID: ProcessorOutcome] { [:] }

    /// Does nothing.
    public func receive(_ changes: [Commit.RecordChange], in context: ProcessorContext) async throws {}
}

/// The store and the remote that a processor works with.
public struct ProcessorContext: Sendable {
    /// The store.
    public let store: any PersistenceAdapter

    /// The remote of the cycles.
    public let remote: any Remote
}

/// The result of processing a record.
///
/// A change is only made if the record is still as the processor has received it. A record that was edited meanwhile
/// keeps the edit, and is passed again if it still matches.
public enum ProcessorOutcome: Hashable, Sendable {
    /// The processor is done, and the record no longer matches.
    case done
    /// The processor is done, and the record gets these values.
    case update([String: Value])
    /// The processor is done, and the record is deleted.
    case delete
    /// The record is passed again later; if seconds are given, not before, even if it is edited.
    case later(after: Int? = nil)
    /// The record is passed again later, because it depends on another one.
    case blocked(by: RecordID)
    /// The record is passed again once it was edited.
    case refused(code: String, reason: String)
    /// The authorization was not accepted for the record.
    case unauthorized
}

/// The records that a processor processes.
public struct ProcessorWork: Hashable, Sendable {
    /// The entity of the records; those of inheriting entities are included.
    public var entity: String

    /// The condition that they match; nil for all.
    public var filter: Filter?

    /// Whether the cycles send a record only once it no longer matches.
    public var precedesSync: Bool

    /// Creates a description of records.
    ///
    /// - Parameters:
    ///   - entity: The entity of the records.
    ///   - filter: The condition; nil for all.
    ///   - precedesSync: Whether the cycles send a record only once it no longer matches.
    public init(_ entity: String, where filter: Filter? = nil, precedesSync: Bool = false) {
        self.entity = entity
        self.filter = filter
        self.precedesSync = precedesSync
    }
}

extension ProcessorWork {
    /// Whether a stored record matches.
    ///
    /// The store evaluates the filter, as it does for ``query(limit:)``.
    func matches(_ record: Record, in transaction: ReadTransaction) throws -> Bool {
        guard record.shape.inherits(entity) else { return false }
        guard let filter else { return true }
        let parts =
            if case .array(let parts) = record.key, record.shape.keySlots.count > 1 { parts } else { [record.key] }
        let key = zip(record.shape.keySlots, parts).map { slot, part in
            Filter.comparison(path: record.shape.slots[slot].name, .equal, part)
        }
        return try transaction.count(Query(entity, where: .and(key + [filter]))) > 0
    }

    /// Returns the query for the first matching records.
    func query(limit: Int) -> Query { Query(entity, where: filter, limit: limit) }
}
