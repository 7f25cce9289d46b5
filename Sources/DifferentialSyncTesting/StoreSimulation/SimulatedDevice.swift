package import StoreSync
import SyncPersistence

/// A device of a simulation: what it stores, and what it has in memory.
///
/// A crash keeps the store and loses the rest.
package struct SimulatedDevice: Sendable {
    /// What the device has stored.
    package var disk: SimulatedDisk

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

    /// Whether the device is signed in to another account.
    var isElsewhere = false

    /// Whether the cycle in progress is one with another account.
    var isCycleElsewhere = false

    /// How many names the device has made.
    var nameCount = 0

    /// The last push that the device has sent, by its identifier.
    var lastPush: [String: Int64] = [:]

    /// Creates a device that has never synchronized.
    init(_ content: InMemoryContent) { disk = SimulatedDisk(content) }
}

extension SimulatedDevice {
    /// The device as another one, with a copy of its store.
    var clone: SimulatedDevice {
        var clone = SimulatedDevice(disk.content)
        (clone.isBehindRelay, clone.scope, clone.left) = (isBehindRelay, scope, left)
        (clone.hasChangedScope, clone.openDeletions) = (hasChangedScope, openDeletions)
        return clone
    }

    /// The service of the device.
    var server: SimulatedPlace { isBehindRelay ? .relay : .service }

    /// Whether the device waits for the answer with the number of a message.
    func awaits(_ message: SimulatedMessage) -> Bool { awaited == message.number }

    /// Ends the program.
    mutating func crash() {
        cycle = nil
        awaited = nil
        cycleDigest = 0
    }
}

extension SimulatedDevice {
    /// Synchronizes another scope from now on; nil for all records.
    mutating func changeScope(to position: Int?) {
        scope = position
        left = []
        hasChangedScope = true
    }

    /// Follows which records pages take out of the device's scope and bring back.
    ///
    /// - Parameters:
    ///   - id: A record of a page.
    ///   - state: The state of the record in the page.
    /// - Returns: What has happened to the record; nil if it has neither left the scope nor returned.
    mutating func follow(_ id: RecordID, _ state: PullResponse.State) -> SimulationEvent? {
        switch state {
        case .present: return left.remove(id) == nil ? nil : .returnToScope
        case .outOfScope:
            guard disk.content.has(id) else { return nil }
            left.insert(id)
            return .leftScope
        case .deleted: return nil
        }
    }
}

extension SimulatedDevice {
    /// Hashes what is stored, and the cycle.
    ///
    /// A cycle cannot be hashed. The answers that it has received are hashed instead, because they determine its state.
    func hash(into hasher: inout Hasher) {
        disk.hash(into: &hasher)
        hasher.combine(cycle == nil)
        hasher.combine(awaited == nil)
        hasher.combine(cycleDigest)
        hasher.combine(isElsewhere)
        hasher.combine(scope)
        hasher.combine(isCycleElsewhere)
        hasher.combine(nameCount)
    }
}
