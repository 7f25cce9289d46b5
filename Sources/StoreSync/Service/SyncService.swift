public import SyncPersistence

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The answering end of a store's synchronization: a value over the store of one account.
///
/// ```swift
/// let service = SyncService(store, account: "ada")
/// try await phone.synchronize(with: service)
/// ```
///
/// The service has no transport. A server passes the messages of its clients to it, after it has found out whose they
/// are. What the service knows is in the store itself: the history of changes, its epoch, and one row of metadata for
/// each device. So any number of service values may serve one store, and an app may change the store meanwhile. If the
/// store is itself a device of another service, the changes of its own devices are sent on.
///
/// ## Outcomes of a push
///
/// Each mutation is checked and answered for itself:
///
/// | outcome | if |
/// |---|---|
/// | accepted | the change is stored, or the record is already as the device wants it |
/// | conflict | another writer has changed the record after the push's base, or one that a delete rule reaches |
/// | blocked | the change needs another record, which does not exist or whose change was not accepted |
/// | unauthorized | the record is not in the device's scope, or the review says so |
/// | refused | the schema never allows the change, or the review says so |
/// | later | the push is larger than the limits, or the review says so |
///
/// The code of a refusal is one of `PersistenceError`, one of the review, or one of these:
///
/// | code | if |
/// |---|---|
/// | `duplicate` | an earlier mutation of the push has changed the record |
/// | `limit` | the record is larger than the limits |
/// | `amendment` | the amendment is impossible |
///
/// ## Sizes of pushes
///
/// Each push is a transaction, and one with random keys writes most pages of a store's indexes. So a first upload of
/// 400,000 records in pushes of 4 MB, which is the default, takes a fifth less time than in pushes of 1 MB. A remote
/// over a slow connection sends smaller ones: what cannot be sent before its timeout would be sent again without end.
public struct SyncService: Remote {
    /// The account whose records the store has.
    public let account: String

    /// The largest sizes of pages and pushes.
    public let limits: SyncLimits

    /// The most devices; nil for any number.
    let deviceLimit: Int?

    /// The number of last changes whose deletions are remembered at least; nil for all.
    let historyLimit: Int?

    /// The name of the last restore of the store; nil if there was none.
    let restoration: String?

    let store: any PersistenceAdapter
    let scopes: ServiceScopes
    let review: Review
    let makeName: @Sendable () -> String

    /// Whether a device introduces itself again once the schema has changed.
    ///
    /// The stores of both ends may change together instead, as those of an app and its mirror of a REST API do. Then a
    /// push from before the change is answered.
    package var checksSchema = true

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - store: The store of the account.
    ///   - account: The account, to which devices bind their stores.
    ///   - limits: The largest sizes of pages and pushes, of at most ``StoreProtocol/maximumRecords`` records.
    ///   - scopes: The scopes of which each device must name one; without any, all devices synchronize all records.
    ///   - review: Decides which changes are accepted.
    ///   - deviceLimit: The number of devices after which the service refuses further ones, as
    ///     ``RemoteError/incompatible(_:)``; nil for no limit. Each device takes a row in the store.
    ///     ``removeDevice(_:)`` makes room.
    ///   - historyLimit: The number of last changes whose deletions the service remembers at least; nil for all. Pushes
    ///     remove older ones in small steps, as ``prune(through:)`` does at once.
    ///   - restoration: A name for the last restore of the store from a backup, such as its date; nil if there was none.
    ///     With another name than before, the next handshake begins an epoch, as ``beginEpoch()`` does. So one setting
    ///     is enough for the stores of all accounts.
    ///   - makeName: Returns a random name for an epoch.
    public init(
        _ store: any PersistenceAdapter, account: String,
        limits: SyncLimits = SyncLimits(pushRecords: 20_000, pushBytes: 4_000_000), scopes: [SyncScope] = [],
        review: Review = .acceptAll, deviceLimit: Int? = nil, historyLimit: Int? = nil,
        restoration: String? = nil, makeName: @escaping @Sendable () -> String = { UUID().uuidString }
    ) {
        self.store = store
        self.account = account
        func clamped(_ number: Int, to most: Int = 1 << 30) -> Int { min(max(number, 1), most) }
        self.limits = SyncLimits(
            pageRecords: clamped(limits.pageRecords, to: StoreProtocol.maximumRecords),
            pushRecords: clamped(limits.pushRecords, to: StoreProtocol.maximumRecords),
            bytes: clamped(limits.bytes), pushBytes: clamped(limits.pushBytes))
        self.scopes = ServiceScopes(scopes)
        self.review = review
        self.deviceLimit = deviceLimit
        self.historyLimit = historyLimit.map { max($0, 0) }
        self.restoration = restoration
        self.makeName = makeName
    }
}

extension SyncService {
    /// Introduces a device, in one transaction.
    ///
    /// - Throws: As ``handshake(_:in:)``, and the errors of the store.
    public func handshake(_ request: HandshakeRequest) async throws -> HandshakeResponse {
        try await store.write { try handshake(request, in: $0) }.result
    }

    /// Returns a page of what others have changed, in one transaction.
    ///
    /// - Throws: As ``pull(_:in:)``, and the errors of the store.
    public func pull(_ request: PullRequest) async throws -> PullResponse {
        try await store.read { try pull(request, in: $0) }
    }

    /// Makes a device's changes and stores the response, in one transaction.
    ///
    /// If the store refuses a change that has passed all checks, the transaction runs again without that change.
    ///
    /// - Throws: As ``push(_:in:)``, and the errors of the store.
    public func push(_ request: PushRequest) async throws -> PushResponse {
        var stopped = StoppedMutations(of: request)
        while true {
            do {
                return try await store.write { [stopped] in try push(request, in: $0, without: stopped) }.result
            } catch let error as PersistenceError {
                guard stopped.add(error, of: request, in: store.schema) else { throw error }
            }
        }
    }

    /// Returns the end of the history after commits to the store that change records.
    ///
    /// Commits of other processes count if the store's adapter receives them.
    public func notifications() -> AsyncStream<SyncCursor?> {
        let changes = store.changes()
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                for await _ in changes {
                    let end = try? await position()
                    continuation.yield(end)
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Returns the end of the history at present, or nil if the next handshake begins an epoch.
    ///
    /// - Throws: `PersistenceError`.
    public func position() async throws -> SyncCursor? {
        try await store.read { [restoration] transaction -> SyncCursor? in
            guard let epoch = try ServiceEpoch.current(in: transaction),
                try !ServiceEpoch.isAnother(restoration, in: transaction)
            else { return nil }
            return SyncCursor(epoch: epoch, sequence: try transaction.historySequence)
        }
    }
}

extension SyncService {
    /// Begins another history, after the store was restored from a copy.
    ///
    /// The devices may have changes of the service that it has lost. In the new epoch they compare everything with it:
    /// nothing is deleted that only lacks a counterpart, and each side receives what the other has.
    ///
    /// - Throws: `PersistenceError`.
    public func beginEpoch() async throws {
        _ = try await store.write { try ServiceEpoch.begin(makeName(), in: $0) }
    }

    /// Removes what is known of deletions up to a number of the history.
    ///
    /// A device that has not pulled up to that number compares everything once.
    ///
    /// - Parameter sequence: The number of the last change; at most that of the last one in the history counts.
    /// - Throws: `PersistenceError`.
    public func prune(through sequence: Int64) async throws {
        var changes = ChangeSet()
        changes.forgetHistory(through: sequence)
        try await store.commit(changes)
    }
}
