import Foundation
import HTTPSync
import SyncPersistence

/// The paths for operators and their tools.
extension Site {
    /// The longest time for the database to answer.
    private static let readyTimeout = Duration.seconds(5)

    /// Returns the response of a path that is none of the protocol's.
    func page(_ route: RequestCounters.Route, _ request: HTTPServiceRequest) async -> SiteResponse {
        switch route {
        case .live: return SiteResponse(200, "text/plain; charset=utf-8", "live\n")
        case .ready:
            return await isReady()
                ? SiteResponse(200, "text/plain; charset=utf-8", "ready\n")
                : .failure(503, "later", "The database does not answer.")
        default: break
        }
        guard let operatorToken else { return .failure(404, "unknownPath", "The service has no such path.") }
        guard operatorToken.accepts(request) else {
            return .failure(
                401, "unauthorized", "The authorization is not accepted.",
                ["WWW-Authenticate": "Basic realm=\"operations\", charset=\"UTF-8\""])
        }
        switch route {
        case .metrics: return await metrics()
        case .devices: return await devices(request)
        default: return await operations()
        }
    }

    /// Whether the database answers in time.
    private func isReady() async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            defer { group.cancelAll() }
            group.addTask { [stores, probe, ping] in
                do {
                    if let ping { try await ping() } else { try await stores.use(probe, Self.readSequence) }
                    return true
                } catch {
                    return false
                }
            }
            group.addTask { [clock] in
                try? await clock.sleep(for: Self.readyTimeout)
                return false
            }
            return await group.next() ?? false
        }
    }

    /// Reads a value of the store, since a transaction alone reads nothing.
    @Sendable private static func readSequence(_ store: any PersistenceAdapter) async throws {
        _ = try await store.read { try $0.sequence }
    }

    private func metrics() async -> SiteResponse {
        let text = MetricsText(
            activity.current, start: activity.start, openStores: await stores.openCount, waits: hub.waitCount)
        return SiteResponse(200, "text/plain; version=0.0.4; charset=utf-8", text.text)
    }

    private func operations() async -> SiteResponse {
        var state = activity.current
        let now = activity.seconds
        let open = await stores.openNames
        let recent = state.accounts.sorted { $0.value.lastMessage > $1.value.lastMessage }
            .prefix(OperationsPage.rowLimit)
        var rows: [OperationsPage.Account] = []
        for (account, activity) in recent.sorted(by: { $0.key.description < $1.key.description }) {
            var activity = activity
            let name = account.storageName
            let commits = activity.commits.total(at: now)
            // A closed store is not opened for the page.
            let store = open.contains(name) ? try? await stores.use(name, OperationsPage.Store.read) : nil
            rows.append(
                OperationsPage.Account(
                    name: account.description, activity: activity, commits: commits, store: store))
        }
        let page = OperationsPage(
            commits: state.commits.total(at: now), openStores: open.count, waits: hub.waitCount, accounts: rows,
            omittedCount: state.accounts.count - rows.count)
        return SiteResponse(
            200, "text/html; charset=utf-8", page.html,
            [
                "Content-Security-Policy":
                    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
                "Referrer-Policy": "no-referrer",
            ])
    }
}

extension OperationsPage.Store {
    /// Reads the numbers of a store.
    @Sendable fileprivate static func read(_ store: any PersistenceAdapter) async throws -> Self {
        try await store.read { transaction in
            guard try transaction.keepsHistory else { return Self(records: 0, sequence: 0, horizon: 0) }
            return Self(
                records: Int64(try transaction.fingerprint()?.count ?? 0), sequence: try transaction.historySequence,
                horizon: try transaction.historyHorizon)
        }
    }
}
