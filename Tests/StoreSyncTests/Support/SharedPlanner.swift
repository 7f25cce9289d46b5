import StoreSync
import SyncPersistence
import Testing

/// A planner that a phone and a laptop share over a service, empty at first.
struct SharedPlanner {
    let phone: Device
    let laptop: Device
    let server: any PersistenceAdapter
    let service: SyncService

    init(limits: SyncLimits = SyncLimits(), scopes: [SyncScope] = [], review: Review = .acceptAll) throws {
        (phone, laptop) = (try Device("phone"), try Device("laptop"))
        (server, service) = try Planner.service(limits: limits, scopes: scopes, review: review)
    }
}

/// A suite whose tests each begin with an empty ``SharedPlanner``.
protocol PlannerSuite {
    var shared: SharedPlanner { get }
}

extension PlannerSuite {
    var phone: Device { shared.phone }
    var laptop: Device { shared.laptop }
    var server: any PersistenceAdapter { shared.server }
    var service: SyncService { shared.service }

    /// Checks that both devices and the server have the same records, links and orders.
    func expectAgreement(_ location: SourceLocation = #_sourceLocation) async throws {
        try await expectEqualContents(of: [server, phone.store, laptop.store], location: location)
    }
}

/// Checks that several stores have the same records, links and orders.
func expectEqualContents(
    of stores: [any PersistenceAdapter], _ note: Comment? = nil, location: SourceLocation = #_sourceLocation
) async throws {
    var fingerprints: Set<StoreFingerprint?> = []
    for store in stores { fingerprints.insert(try await store.read { try $0.fingerprint() }) }
    #expect(fingerprints.count == 1, note, sourceLocation: location)
}
