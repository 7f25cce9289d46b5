public import DifferentialSync

/// A remote collection in memory that offers all that a `SyncCycle` needs.
///
/// It compares the version of each push, has epochs, keeps a history to pull changes from, and recognizes the pushes
/// that it accepted if they arrive again.
///
/// ```swift
/// var remote = SimulatedRemote<Note, Int>(primaryKey: \.id)
/// try remote.synchronize(&phone, pushID: "1", policy: .localWins)
/// try remote.synchronize(&tablet, pushID: "2", policy: .localWins)
/// ```
public struct SimulatedRemote<Element: Equatable, Key: Hashable & Sendable> {
    private let primaryKey: @Sendable (Element) -> Key
    private let amend: (@Sendable (Element) -> Element)?
    private var collection: JournaledCollection<Element, Key>

    /// For each commit of this epoch in order, its push, the keys that it changed and the elements that it amended.
    private var history: [(push: Push<Element>, keys: [Key], amended: [Element])] = []
    private var epochCount = 0

    /// The names that two different pushes had.
    private var reusedNames: Set<String> = []

    /// Whether there is a collection, which the first push creates.
    public private(set) var exists = false

    /// Creates a remote without a collection.
    ///
    /// - Parameters:
    ///   - primaryKey: The key of an element.
    ///   - amend: Returns the form in which the remote stores an element that was pushed, such as with its own time of
    ///     modification. The key must not change.
    public init(
        primaryKey: @escaping @Sendable (Element) -> Key, amend: (@Sendable (Element) -> Element)? = nil
    ) {
        self.primaryKey = primaryKey
        self.amend = amend
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
        exists ? RemoteVersion(epoch: "epoch \(epochCount)", commit: history.last?.push.id ?? "none") : nil
    }

    /// Applies a push if the remote is in the expected state and knows no push of that name.
    ///
    /// If it has applied the same push before, it changes nothing and returns the same answer again.
    ///
    /// - Complexity: O(size of the push and number of pushes)
    ///
    /// - Throws: `MismatchError` if the old values of the push are not those of the remote, although the version is.
    ///   Nothing changes then.
    public mutating func push(_ push: Push<Element>) throws -> PushAnswer<Element> {
        // First of all, because the remote has another version since it applied the push.
        if let version, let known = history.first(where: { $0.push.id == push.id }) {
            if areSame(known.push, push) {
                return .accepted(RemoteVersion(epoch: version.epoch, commit: push.id), amended: known.amended)
            }
            // The name no longer tells which of the two pushes a query is about.
            reusedNames.insert(push.id)
            return .refused
        }
        if push.expected != version { return .refused }
        try collection.merge(remoteChanges: push.changes, policy: .remoteWins)
        var amended: [Element] = []
        for element in push.changes.add + push.changes.replace {
            let stored = amend?(element) ?? element
            // Also stores differences that `==` ignores.
            try collection.upsert(stored)
            if amend != nil && stored != element { amended.append(stored) }
        }
        try collection.acceptShadow(pushed: collection.localDiff, at: collection.shadowMark)
        if !exists {
            exists = true
            epochCount += 1
        }
        let keys = push.changes.changes.compactMap { $0.new ?? $0.old }.map(primaryKey)
        history.append((push: push, keys: keys, amended: amended))
        return .accepted(version!, amended: amended)
    }

    /// Whether two pushes have the same changes for the same version, in any order.
    private func areSame(_ first: Push<Element>, _ second: Push<Element>) -> Bool {
        func haveDifference(_ wins: [Element], _ loses: [Element]) -> Bool {
            uncheckedDiff(wins: wins, loses: loses, primaryKey: primaryKey) != nil
        }
        let (known, other) = (first.changes, second.changes)
        return first.expected == second.expected && !haveDifference(known.delete, other.delete)
            && !haveDifference(known.add + known.replace, other.add + other.replace)
    }

    /// Returns the changes since a version, or everything if the remote does not know the version.
    ///
    /// O(number of changes)
    public func pull(since known: RemoteVersion?) -> Pull<Element, Key> {
        guard let version else { return .nothing }
        guard let known, known.epoch == version.epoch,
            let position = history.lastIndex(where: { $0.push.id == known.commit })
        else { return .everything(elements, version) }
        var changed: [Element] = []
        var deleted: [Key] = []
        var seen: Set<Key> = []
        for key in history[(position + 1)...].flatMap(\.keys) where seen.insert(key).inserted {
            if let element = collection[key] { changed.append(element) } else { deleted.append(key) }
        }
        return .changes(changed: changed, deleted: deleted, version)
    }

