import StoreSync
import SyncPersistence

extension SimulatedWorld {
    /// Ends all faults, delivers all messages, and repeats cycles until nothing changes any more.
    ///
    /// Afterwards everything must have been settled: ``checkRest()`` compares all stores then. A world that still
    /// changes after ``mostRounds`` cycles of each device is restless, which is a fault: two devices would exchange
    /// changes without end.
    mutating func heal() async {
        report.log("healing")
        endFaults()
        _ = await deliverAll()
        for device in devices.indices { await giveUp(device) }
        for device in devices.indices { crash(device) }
        network.takeAll()
        // At rest, each device has had a cycle since the last change.
        var digests = restDigests
        var quietCount = 0
        for turn in 0..<(Self.mostRounds * devices.count) {
            if await !finishCycle(of: turn % devices.count) { return }
            let before = digests
            digests = restDigests
            quietCount = digests == before ? quietCount + 1 : 0
            if quietCount == devices.count { return }
        }
        report.addFault(.restless, "after \(Self.mostRounds) cycles of each device, they still change something")
    }

    /// The number of cycles of each device after which a world must be at rest.
    private static let mostRounds = 12
    /// The number of messages after which a cycle must have ended.
    private static let mostMessages = 2_000

    /// Ends everything that keeps messages from being answered.
    package mutating func endFaults() {
        service.endFaults()
        for device in devices.indices {
            devices[device].disk.failure = nil
            devices[device].isElsewhere = false
        }
    }

    /// Runs a cycle of a device to its end, and returns whether it has one.
    mutating func finishCycle(of device: Int) async -> Bool {
        await begin(device)
        if await deliverAll() { return true }
        report.addFault(.restless, "a cycle of device \(device) does not end")
        return false
    }

    /// Delivers messages until none is left, and returns whether it has come to that.
    private mutating func deliverAll() async -> Bool {
        for _ in 0..<Self.mostMessages {
            guard let message = network.take(0) else { return true }
            await deliver(message)
        }
        return network.messages.isEmpty
    }

    /// The digests of all stores, without the numbers of pushes and commits.
    package var restDigests: [Int] {
        [service.disk.content.digest(isWithoutMetadata: true)]
            + devices.map { $0.disk.content.digest(isWithoutMetadata: true) }
    }
}
