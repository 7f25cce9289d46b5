import StoreSync
import SyncPersistence

/// A device of a simulation: what it stores, and what it has in memory.
struct SimulatedDevice: Sendable {
    /// What is stored.
    var content: InMemoryContent

    /// The cycle in progress.
    var cycle: StoreCycle?

    /// The number of the request whose answer the cycle waits for.
    var awaited: Int?

    /// A digest of all that the cycle has received, which tells apart cycles that wait for the same answer.
    var cycleDigest = 0

    /// What the last complete cycle has reported.
    var outcome: StoreOutcome?

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

    init(_ content: InMemoryContent) { self.content = content }

    /// The device as another one, with a copy of its store.
    var clone: SimulatedDevice { SimulatedDevice(content) }

    /// Runs a body that changes what is stored, unless the store fails.
    mutating func write<Result>(
        through wrap: (any RecordStorage) -> any RecordStorage, _ body: (WriteTransaction) throws -> Result
    ) throws -> Result {
        var failure = failure
        defer { self.failure = failure }
        return try content.write(failing: &failure, through: wrap, body).result
    }

    /// The program ends.
    mutating func crash() {
        cycle = nil
        awaited = nil
        cycleDigest = 0
    }
}

/// The service of a simulation.
struct SimulatedServiceState: Sendable {
    /// What is stored.
    var content: InMemoryContent

    /// The failure of the store at the next commit.
    var failure: StoreFailure?

    /// The last copy of the store.
    var backup: InMemoryContent?

    /// How many of the next requests are throttled.
    var throttledCount = 0

    /// Whether changes are refused.
    var refuses = false

    /// How many names the service has made.
    var nameCount = 0

    init(_ content: InMemoryContent) { self.content = content }
}

extension InMemoryContent {
    /// Returns a digest of all records, in any order, without the number of commits.
    func digest(isWithoutMetadata: Bool) -> Int {
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
