public import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How a payload is synced.
///
/// ```swift
/// var options = SyncOptions()
/// options.isStrict = true
/// options.transformers["trimmed"] = AttributeTransformer { value in … }
/// try await store.sync(data, into: "User", options: options)
/// ```
public struct SyncOptions: Sendable {
    /// Whether the first thing that cannot be used makes the sync fail, and nothing is stored.
    public var isStrict = false

    /// Where the changes come from.
    ///
    /// What comes from a remote, as it is by default, is not sent back; and a record with a change that was made here
    /// and not sent yet keeps that: what has come is noted beside it, and listed in ``SyncResult/heldBack``.
    public var origin = ChangeSet.Origin.remote

    /// What makes values of a remote's, by the names that attributes have for it.
    public var transformers: [String: AttributeTransformer] = [:]

    /// Gives an object before it becomes a new record, with the name of the entity and the record that it stands in;
    /// what is returned is stored in its place. What identifies the object is taken from it before.
    public var willInsert: (@Sendable (ValueObject, _ entity: String, _ parent: RecordID?) throws -> ValueObject)?

    /// Whether links to records that are not there wait for them to come with a later payload.
    public var keepsPendingLinks = false

    /// How JSON text is read.
    public var json = JSONOptions()

    /// The folder of the temporary file in which a stream is kept until it has come to its end.
    public var temporaryFolder = FileManager.default.temporaryDirectory.path

    /// How many reports a result lists; it counts all of them.
    public var reportLimit = 1_000

    /// Hears how far the sync has come: at the beginning of each phase, after every thousandth object or so, and at
    /// its end.
    public var progress: (@Sendable (SyncProgress) -> Void)?

    /// What the time that phases take is measured with.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// Whether objects that are as they were the last time are skipped, for tests that compare.
    package var usesNotes = true

    /// The options that are used where none are given.
    public init() {}
}
