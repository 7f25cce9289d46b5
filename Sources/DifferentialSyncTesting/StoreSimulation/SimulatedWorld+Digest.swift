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
