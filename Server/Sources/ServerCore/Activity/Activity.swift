import Foundation
import StoreSync
import Synchronization
import SyncPersistence

/// What this process has done since its start, for metrics and the page of operators.
final class Activity: Sendable {
    /// All counts.
    struct State {
        var requests = RequestCounters()
        /// The number of requests that have begun and not ended.
        var requestsUnderWay = 0
        var changes = ChangeCounters()
        var refusedTokens: [TokenVerifier.Refusal: Int] = [:]
        var passingFailures: [String: Int] = [:]
        var accounts: [AccountName: AccountActivity] = [:]
        var commits = MinuteCounter()
        /// The number of messages, by which they are ordered.
        var messageCount = 0
    }

    private let state = Mutex(State())
    private let accountLimit: Int
    private let date: @Sendable () -> Date

    /// The time at which the process began.
    let start: Date

    /// - Parameter accountLimit: The most accounts to remember.
    init(accountLimit: Int, date: @escaping @Sendable () -> Date) {
        self.accountLimit = accountLimit
        self.date = date
        start = date()
    }

    /// All counts as they are now.
    var current: State { state.withLock { $0 } }

    /// The present time in seconds.
    var seconds: Double { date().timeIntervalSince1970 }

    /// Counts a request that begins.
    func begin() { state.withLock { $0.requestsUnderWay += 1 } }

    /// Counts an answered request.
    func answered(_ route: RequestCounters.Route, status: Int, seconds: Double) {
        state.withLock { state in
            state.requestsUnderWay -= 1
            state.requests.add(route, status: status, seconds: seconds)
        }
    }

    /// Counts a refused token.
    func refused(_ refusal: TokenVerifier.Refusal) {
        state.withLock { $0.refusedTokens[refusal, default: 0] += 1 }
    }

    /// Counts a failure of a store that may not recur.
    func failedForNow(_ error: PersistenceError) {
        state.withLock { $0.passingFailures[error.code.description, default: 0] += 1 }
    }

    /// Notes a device's pull.
    func pulled(by device: String, of account: AccountName, isComplete: Bool) {
        edit(account) { $0.pulled(device, isComplete: isComplete, message: $1) }
    }

    /// Notes a device's push.
    func pushed(by device: String, of account: AccountName, _ outcomes: [PushResponse.Outcome]) {
        let hasCommitted = outcomes.contains(where: \.isAccepted)
        let now = seconds
        state.withLock { state in
            state.changes.add(outcomes)
            if hasCommitted { state.commits.add(1, at: now) }
        }
        edit(account) { activity, message in
            activity.pushed(device, hasCommitted: hasCommitted, message: message)
            if hasCommitted { activity.commits.add(1, at: now) }
            for outcome in outcomes.map(ChangeCounters.Outcome.init) {
                if [.refused, .unauthorized].contains(outcome) { activity.refused += 1 }
                if outcome == .conflict { activity.conflicts += 1 }
            }
        }
    }

    private func edit(_ account: AccountName, _ change: (inout AccountActivity, Int) -> Void) {
        state.withLock { state in
            state.messageCount += 1
            if state.accounts[account] == nil, state.accounts.count >= accountLimit,
                let oldest = state.accounts.min(by: { $0.value.lastMessage < $1.value.lastMessage })
            {
                state.accounts[oldest.key] = nil
            }
            change(&state.accounts[account, default: AccountActivity()], state.messageCount)
        }
    }
}
