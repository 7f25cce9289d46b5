public import DifferentialSync
public import SyncPersistence

/// A remote that keeps its state in a store, and continues with it after a restart.
///
/// ```swift
/// let remote = try await StoredRemote(serverStore.collection(of: Note.self, entity: "Note"))
/// try await notes.synchronize(with: remote, policy: .localWins)
/// ```
///
/// The cycle of a single collection has a protocol of its own, so no `SyncService` can stand for it in tests that restart
/// both ends.
///
/// Besides the elements, it keeps a history of the commits in its own entities: the push that made each commit, and the
/// keys that it changed.
///
/// A push, its place in the history and its new version are stored in one transaction.
public struct StoredRemote<Element: Equatable & Sendable, Key: Hashable & Sendable>: RemoteCollection {
    /// The collection that keeps the elements.
    public let collection: PersistentCollection<Element, Key>

    /// The account whose elements it holds.
    public let account: String

    /// Whether it accepts a repeated push: true.
    public var recognizesPushes: Bool { true }

    /// Returns the name of the epoch with a number.
    private let epochName: @Sendable (Int) -> String

    /// Creates a remote that serves a collection.
    ///
    /// Devices see no collection before the first push, or before ``reset(to:)``.
    ///
    /// The remote applies no delete rules, because the devices apply them and push the result. Therefore no rule may connect
    /// the entity of the collection with others: keep their keys in attributes.
    ///
    /// - Parameters:
    ///   - collection: The collection that keeps the elements. Only the remote may change it.
    ///   - account: The account whose elements they are.
    ///   - epochName: Returns a name for the epoch with a number. No other remote of the same devices may use the name.
    /// - Throws: `PersistenceError` if rules of the schema connect records of the entity with others, or if the store
    ///   cannot be written.
    public init(
        _ collection: PersistentCollection<Element, Key>, account: String = "account",
        epochName: @escaping @Sendable (Int) -> String = { "epoch \($0)" }
    ) async throws {
        self.collection = collection
        self.account = account
        self.epochName = epochName
        try Self.requireNoRules(of: collection)
        try await collection.store.add(RemoteHistory.entities(of: collection.entity))
    }

    /// Returns the outcome of the push with a name.
    ///
    /// It is unknown if the history of that time was removed, or if two different pushes had the name.
    ///
    /// - Throws: `PersistenceError` if the store cannot be read.
    public func status(of pushID: String) async throws -> PushStatus<Element> {
        try await collection.store.read { transaction in
            let history = try RemoteHistory(of: collection.entity, in: transaction)
            guard let version = version(history) else { return .notApplied }
            if try history.isReused(pushID, in: transaction) { return .unknown }
            if try history.number(of: pushID, in: transaction) != nil {
                return .applied(RemoteVersion(epoch: version.epoch, commit: pushID))
            }
            return history.horizon > 0 ? .unknown : .notApplied
        }
    }

    /// Returns the changes since a version, or everything if the version is nil or its history was removed.
    ///
    /// - Throws: `PersistenceError` if the store cannot be read.
    /// - Complexity: O(number of changes), or O(*n*) for everything
    public func pull(since known: RemoteVersion?) async throws -> Pull<Element, Key> {
        try await collection.store.read { transaction in
            let history = try RemoteHistory(of: collection.entity, in: transaction)
            guard let version = version(history) else { return .nothing }
            guard let known, known.epoch == version.epoch,
                let number = try history.number(ofState: known.commit, in: transaction)
            else {
                let elements = try collection.elements(in: transaction)
                // A device would treat missing elements as deleted.
                if let error = elements.unreadable.first { throw error }
                return .everything(Array(elements), version)
            }
            var changed: [Element] = []
            var deleted: [Key] = []
            for (key, image) in try history.changes(since: number, in: transaction) {
                if let record = try transaction.record(RecordID(collection.entity, key)) {
                    changed.append(try collection.coding.element(of: record))
                } else if let image {
                    deleted.append(collection.coding.key(try collection.coding.element(of: image)))
                }
            }
            return .changes(changed: changed, deleted: deleted, version)
        }
    }