    /// Returns the outcome of the push with a name; `unknown` if two different pushes had the name.
    ///
    /// O(number of pushes)
    public func status(of pushID: String) -> PushStatus<Element> {
        if reusedNames.contains(pushID) { return .unknown }
        guard let version, let commit = history.first(where: { $0.push.id == pushID }) else { return .notApplied }
        return .applied(RemoteVersion(epoch: version.epoch, commit: pushID), amended: commit.amended)
    }

    /// Replaces the collection by another, in a new epoch.
    ///
    /// Devices must compare everything again.
    public mutating func reset(to elements: [Element]) {
        collection = SimulatedRemote.empty(primaryKey)
        do {
            for element in elements { try collection.upsert(element) }
            try collection.acceptShadow(pushed: collection.localDiff, at: collection.shadowMark)
        } catch {
            preconditionFailure("the remote cannot hold these elements: \(error)")
        }
        history = []
        reusedNames = []
        exists = true
        epochCount += 1
    }

    /// Deletes the collection.
    public mutating func removeCollection() {
        reset(to: [])
        exists = false
    }
}

/// What happens to one message between a device and a ``SimulatedRemote``.
public enum Delivery: Hashable, Sendable {
    /// The message and its answer arrive.
    case delivered
    /// The message never arrives.
    case requestLost
    /// The message arrives, and the answer is lost.
    case answerLost
}

extension SimulatedRemote {
    /// Runs one cycle for a device.
    ///
    /// - Parameters:
    ///   - client: The device's collection.
    ///   - pushID: A name for the cycle that no other cycle has.
    ///   - policy: Resolves conflicts.
    ///   - deliver: What happens to the next message.
    ///   - whilePushing: Called while a push is in flight, for edits that the user makes meanwhile.
    /// - Returns: The outcome of the cycle.
    /// - Throws: The errors of the cycle.
    @discardableResult
    public mutating func synchronize(
        _ client: inout JournaledCollection<Element, Key>, pushID: String, policy: ConflictPolicy<Element>,
        deliver: () -> Delivery = { .delivered },
        whilePushing: (inout JournaledCollection<Element, Key>, inout SimulatedRemote) throws -> Void = { _, _ in }
    ) throws -> SyncOutcome {
        try synchronize(
            &client, by: SyncCycle(pushID: pushID, recognizesPushes: true, policy: policy), deliver: deliver,
            whilePushing: whilePushing)
    }

    /// Runs a given cycle for a device.
    ///
    /// See ``synchronize(_:pushID:policy:deliver:whilePushing:)``.
    ///
    /// - Parameters:
    ///   - client: The device.
    ///   - cycle: The cycle, which has not begun.
    ///   - deliver: What happens to the next message.
    ///   - whilePushing: Called while a push is in flight, for edits that the user makes meanwhile.
    /// - Returns: The outcome of the cycle.
    /// - Throws: The errors of the cycle.
    @discardableResult
    public mutating func synchronize(
        _ client: inout JournaledCollection<Element, Key>, by cycle: SyncCycle<Element, Key>,
        deliver: () -> Delivery = { .delivered },
        whilePushing: (inout JournaledCollection<Element, Key>, inout SimulatedRemote) throws -> Void = { _, _ in }
    ) throws -> SyncOutcome {
        var cycle = cycle
        var step = try cycle.begin(&client)
        while true {
            switch step {
            case .confirm(let pushID):
                step =
                    try deliver() == .delivered ? cycle.confirmed(status(of: pushID), &client) : cycle.failed()
            case .pull(let version):
                step =
                    try deliver() == .delivered ? cycle.pulled(pull(since: version), &client) : cycle.failed()
            case .push(let push):
                let delivery = deliver()
                let answer = delivery == .requestLost ? nil : try self.push(push)
                try whilePushing(&client, &self)
                if let answer, delivery == .delivered {
                    step = try cycle.pushed(answer, &client)
                } else {
                    step = try cycle.failed()
                }
            case .finished(let outcome):
                return outcome
            }
        }
    }
}
