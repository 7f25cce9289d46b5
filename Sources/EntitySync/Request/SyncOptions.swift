public import DifferentialSync
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
/// options.transformers["money"] = prices
/// try await store.sync(data, into: "User", options: options)
/// ```
public struct SyncOptions: Sendable {
    /// Whether the first thing that cannot be used makes the sync fail, and nothing is stored.
    ///
    /// What is thrown is a ``SyncError`` with the report. Unknown keys, which are no fault, are not thrown.
    public var isStrict = false

    /// Where the changes come from.
    ///
    /// What comes from a remote, as it is by default, is not sent back. It is merged with what was changed here and not
    /// sent yet, by attribute and link; ``conflictPolicy`` resolves what clashes.
    public var origin = ChangeSet.Origin.remote

    /// What resolves clashes: values that both sides have changed, and a deletion on one side against an edit on the
    /// other.
    ///
    /// By default the local version stands, and stays a local change. The answer counts for the values that clash; all
    /// others are merged. Each clash is listed in ``SyncResult/clashes``, once, however often the payload comes again. One
    /// that is left open changes nothing of the record, and is listed each time.
    ///
    /// ```swift
    /// options.conflictPolicy = .remoteWins
    /// ```
    public var conflictPolicy = ConflictPolicy<Record>.localWins

    /// What makes values of a remote's, by the names that attributes have for it.
    ///
    /// An attribute whose transformer is not here is converted as its type has it. With a transformer that is not pure, every
    /// object of a payload is looked at, however often it has come; see ``AttributeTransformer/pureVersion``.
    public var transformers: [String: AttributeTransformer] = [:]

    /// The entity of new objects whose discriminator has an unknown value, by an entity that they could be of.
    ///
    /// ```swift
    /// options.fallbackEntities["Media"] = "OtherMedia"
    /// ```
    ///
    /// The fallback is that entity or inherits it, and is not abstract. A stored record keeps its own entity. Without a
    /// fallback such an object is reported, and its record stays as it is.
    public var fallbackEntities: [String: String] = [:]

    /// What becomes of records that the list of a relationship no longer has, by `Entity.relationship`.
    ///
    /// ```swift
    /// options.unlisted["User.notes"] = .separate
    /// ```
    ///
    /// It counts before the `sync.unlisted` of the relationship.
    public var unlisted: [String: UnlistedRecords] = [:]

    /// The values that attributes have for all objects of the payload, by the entity and the attribute.
    ///
    /// ```swift
    /// options.constants["Repository"] = ["source": "github"]
    /// ```
    ///
    /// An attribute can be a part of the key: the payload then speaks of the records with that value alone, and deletes no
    /// others. Entities that inherit the entity have its constants too. In place of an option, an attribute can have
    /// `sync.constant` in its `userInfo`, which counts where the call says nothing else.
    public var constants: [String: [String: Value]] = [:]

    /// What is called with each object before it becomes a new record; what it returns is stored in the object's place.
    ///
    /// It is given the name of the entity and the record that the object stands in, if there is one. The primary key is
    /// taken from the object before. What it throws makes the sync fail.
    public var willInsert: (@Sendable (ValueObject, _ entity: String, _ parent: RecordID?) throws -> ValueObject)?

    /// Whether links to records that are not there wait for them to come with a later payload.
    ///
    /// They are kept in the store, of whatever entity the later payload is, until a payload says anew what the
    /// relationship leads to, and may change that; ``SyncResult/pendingLinkCount`` counts them. Otherwise they are reported, and so is a record
    /// that must have such a link.
    public var keepsPendingLinks = false

    /// How objects are written in the payload.
    public var format = SyncFormat.plain

    /// The names that lead to the list or object in a payload, with dots between them; empty for the payload itself.
    ///
    /// ```swift
    /// options.root = "data.items"
    /// try await store.sync(data, into: "User", options: options)
    /// ```
    ///
    /// It is the short form of one ``SyncRoot``, for a server that wraps all that it sends. Calls for single objects and
    /// answers to uploads follow it as well, and the paths of roots begin at it. A path that leads nowhere is an error.
    public var root = ""

    /// How JSON text is read: strings, names and numbers have 256 MiB at most unless said otherwise.
    public var json = {
        var json = JSONOptions()
        json.lengthLimit = 1 << 28
        return json
    }()

    /// The path of the folder in which a stream is kept as a temporary file until it has come to its end.
    public var temporaryFolder = FileManager.default.temporaryDirectory.path

    /// How many reports a result lists; it counts all of them.
    public var reportLimit = 1_000

    /// What is told how far the sync has come.
    ///
    /// It is called at the beginning of each phase, after every thousandth object or so, and at its end, within the
    /// transaction: the store waits for it.
    public var progress: (@Sendable (SyncProgress) -> Void)?

    /// What the time that phases take is measured with.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// Whether unchanged objects of complete payloads are skipped, for tests that compare.
    package var usesPayloadMemory = true

    /// The options that are used where none are given.
    public init() {}
}
