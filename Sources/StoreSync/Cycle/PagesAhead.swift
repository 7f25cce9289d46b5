import SyncPersistence

/// A page that was fetched, perhaps before the cycle has asked for it.
struct FetchedPage: Sendable {
    let request: PullRequest
    let page: Result<PullResponse, any Error>

    init(_ request: PullRequest, from remote: some Remote) async {
        self.request = request
        do {
            page = .success(try await remote.pull(request))
        } catch {
            page = .failure(error)
        }
    }

    /// The request for the page after this one; nil after the last page, and after an error.
    var following: PullRequest? {
        guard case .success(let page) = page, page.hasMore else { return nil }
        var next = request
        next.cursor = page.cursor
        return next
    }
}

/// Fetches the next pages while others are stored.
actor PagesAhead {
    /// The largest number of pages that are fetched while others are stored, which bounds the memory.
    private static let limit = 8

    /// Whether the pages before are still being stored; fetching ends when they are.
    private var isStoring = true

    /// Fetches the pages that follow others until the others are stored, and returns them; at least one if one
    /// follows.
    ///
    /// Storing pages is often slower than fetching them. Several that have arrived are then stored in one transaction.
    ///
    /// An error takes the place of the last page.
    func pages(after former: [FetchedPage], from remote: some Remote) async -> [FetchedPage] {
        // Pages that were fetched earlier and not stored together are stored first.
        if former.count > Self.limit { return [] }
        var pages: [FetchedPage] = []
        var request = former.last?.following
        while let next = request, pages.isEmpty || isStoring, pages.count < Self.limit, !Task.isCancelled {
            let page = await FetchedPage(next, from: remote)
            pages.append(page)
            request = page.following
        }
        return pages
    }

    /// Records that the others are stored.
    func stop() { isStoring = false }
}

extension [FetchedPage] {
    /// Reports pages to a cycle that waits for the first one, as long as all of their changes can be made.
    ///
    /// A page with changes that wait, or that conflict with local changes, ends the transaction. The pages after it are
    /// reported in the next one.
    ///
    /// - Returns: The next step and the number of reported pages.
    func report(
        to cycle: inout StoreCycle, in transaction: WriteTransaction
    ) throws -> (StoreCycle.Step, pages: Int) {
        guard let first else { throw CycleError.outOfStep }
        var (step, count) = (try cycle.received(first.page.get(), in: transaction), 1)
        for next in dropFirst() {
            // The next page is an error, which the cycle receives when it requests that page.
            guard step == .pull(next.request), transaction.heldBack.isEmpty, case .success(let page) = next.page else {
                break
            }
            step = try cycle.received(page, in: transaction)
            count += 1
        }
        return (step, count)
    }
}
