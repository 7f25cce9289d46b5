import DifferentialSync
import StoreSync
import SyncPersistence

/// What all states of a simulation share: the servers, the source of names, and the policies.
///
/// A state is a value and can be continued in several ways. These objects cannot be copied with it. A step puts the
/// content and the counters of its state into them first.
struct SimulationEnvironment: Sendable {
    /// The server with the records of the account, which all devices reach directly or over the relay.
    let service: SimulatedServer

    /// The relay as the service of the devices behind it.
    let relay: SimulatedServer

    /// The scopes of the simulator; empty if the script has none.
    let scopes: [SyncScope]

    /// The policies of the devices, whose decisions are recorded.
    let policies: SyncPolicies

    /// Replaces some operations of the devices' storages.
    let deviceStorage: @Sendable (any RecordStorage) -> any RecordStorage

    /// The source of the names of devices, pushes and epochs.
    private let names: Locked<NameSource>
    /// The decisions of policies in the current step.
    private let decisions: Locked<[DecidedConflict]>
    /// Whether the service refuses changes in the current step.
    private let refusal: Locked<Bool>

    /// The last name, whose number is a part of the state.
    ///
    /// Names that followed from chance would make two equal states differ.
    private struct NameSource: Sendable {
        /// The beginning of the names, which differs for each device and for the service.
        var prefix = ""
        /// The number of names with the prefix.
        var count = 0
    }

    /// Creates the servers and the policies that a script chooses from those of the simulator.
    init(_ simulator: StoreSimulator, _ script: SimulationScript) {
        let (source, decisions, refusal) = (Locked(NameSource()), Locked<[DecidedConflict]>([]), Locked(false))
        (names, self.decisions, self.refusal) = (source, decisions, refusal)
        deviceStorage = simulator.deviceStorage
        scopes = script.scopes.isEmpty || script.hasRelay ? [] : simulator.scopes
        let served = scopes.isEmpty ? [] : [Self.whole] + scopes
        func makeServer(_ prefix: String) -> SimulatedServer {
            let store = SimulatedStore(InMemoryContent(schema: simulator.schema))
            let service = SimulatedService(
                store: store, account: "account",
                limits: SyncLimits(pageRecords: script.pageRecords, pushRecords: script.pushRecords), scopes: served,
                refuses: { refusal.current }, makeName: { Self.makeName(source) })
            return SimulatedServer(
                prefix: prefix, store: store, service: service, remote: simulator.makeRemote(service))
        }
        (service, relay) = (makeServer("service/"), makeServer("relay/"))
        let all = simulator.policies
        policies =
            all.isEmpty
            ? SyncPolicies()
            : all[script.policies.wrapped(all.count)].observed(in: simulator.schema) { conflict, resolution in
                if let decision = DecidedConflict(conflict, resolution) { decisions.withLock { $0.append(decision) } }
            }
    }

    /// The scope of the devices that synchronize all records of a service with scopes.
    private static let whole = SyncScope("all")

    /// Returns the scope of a page; nil for a page of all records.
    ///
    /// The answer to a delayed request has the scope that the device had then.
    func scope(of page: PullResponse) -> SyncScope? {
        scopes.first { page.cursor.epoch.hasSuffix("/\($0.name)") }
    }

    /// Returns a new cycle of a device.
    ///
    /// - Parameter scope: The position of the device's scope; nil for all records.
    func makeCycle(scope: Int?) -> StoreCycle {
        let scope = scopes.isEmpty ? nil : scope.map { scopes[$0] } ?? Self.whole
        return StoreCycle(policies: policies, scope: scope?.name, makeName: { [names] in Self.makeName(names) })
    }

    /// Returns the next name, such as `1/7` for the seventh name of device 1.
    private static func makeName(_ names: Locked<NameSource>) -> String {
        names.withLock { names in
            names.count += 1
            return "\(names.prefix)\(names.count)"
        }
    }

    /// Continues the numbers of the names that have a prefix.
    func setNames(_ prefix: String, count: Int) { names.exchange(with: NameSource(prefix: prefix, count: count)) }

    /// The number of names with the prefix.
    var nameCount: Int { names.current.count }

    /// Sets whether the service refuses changes.
    func setRefuses(_ refuses: Bool) { refusal.exchange(with: refuses) }

    /// Returns the decisions since the last call.
    func takeDecisions() -> [DecidedConflict] { decisions.exchange(with: []) }
}

/// A service of a simulation, and the store on which it works, with the content of the current state.
struct SimulatedServer: Sendable {
    /// The beginning of the names that the service makes.
    let prefix: String
    /// The store of the current state, which is put in for each request.
    let store: SimulatedStore
    /// What the simulator makes the remote of.
    let service: SimulatedService
    /// The service as devices reach it, which may have planted faults.
    let remote: any Remote

    /// Returns the answer to a request.
    func answer(_ request: SimulatedMessage.Request) async throws -> SimulatedMessage.Answer {
        switch request {
        case .handshake(let request): .handshake(try await remote.handshake(request))
        case .pull(let request): .pull(try await remote.pull(request))
        case .push(let request): .push(try await remote.push(request))
        }
    }
}

extension SyncPolicies {
    /// Returns the same policies, which report each decision.
    fileprivate func observed(
        in schema: Schema, _ observe: @escaping @Sendable (Conflict<Record>, Resolution<Record>) -> Void
    ) -> SyncPolicies {
        /// Returns a policy that makes the same decisions and reports each of them.
        func observed(_ policy: ConflictPolicy<Record>) -> ConflictPolicy<Record> {
            ConflictPolicy { conflict in
                let resolution = try policy.resolve(conflict)
                observe(conflict, resolution)
                return resolution
            }
        }
        var policies = SyncPolicies(observed(otherwise))
        for shape in schema.shapes + schema.internalShapes {
            if let policy = self[shape.name] { policies[shape.name] = observed(policy) }
        }
        return policies
    }
}

extension Int {
    /// The number modulo a count, which is never negative.
    ///
    /// For example, message -1 of three is the last one.
    func wrapped(_ count: Int) -> Int {
        let rest = self % count
        return rest < 0 ? rest + count : rest
    }
}
