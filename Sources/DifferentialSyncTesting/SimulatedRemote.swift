public import DifferentialSync

/// A remote collection in memory, with all that a `SyncCycle` asks of one: versions that a push is compared against,
/// epochs, a history to pull changes from, and a memory of the pushes it has taken.
///
/// ```swift
/// var remote = SimulatedRemote<Note, Int>(primaryKey: \.id)
/// try remote.synchronize(&phone, pushID: "1", policy: .localWins)
/// try remote.synchronize(&tablet, pushID: "2", policy: .localWins)
/// ```
public struct SimulatedRemote<Element: Equatable, Key: Hashable> {
    private let primaryKey: @Sendable (Element) -> Key
    private var collection: JournaledCollection<Element, Key>

    /// Which keys each commit of this epoch has changed, in order.
    private var history: [(commit: String, keys: [Key])] = []
    private var epochCount = 0

    /// Whether there is a collection: from the first push on.
    public private(set) var exists = false

    /// A remote without a collection.
    public init(primaryKey: @escaping @Sendable (Element) -> Key) {
        self.primaryKey = primaryKey
        collection = SimulatedRemote.empty(primaryKey)
    }

    private static func empty(
        _ primaryKey: @escaping @Sendable (Element) -> Key
    ) -> JournaledCollection<Element, Key> {
        do {
            return try JournaledCollection([], primaryKey: primaryKey)
        } catch {
            preconditionFailure("no two of no elements have one key: \(error)")
        }
    }
}

extension SimulatedRemote: Sendable where Element: Sendable, Key: Sendable {}

extension SimulatedRemote {
    /// The elements, in the order in which they came.
    public var elements: [Element] { Array(collection) }

    /// The version, or nil if there is no collection.
    public var version: RemoteVersion? {
        exists ? RemoteVersion(epoch: "epoch \(epochCount)", commit: history.last?.commit ?? "none") : nil
    }

    /// Takes a push if the remote is in the state that it expects. O(size of the push)
    public mutating func push(_ push: Push<Element>) -> PushAnswer {
        if push.expected != version { return .refused }
        if !exists {
            exists = true
            epochCount += 1
        }
        var keys: [Key] = []
        for change in push.changes.changes {
            guard let element = change.new ?? change.old else { continue }
            let key = primaryKey(element)
            precondition(
                collection[key] == change.old, "the push fits the version, but its old values are not the remote's")
            keys.append(key)
            write(change.new, forKey: key)
        }
        history.append((commit: push.id, keys: keys))
        return .accepted(version!)
    }

    /// What has changed since the version, or everything if the remote does not know it. O(number of changes)
    public func pull(since known: RemoteVersion?) -> Pull<Element, Key> {
        guard let version else { return .nothing }
        guard let known, known.epoch == version.epoch,
            let position = history.lastIndex(where: { $0.commit == known.commit })
        else { return .everything(elements, version) }
        var changed: [Element] = []
        var deleted: [Key] = []
        var seen: Set<Key> = []
        for key in history[(position + 1)...].flatMap(\.keys) where seen.insert(key).inserted {
            if let element = collection[key] { changed.append(element) } else { deleted.append(key) }
        }
        return .changes(changed: changed, deleted: deleted, version)
    }

    /// What has become of the push with the given name. O(number of pushes)
    public func status(of pushID: String) -> PushStatus {
        guard let version, history.contains(where: { $0.commit == pushID }) else { return .notApplied }
        return .applied(RemoteVersion(epoch: version.epoch, commit: pushID))
    }

    /// Replaces the collection by another, in a new epoch: all that devices knew of it is void.
    public mutating func reset(to elements: [Element]) {
        collection = SimulatedRemote.empty(primaryKey)
        for element in elements { write(element, forKey: primaryKey(element)) }
        history = []
        exists = true
        epochCount += 1
    }

    /// Takes the collection away altogether.
    public mutating func removeCollection() {
        reset(to: [])
        exists = false
    }

    private mutating func write(_ element: Element?, forKey key: Key) {
        guard let element else {
            collection.remove(key)
            return
        }
        do {
            try collection.upsert(element)
        } catch {
            preconditionFailure("elements whose key is a function of them always have one: \(error)")
        }
    }
}

/// What happens to one message between a device and a ``SimulatedRemote``.
public enum Delivery: Hashable, Sendable {
    /// It arrives, and its answer too.
    case delivered
    /// It never arrives.
    case requestLost
    /// It arrives, and the answer is lost.
    case answerLost
}

extension SimulatedRemote {
    /// Runs one cycle for a device.
    ///
    /// - Parameters:
    ///   - client: The device's collection.
    ///   - pushID: A name for the push that no other one has.
    ///   - policy: What settles conflicts.
    ///   - deliver: What happens to the next message.
    ///   - whilePushing: Called while a push is under way: what the user does meanwhile.
    /// - Returns: How the cycle ended; the collection has accepted it.
    /// - Throws: What the cycle throws.
    @discardableResult
    public mutating func synchronize(
        _ client: inout JournaledCollection<Element, Key>, pushID: String, policy: ConflictPolicy<Element>,
        deliver: () -> Delivery = { .delivered },
        whilePushing: (inout JournaledCollection<Element, Key>, inout SimulatedRemote) throws -> Void = { _, _ in }
    ) throws -> SyncCycle<Element, Key>.Outcome {
        var cycle = SyncCycle<Element, Key>(pushID: pushID, policy: policy)
        var step = try cycle.begin(client)
        while true {
            switch step {
            case .confirm(let push):
                step =
                    try deliver() == .delivered
                    ? cycle.confirmed(status(of: push.id)) : cycle.failed()
            case .pull(let version):
                step =
                    try deliver() == .delivered
                    ? cycle.pulled(pull(since: version), client: client) : cycle.failed()
            case .push(let push):
                let delivery = deliver()
                let answer = delivery == .requestLost ? nil : self.push(push)
                try whilePushing(&client, &self)
                switch answer {
                case .accepted(let version) where delivery == .delivered: step = try cycle.pushed(version)
                case .refused where delivery == .delivered: step = try cycle.refused()
                default: step = try cycle.failed()
                }
            case .finished(let outcome):
                client.accept(outcome)
                return outcome
            }
        }
    }
}
