public import StoreSync
public import SyncPersistence

/// A simulation of devices and a service that synchronize a store, with every fault that a network, a program and a user
/// can have.
///
/// The devices, the service and the messages between them are values. A script of steps changes them; a seed makes the
/// script. So each run can be repeated, and a failing one becomes shorter.
///
/// ```swift
/// let simulator = StoreSimulator(schema: schema, policies: [SyncPolicies(.localWins)])
/// try await simulator.check(seeds: 0..<100)
/// ```
///
/// After each script, all messages are delivered, and all devices synchronize until nothing changes. Then each device
/// and the service must be equal, except for what the device lists, and no edit may be lost; see
/// ``SimulationFault/Rule``.
public struct StoreSimulator: Sendable {
    /// The schema of the stores.
    ///
    /// The simulation inserts no records of entities without a primary key of their own.
    public var schema: Schema

    /// The policies of the devices; each script uses one of them.
    public var policies: [SyncPolicies]

    /// The entities with which the schema of a store grows within a script.
    public var growth: [Entity] = []

    /// The scopes of devices in a part of the scripts.
    public var scopes: [SyncScope] = []

    /// Creates the stores in files, which a part of the scripts uses instead of stores in memory; nil for none.
    ///
    /// They are opened again when a program ends.
    public var makeFiles: (@Sendable () throws -> SimulatedFiles)?

    /// Creates the service of a run, and that of a relay.
    public var makeRemote: @Sendable (SimulatedService) -> any Remote

    /// Begins another epoch of a service whose store was restored from a copy.
    public var beginEpoch: @Sendable (SimulatedService) async throws -> Void = {
        try await $0.makeSyncService().beginEpoch()
    }

    /// Replaces some operations of the devices' storages.
    public var deviceStorage: @Sendable (any RecordStorage) -> any RecordStorage = { $0 }

    /// Creates a simulation.
    ///
    /// - Parameters:
    ///   - schema: The schema of the stores.
    ///   - policies: The policies of the devices; each script uses one of them.
    ///   - makeRemote: Creates the service of a run; a `SyncService` by default.
    public init(
        schema: Schema, policies: [SyncPolicies] = [SyncPolicies()],
        makeRemote: @escaping @Sendable (SimulatedService) -> any Remote = { $0.makeSyncService() }
    ) {
        self.schema = schema
        self.policies = policies
        self.makeRemote = makeRemote
    }
}

/// What a script of a simulation has led to.
public struct SimulationRun: Sendable {
    /// The script.
    public let script: SimulationScript

    /// The rules that were found broken, in the order of their discovery.
    public let faults: [SimulationFault]

    /// What has happened, one event in a line.
    public let trace: [String]

    /// How often each kind of event has happened.
    public let events: [SimulationEvent: Int]
}

extension SimulationRun: CustomStringConvertible {
    /// The faults, the trace and the script.
    public var description: String {
        (faults.map(\.description) + ["trace:"] + trace + ["script:", script.json]).joined(separator: "\n")
    }
}

/// A script of a simulation that breaks a rule, as short as it was made.
public struct SimulationFailure: Error, Sendable, CustomStringConvertible {
    /// The seed of the script; nil for one that was given.
    public let seed: UInt64?

    /// The run of the shortened script.
    public let run: SimulationRun

    /// The seed and the run.
    public var description: String { "seed \(seed.map { "\($0)" } ?? "unknown")\n\(run)" }
}

extension StoreSimulator {
    /// Runs a script to its end, heals all faults, and checks the rules.
    public func run(_ script: SimulationScript) async -> SimulationRun {
        let report = await end(of: script, isTraced: true)
        return SimulationRun(script: script, faults: report.faults, trace: report.trace ?? [], events: report.events)
    }

    /// Runs the scripts of seeds until one breaks a rule.
    ///
    /// - Parameters:
    ///   - seeds: The seeds.
    ///   - length: The number of steps in a script.
    /// - Returns: How often each kind of event has happened.
    /// - Throws: ``SimulationFailure`` with a short script that breaks the same rule.
    @discardableResult
    public func check(seeds: Range<UInt64>, length: Int = 60) async throws -> [SimulationEvent: Int] {
        var events: [SimulationEvent: Int] = [:]
        for seed in seeds {
            let script = SimulationScript(seed: seed, for: self, length: length)
            let report = await end(of: script, isTraced: false)
            events.merge(report.events, uniquingKeysWith: +)
            if let fault = report.faults.first {
                throw SimulationFailure(seed: seed, run: await run(shortened(script, breaking: fault.rule)))
            }
        }
        return events
    }

    /// Returns the first rule that a script breaks; nil if it breaks none.
    func fault(of script: SimulationScript) async -> SimulationFault? {
        await end(of: script, isTraced: false).faults.first
    }

    private func end(of script: SimulationScript, isTraced: Bool) async -> SimulationReport {
        var world = SimulatedWorld(self, script, isTraced: isTraced)
        let files = await world.openFiles(script.files)
        for operation in script.operations where world.report.faults.isEmpty { await world.apply(operation) }
        if world.report.faults.isEmpty { await world.heal() }
        if world.report.faults.isEmpty { world.checkRest() }
        if let files { await world.remove(files) }
        return world.report
    }
}
