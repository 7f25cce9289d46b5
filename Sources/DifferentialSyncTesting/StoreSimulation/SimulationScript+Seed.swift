extension SimulationScript {
    /// Creates the script of a seed.
    ///
    /// The same seed makes the same script in each run. The sizes of pages, the number of devices and the probability
    /// of faults depend on it, so that seeds differ in kind.
    ///
    /// - Parameters:
    ///   - seed: The seed.
    ///   - simulator: The simulator that runs the script.
    ///   - length: The number of steps.
    public init(seed: UInt64, for simulator: StoreSimulator, length: Int = 60) {
        var source = SimulationSource(seed: seed, deviceCount: 2)
        let sizes = [1, 2, 3, 100]
        self.init(
            devices: [2, 2, 3, 4].randomElement(using: &source.generator) ?? 2,
            policies: Int.random(in: 0..<max(simulator.policies.count, 1), using: &source.generator),
            pageRecords: sizes.randomElement(using: &source.generator) ?? 1,
            pushRecords: sizes.randomElement(using: &source.generator) ?? 1, operations: [])
        switch source.generator.next() % 10 {
        case 0..<2 where !simulator.scopes.isEmpty:
            // At least one device has all records.
            scopes = [0] + (1..<devices).map { _ in source.random(simulator.scopes.count + 1) }
            source.scopeCount = simulator.scopes.count
        case 2..<4:
            hasRelay = true
            devices = 3 + source.random(2)
        default: break
        }
        if simulator.makeFiles != nil, source.generator.happens(0.05) {
            files = (0...devices).filter { _ in source.generator.happens(0.5) }
        }
        source.deviceCount = devices
        source.canGrow = !simulator.growth.isEmpty
        source.isFaulty = source.generator.happens(0.8)
        if source.generator.happens(0.8) { operations = source.commonStart() }
        if source.scopeCount > 0, source.generator.happens(0.3) { operations += source.returnToScope() }
        while operations.count < length { operations += source.steps() }
        operations.removeLast(operations.count - length)
    }
}

/// A source of random steps.
///
/// Most steps are edits and deliveries. Faults come in about an eighth of the cases, in a script that has any.
private struct SimulationSource {
    /// The numbers of the seed.
    var generator: SeededGenerator
    /// The number of devices, which grows with each clone.
    var deviceCount: Int
    /// Whether the simulator has entities that can be added to a schema.
    var canGrow = false
    /// Whether the script has faults; a fifth of all scripts has none.
    var isFaulty = true
    /// The number of the simulator's scopes; 0 for a script in which all devices have all records.
    var scopeCount = 0

    /// The number of the last edit.
    private var number = 0

    /// Creates the source of a seed.
    init(seed: UInt64, deviceCount: Int) {
        generator = SeededGenerator(seed: seed)
        self.deviceCount = deviceCount
    }

