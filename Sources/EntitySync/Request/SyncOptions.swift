public import DifferentialSync
public import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The options of a sync.
///
/// ```swift
/// var options = SyncOptions()
/// options.isStrict = true
/// options.transformers["money"] = prices
/// try await store.sync(data, into: "User", options: options)
/// ```
public struct SyncOptions: Sendable {
    /// Whether the sync fails if an object or value cannot be used.
    ///
    /// It then throws a ``SyncError`` with the report, and stores nothing. Unknown keys are not an error.
    public var isStrict = false

    /// The origin of the changes.
    ///
    /// By default, the changes are those of the remote and are not sent back. They are merged with local changes that
    /// were not sent yet, by attribute and link. ``conflictPolicy`` resolves conflicts.
    public var origin = ChangeSet.Origin.remote

    /// The policy for conflicts: values that both sides have changed, and deletions of records that the other side has
    /// changed.
    ///
    /// By default, the local version wins and stays a local change. The policy applies to the conflicting values; all
    /// others are merged. A resolved conflict is listed in ``SyncResult/clashes`` once, even if the payload is
    /// repeated. An unresolved conflict leaves the record unchanged, and is listed each time.
    ///
    /// ```swift
    /// options.conflictPolicy = .remoteWins
    /// ```
    public var conflictPolicy = ConflictPolicy<Record>.localWins

    /// The transformers of the remote's values, by the names that attributes specify.
    ///
    /// An attribute whose transformer is missing is converted by its type. If a transformer is not pure, no object of a
    /// payload is skipped; see ``AttributeTransformer/pureVersion``.
    public var transformers: [String: AttributeTransformer] = [:]

    /// The entity of new objects whose discriminator has an unknown value, by an entity that they could be of.
    ///
    /// ```swift
    /// options.fallbackEntities["Media"] = "OtherMedia"
    /// ```
    ///
    /// The fallback is that entity or inherits from it, and is not abstract. A stored record keeps its own entity.
    /// Without a fallback, the object is reported, and its record does not change.
    public var fallbackEntities: [String: String] = [:]

    /// The effect on records that a relationship no longer lists, by `Entity.relationship`.
    ///
    /// ```swift
    /// options.unlisted["User.notes"] = .separate
    /// ```
    ///
    /// It takes precedence over the `sync.unlisted` of the relationship.
    public var unlisted: [String: UnlistedRecords] = [:]

    /// The values of attributes for all objects of the payload, by entity and attribute.
    ///
    /// ```swift
    /// options.constants["Repository"] = ["source": "github"]
    /// ```
    ///
    /// If an attribute is a part of the key, the payload concerns only the records with that value, and deletes no
    /// others. Entities that inherit from the entity have its constants too. An attribute can also have `sync.constant`
    /// in its `userInfo`. This option takes precedence over it.
    public var constants: [String: [String: Value]] = [:]

    /// A function that is called with each object before it becomes a new record.
    ///
    /// The returned object is stored instead.
    ///
    /// The other arguments are the name of the entity, and the record of the outer object if there is one. The primary
    /// key is read before the call. If the function throws, the sync fails.
    public var willInsert: (@Sendable (ValueObject, _ entity: String, _ parent: RecordID?) throws -> ValueObject)?

    /// Whether links to missing records wait for a later payload with these records.
    ///
    /// The store keeps the links, whatever entity the later payloads are of. They are removed when a payload states the
    /// relationship again and may change it. ``SyncResult/pendingLinkCount`` counts them.
    ///
    /// If this is false, links to missing records are reported. A record that must have the link is reported as well.
    public var keepsPendingLinks = false

    /// The form of objects in the payload.
    public var format = SyncFormat.plain

    /// The names that lead to the list or object in a payload, separated by dots; empty for the payload itself.
    ///
    /// ```swift
    /// options.root = "data.items"
    /// try await store.sync(data, into: "User", options: options)
    /// ```
    ///
    /// It is the short form of one ``SyncRoot``, for a server that wraps all of its responses. It also applies to
    /// single objects and to answers to uploads. The paths of roots begin at it. A path that leads nowhere is an error.
    public var root = ""

    /// The options for JSON text.
    ///
    /// By default, strings, names and numbers have at most 256 MiB.
    public var json = {
        var json = JSONOptions()
        json.lengthLimit = 1 << 28
        return json
    }()

    /// The path of the folder for temporary files, which store streams until they end.
    public var temporaryFolder = FileManager.default.temporaryDirectory.path

    /// The maximum number of reports that a result lists.
    ///
    /// ``SyncResult/reportCount`` counts all of them.
    public var reportLimit = 1_000

    /// A function that is called with the progress of the sync.
    ///
    /// It is called at the beginning and the end of each phase, and about every 1000 objects. It runs within the
    /// transaction, so the store waits for it.
    public var progress: (@Sendable (SyncProgress) -> Void)?

    /// The clock that measures the durations of phases.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// Whether unchanged objects of complete payloads are skipped.
    ///
    /// Tests set it to false to compare results.
    package var usesPayloadMemory = true

    /// Creates the default options.
    public init() {}
}