    /// Accepts a push as a whole, if the remote is in the expected state and knows no push of that name.
    ///
    /// If it has applied the same push before, it changes nothing and returns the same answer again.
    ///
    /// - Throws: `KeyError` for two changes of one key. `PersistenceError` if the old values of the push are not those
    ///   of the remote, although the version is, or if the store cannot be written.
    public func push(_ push: Push<Element>) async throws -> PushAnswer<Element> {
        try await collection.store.write { transaction in
            var history = try RemoteHistory(of: collection.entity, in: transaction)
            var changes = ChangeSet(origin: .agreed)
            let shape = try transaction.shape(collection.entity)
            // First of all, because the remote has another version since it applied the push.
            if history.exists, let number = try history.number(of: push.id, in: transaction) {
                if try history.digest(of: number, in: transaction) == digest(of: push, shape) {
                    return .accepted(RemoteVersion(epoch: epochName(history.epoch), commit: push.id))
                }
                // The name no longer tells which of the two pushes a query is about.
                history.markReuse(of: push.id, in: &changes)
                try transaction.apply(changes)
                return .refused
            }
            if push.expected != version(history) { return .refused }
            if !history.exists { history.beginEpoch(&changes) }
            var positions: [Value: Int] = [:]
            history.add(push.id, try digest(of: push, shape), in: &changes, schema: transaction.schema)
            for (position, change) in push.changes.changes.enumerated() {
                let id = RecordID(collection.entity, try collection.coding.keyValue(of: change.element))
                if let earlier = positions.updateValue(position, forKey: id.key) {
                    let key = collection.coding.key(change.element)
                    throw KeyError(.duplicate, in: "push", key: key, positions: [earlier, position])
                }
                let present = try transaction.record(id)
                let old = try change.old.map { try collection.coding.record(of: $0, over: present, shape: shape) }
                guard old == present else {
                    throw PersistenceError(
                        .mismatch, "the push fits the version, but its old value is not the remote's", id: id)
                }
                history.add(
                    id.key, deleted: change.new == nil ? present : nil, at: position, in: &changes,
                    schema: transaction.schema)
                if let new = change.new {
                    changes.put(try collection.coding.record(of: new, over: present, shape: shape))
                } else {
                    changes.delete(id)
                }
            }
            try transaction.apply(changes)
            return version(history).map { .accepted($0) } ?? .refused
        }.result
    }
}

extension StoredRemote {
    /// Checks that no rule of the schema prevents applying a push as it is, or changes other records with it.
    private static func requireNoRules(of collection: PersistentCollection<Element, Key>) throws {
        let schema = collection.store.schema
        for shape in schema.shapes where shape.inherits(collection.entity) {
            let rule = shape.relationships.first { relationship in
                switch (relationship.definition.deleteRule, relationship.storage) {
                case (.noAction, _), (.nullify, .reference(_, false, false)): false
                default: true
                }
            }?.definition.name
            let reference = shape.slots.first {
                if case .reference(_, _, isEnforced: true) = $0.content { true } else { false }
            }?.name
            if rule == nil && reference == nil && shape.incoming.isEmpty { continue }
            throw PersistenceError(
                .wrongType,
                "a remote applies each push as it is, and '\(shape.name)' is connected with other records by rules: keep "
                    + "the keys of those in attributes", property: rule ?? reference)
        }
    }

    /// The version, or nil if there is no collection.
    ///
    /// - Throws: `PersistenceError` if the store cannot be read.
    public var version: RemoteVersion? {
        get async throws {
            try await collection.store.read { version(try RemoteHistory(of: collection.entity, in: $0)) }
        }
    }

    /// Replaces the collection by another, in a new epoch.
    ///
    /// Devices must compare everything again.
    ///
    /// - Throws: `PersistenceError` if the store cannot be written.
    public func reset(to elements: [Element]) async throws {
        try await collection.store.write { transaction in
            var changes = ChangeSet(origin: .agreed)
            var history = try clear(&changes, in: transaction)
            history.beginEpoch(&changes)
            let shape = try transaction.shape(collection.entity)
            for element in elements { changes.put(try collection.coding.record(of: element, shape: shape)) }
            try transaction.apply(changes)
        }
    }

    /// Deletes the collection.
    ///
    /// - Throws: `PersistenceError` if the store cannot be written.
    public func removeCollection() async throws {
        try await collection.store.write { transaction in
            var changes = ChangeSet(origin: .agreed)
            _ = try clear(&changes, in: transaction)
            try transaction.apply(changes)
        }
    }

    /// Removes the history except the latest commits, at least one.
    ///
    /// A device whose version is older pulls everything.
    ///
    /// - Throws: `PersistenceError` if the store cannot be written.
    public func forgetHistory(keepingLatest count: Int) async throws {
        try await collection.store.write { transaction in
            var changes = ChangeSet(origin: .agreed)
            var history = try RemoteHistory(of: collection.entity, in: transaction)
            try history.forget(through: history.last - Int64(max(count, 1)), &changes, in: transaction)
            try transaction.apply(changes)
        }
    }

    /// Deletes all elements and ends the epoch; returns the history that is then empty.
    private func clear(_ changes: inout ChangeSet, in transaction: WriteTransaction) throws -> RemoteHistory {
        for key in try transaction.keys(of: collection.entity) { changes.delete(RecordID(collection.entity, key)) }
        var history = try RemoteHistory(of: collection.entity, in: transaction)
        try history.endEpoch(&changes, in: transaction)
        return history
    }

    /// Returns a digest of the changes of a push, in any order, and of the version that it expects.
    private func digest(of push: Push<Element>, _ shape: Shape) throws -> String {
        func text(_ element: Element?) throws -> String {
            try element.map { try collection.coding.record(of: $0, shape: shape).journalText } ?? ""
        }
        let changes = try push.changes.changes.map { try text($0.old) + " " + text($0.new) }.sorted()
        let expected = push.expected.map { [$0.epoch, $0.commit] } ?? []
        return "\(ContentDigest.digest(of: (expected + changes).map { Value.string($0) }, seed: 0))"
    }

    /// Returns the present version; nil if there is no collection.
    private func version(_ history: RemoteHistory) -> RemoteVersion? {
        history.exists ? RemoteVersion(epoch: epochName(history.epoch), commit: history.commit) : nil
    }
}
