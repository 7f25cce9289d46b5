import DifferentialSyncTesting
import StoreSync
import TestSupport

/// A service before and after whose pages something else happens.
struct HookedPages: ForwardingRemote {
    let base: SyncService
    /// Called with the number of each page before the service receives the request.
    var before: @Sendable (Int) async throws -> Void = { _ in }
    /// Called with each page and its number before the page arrives.
    var after: @Sendable (inout PullResponse, Int) async throws -> Void = { _, _ in }
    let count = Locked(0)

    func pull(_ request: PullRequest) async throws -> PullResponse {
        let number = count.next()
        try await before(number)
        var page = try await base.pull(request)
        try await after(&page, number)
        return page
    }
}
