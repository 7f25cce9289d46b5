import DifferentialSyncTesting
import HTTPSync
import PostgreSQLPersistence
import PostgreSQLTestSupport
import SocketServing
import StoreSync
import SyncPersistence

/// A server of accounts over PostgreSQL, which cuts some of the clients' connections.
struct LoadServer {
    /// The port on which the server listens.
    var port: UInt16 { server.port }

    private let server: SocketServer

    init(connection: String, accountCount: Int, port: UInt16, seed: UInt64) throws {
        let random = Locked(SeededGenerator(seed: seed))
        let stores = AccountStores(try PostgreSQLPool(connection))
        // Each new order gets another key each time, so an order that is stored twice is found.
        let review = Review { change, _ in
            guard change.new?.entity == "Order", change.old == nil, !change.isConsequence else { return .accept }
            return .amend(key: .integer(random.withLock { .random(in: 1 ... .max, using: &$0) }))
        }
        let service = HTTPService { request in
            guard let account = request.bearerToken.flatMap({ Int($0) }), (0..<accountCount).contains(account) else {
                throw RemoteError.unauthorized
            }
            let store = try await stores.store(of: account)
            return SyncService(
                store, account: "\(account)", limits: SyncLimits(pageRecords: 100, pushRecords: 20), review: review)
        }
        server = try SocketServer(service, port: port) {
            random.withLock { generator in
                guard Int.random(in: 0..<40, using: &generator) == 0 else { return nil }
                return SocketServer.Cut.allCases.randomElement(using: &generator)
            }
        }
    }
}

/// The stores of accounts, each opened at its first request.
private actor AccountStores {
    private let pool: PostgreSQLPool
    private var stores: [Int: Task<PostgreSQLAdapter, any Error>] = [:]

    init(_ pool: PostgreSQLPool) { self.pool = pool }

    func store(of account: Int) async throws -> PostgreSQLAdapter {
        let task =
            stores[account]
            ?? Task { [pool] in
                try await PostgreSQLAdapter.open(
                    on: pool, namespace: LoadPlan.namespace(ofAccount: account), schema: LoadPlan.schema)
            }
        stores[account] = task
        do {
            return try await task.value
        } catch {
            // The next request tries again.
            if stores[account] == task { stores[account] = nil }
            throw error
        }
    }
}
