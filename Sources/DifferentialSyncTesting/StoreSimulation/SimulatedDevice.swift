package import StoreSync
package import SyncPersistence

/// A device of a simulation: what it stores, and what it has in memory.
///
/// A crash keeps the store and loses the rest.
package struct SimulatedDevice: Sendable {
    /// What is stored.
    package internal(set) var content: InMemoryContent

    /// The store in a file, which has the content; nil for a store in memory.
    var file: SimulatedFile?

    /// Whether the device synchronizes with the relay instead of the service.
    var isBehindRelay = false

    /// The scope that the device synchronizes, by its position in the simulator; nil for all records.
    var scope: Int?

    /// Whether the device has had another scope.
    var hasChangedScope = false

    /// The records that have left the device's scope.
    var left: Set<RecordID> = []

    /// The deleted records whose conflicts a policy has left open.
    var openDeletions: Set<RecordID> = []

    /// The cycle in progress.
    package var cycle: StoreCycle?

    /// The number of the request whose answer the cycle waits for.
    package var awaited: Int?

    /// A digest of all that the cycle has received, which tells apart cycles that wait for the same answer.
    package var cycleDigest = 0

    /// What the last complete cycle has reported.
    package var outcome: StoreOutcome?

    /// The error that has ended the last cycle.
    package var error: (any Error)?

    /// The commits since the caller has removed the earlier ones; nil if they are not kept.
    package var commits: [Commit]?

    /// The failure of the store at the next commit.
    var failure: StoreFailure?

    /// The last copy of the store.
    var backup: InMemoryContent?

    /// Whether the device is signed in to another account.
    var isElsewhere = false

    /// Whether the cycle in progress is one with another account.
    var isCycleElsewhere = false

    /// How many names the device has made.
    var nameCount = 0

    /// The last push that the device has sent, by its identifier.
    var lastPush: [String: Int64] = [:]

    /// Creates a device that has never synchronized.
    init(_ content: InMemoryContent) { self.content = content }

    /// The device as another one, with a copy of its store.
    var clone: SimulatedDevice {
        var clone = SimulatedDevice(content)
        (clone.isBehindRelay, clone.scope, clone.left) = (isBehindRelay, scope, left)
        (clone.hasChangedScope, clone.openDeletions) = (hasChangedScope, openDeletions)
        return clone
    }

    /// Lets a body work on what is stored, unless the store fails.
    ///
    /// - Returns: The result of the body, and the commits.
    mutating func withStore<Result>(
        failing isFailing: Bool = true,
        through wrap: @escaping @Sendable (any RecordStorage) -> any RecordStorage = { $0 },
        _ body: (SimulatedStore) async throws -> Result
    ) async rethrows -> (result: Result, commits: [Commit]) {
        let store = SimulatedStore(content, file: file?.store, failure: isFailing ? failure : nil, through: wrap)
        defer {
            let current = store.current
            content = current.content
            if isFailing { failure = current.failure }
            commits?.append(contentsOf: current.commits)
        }
        let result = try await body(store)
        return (result, store.current.commits)
    }

    /// Whether the device waits for the answer with the number of a message.
    func awaits(_ message: SimulatedMessage) -> Bool { awaited == message.number }

    /// The program ends.
    mutating func crash() {
        cycle = nil
        awaited = nil
        cycleDigest = 0
    }
}

/// The service of a simulation.
package struct SimulatedServiceState: Sendable {
    /// What is stored.
    package internal(set) var content: InMemoryContent

    /// The store in a file, which has the content; nil for a store in memory.
    var file: SimulatedFile?

    /// The failure of the store at the next commit.
    var failure: StoreFailure?

    /// The last copy of the store.
    var backup: InMemoryContent?

    /// How many of the next requests are throttled.
    var throttledCount = 0

    /// Whether changes are refused.
    var refuses = false

    /// How many names the service and the relay have made.
    var nameCount = 0

    /// Creates a service without copies and faults.
    init(_ content: InMemoryContent) { self.content = content }
}

extension InMemoryContent {
    /// Returns a digest of all records, in any order, without the number of commits.
    ///
    /// Without metadata, two stores with the same records have the same digest, whatever their pushes were called.
    package func digest(isWithoutMetadata: Bool) -> Int {
        var sum = 0
        do {
            try forEachRecord { record in
                if record.shape.role == .metadata, isWithoutMetadata || record.key == "sync.sequence" { return }
                var hasher = Hasher()
                hasher.combine(record.shape.name)
                for value in record.values { hasher.combine(value) }
                sum &+= hasher.finalize()
            }
        } catch {
            preconditionFailure("records in memory can be read: \(error)")
        }
        return sum
    }
}