    /// Returns a number below a count.
    mutating func random(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

    /// Returns the number of any device.
    private mutating func device() -> Int { random(deviceCount) }

    /// Returns steps after which all devices have the same records.
    mutating func commonStart() -> [SimulationOperation] {
        var steps: [SimulationOperation] = []
        for _ in 0..<(2 + random(5)) {
            number += 1
            steps.append(.insert(device: 0, entity: random(8), number: number))
        }
        return steps + (0..<deviceCount).flatMap(exchange)
    }

    /// Returns steps after which a record has left most scopes, and has come back.
    ///
    /// The value of a text decides in which of the simulator's scopes a record is.
    mutating func returnToScope() -> [SimulationOperation] {
        let record = random(4)
        // The scopes depend on the first digit.
        return [9_000, 1_000].flatMap { start in
            number += 1
            let edit = SimulationOperation.update(device: 0, record: record, number: start + number)
            return [edit] + [0, 1 + random(deviceCount)].flatMap(exchange)
        }
    }

    /// Returns the steps of a cycle that gets through.
    private func exchange(device: Int) -> [SimulationOperation] {
        [.begin(device: device)] + Array(repeating: .deliver(message: 0), count: 6)
    }

    /// Returns some steps that belong together.
    mutating func steps() -> [SimulationOperation] {
        if isFaulty, generator.happens(0.12) {
            switch random(15) {
            case 0: return overtaking()
            case 1: return restoration()
            default: return [fault()]
            }
        }
        switch random(10) {
        case 0..<6: return [edit()]
        case 6:
            // A cycle that gets through, or most of it.
            return [.begin(device: device())] + (0..<(2 + random(8))).map { _ in .deliver(message: 0) }
        case 7:
            // An edit while a push is under way.
            number += 1
            let device = device()
            return [.update(device: device, record: random(4), number: number), .begin(device: device)]
                + (0..<(2 + random(3))).map { _ in .deliver(message: 0) }
                + [.update(device: device, record: random(4), number: number + 1_000)]
        default: return (0...random(3)).map { _ in .deliver(message: random(4)) }
        }
    }

    /// Returns steps in which a device asks again, and its second request arrives before the first one.
    private mutating func overtaking() -> [SimulationOperation] {
        let device = device()
        return [
            .begin(device: device), .giveUp(device: device), .begin(device: device), .deliver(message: -1),
            .deliver(message: -1), .deliver(message: 0),
        ]
    }

    /// Returns steps after which a device or the service has forgotten some of them.
    private mutating func restoration() -> [SimulationOperation] {
        let (device, isOfService) = (device(), generator.happens(0.3))
        return [isOfService ? .backUpService : .backUp(device: device), edit()] + exchange(device: device)
            + [isOfService ? .restoreService : .restore(device: device)]
    }

    /// Returns an edit by a user of any device.
    private mutating func edit() -> SimulationOperation {
        number += 1
        // Sometimes two devices insert a record with one key.
        let number = generator.happens(0.05) ? max(number - 1, 1) : number
        switch random(20) {
        case 0..<6: return .insert(device: device(), entity: random(8), number: number)
        case 6..<11: return .update(device: device(), record: random(6), number: self.number)
        case 11..<14: return .delete(device: device(), record: random(6))
        case 14..<19:
            return .connect(device: device(), record: random(8), relationship: random(6), to: random(4))
        default: return .disconnect(device: device(), record: random(8), relationship: random(6))
        }
    }

    /// Returns a fault, or a rare step of a user.
    ///
    /// The number of cases for a step is its weight.
    private mutating func fault() -> SimulationOperation {
        let place: StoreFailure = generator.happens(0.5) ? .beforeCommit : .afterCommit
        switch random(scopeCount > 0 ? 35 : 34) {
        case 0..<4: return .lose(message: random(3))
        case 4..<6: return .duplicate(message: random(3))
        case 6: return .giveUp(device: device())
        case 7..<9: return .crash(device: device())
        case 9: return .fail(device: device(), at: place)
        case 10: return .failService(at: place)
        case 11: return .backUp(device: device())
        case 12: return .restore(device: device())
        case 13:
            if deviceCount == 5 { return .lose(message: 0) }
            deviceCount += 1
            return .clone(device: random(deviceCount - 1))
        case 14: return .backUpService
        case 15: return .restoreService
        case 16..<18: return .prune(service: random(2))
        case 18: return .throttle(requests: 1 + random(2))
        case 19: return .refuse(generator.happens(0.5))
        case 20: return .changeAccount(device: device(), isOther: generator.happens(0.5))
        case 21:
            if !canGrow { return .prune(service: 0) }
            return generator.happens(0.5) ? .grow(device: device()) : .growService
        case 22..<25:
            return .resolve(
                device: device(), conflict: random(3), by: generator.happens(0.5) ? .local : .remote)
        case 25: return .release(device: device())
        case 26: return .discard(device: device(), record: random(2))
        case 27:
            // The device begins again before the service has received all.
            return .giveUp(device: device())
        // The service fails after it has made, or would have made, a change of which it tells.
        case 28..<31: return .failService(at: place)
        case 31..<34: return .lose(message: 0)
        default: return .changeScope(device: device(), to: random(scopeCount + 1))
        }
    }
}
