import StoreSync
import SyncPersistence

extension SimulatedWorld {
    /// A digest of everything that decides what can happen next, and of what users have done.
    ///
    /// An exploration visits one of several states with the same digest. What only differs in the order of messages,
    /// or in their numbers, has the same digest, because any message can be delivered next.
    var digest: Int {
        var hasher = Hasher()
        for device in devices { device.hash(into: &hasher) }
        service.hash(into: &hasher)
        network.hash(into: &hasher, where: { devices[$0.device].awaits($0) })
        hasher.combine(ledger)
        return hasher.finalize()
    }
}

extension SimulatedDevice {
    /// Hashes what is stored, and the cycle.
    ///
    /// A cycle cannot be hashed. The answers that it has received are hashed instead, because they determine its state.
    fileprivate func hash(into hasher: inout Hasher) {
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

extension SimulatedServiceState {
    /// Hashes what is stored, and what keeps the service from answering.
    fileprivate func hash(into hasher: inout Hasher) {
        disk.hash(into: &hasher)
        hasher.combine(throttledCount)
        hasher.combine(refuses)
        hasher.combine(nameCount)
    }
}
