import DifferentialSync
import StoreSync
import SyncPersistence

/// What a simulation's devices and service share, and what is no part of a state: the service as a remote, the source of
/// names, and the decisions of policies.
struct SimulationEnvironment: Sendable {
    /// The server with the records of the account, which all devices reach directly or over the relay.
    let service: SimulatedServer

    /// The relay as the service of the devices behind it.
    let relay: SimulatedServer

    /// The scopes of the simulator; empty if the script has none.
    let scopes: [SyncScope]

    /// The policies of the devices, whose decisions are recorded.
    let policies: SyncPolicies

    private let names: Locked<NameSource>
    private let decisions: Locked<[DecidedConflict]>
    private let refusal: Locked<Bool>

    /// Numbers of names, so that names follow from the state.
    private struct NameSource: Sendable {
        var prefix = ""
        var count = 0
    }

    init(_ simulator: StoreSimulator, _ script: SimulationScript) {
        let (source, decisions, refusal) = (Locked(NameSource()), Locked<[DecidedConflict]>([]), Locked(false))
        (names, self.decisions, self.refusal) = (source, decisions, refusal)
        scopes = script.scopes.isEmpty || script.hasRelay ? [] : simulator.scopes
        let served = scopes.isEmpty ? [] : [Self.whole] + scopes
        func makeServer() -> SimulatedServer {
            let store = SimulatedStore(InMemoryContent(schema: simulator.schema))
            let service = SimulatedService(
                store: store, account: "account",
                limits: SyncLimits(pageRecords: script.pageRecords, pushRecords: script.pushRecords), scopes: served,
                refuses: { refusal.current }, makeName: { Self.makeName(source) })
            return SimulatedServer(store: store, service: service, remote: simulator.makeRemote(service))
        }
        (service, relay) = (makeServer(), makeServer())
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
    let store: SimulatedStore
    let service: SimulatedService
    let remote: any Remote
}

extension SyncPolicies {
    /// Returns the same policies, which report each decision.
    fileprivate func observed(
        in schema: Schema, _ observe: @escaping @Sendable (Conflict<Record>, Resolution<Record>) -> Void
    ) -> SyncPolicies {
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
    /// The number modulo a count.
    func wrapped(_ count: Int) -> Int {
        let rest = self % count
        return rest < 0 ? rest + count : rest
    }
}
