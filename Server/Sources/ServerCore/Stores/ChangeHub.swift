package import StoreSync
import Synchronization

/// The requests that wait for a change of their account.
package final class ChangeHub: Sendable {
    private struct State {
        var waits: [String: [Int: AsyncStream<SyncCursor?>.Continuation]] = [:]
        var count = 0
        /// The tasks that receive the announcements of other processes, and the numbers of the waits that began them.
        var listeners: [String: (number: Int, task: Task<Void, Never>)] = [:]
        var isEnded = false
        /// The number of waits.
        var waitCount: Int { waits.values.reduce(0) { $0 + $1.count } }
    }

    private let state = Mutex(State())
    private let waitLimit: Int
    private let accountWaitLimit: Int
    private let listenerLimit: Int

    /// Receives the changes of an account by other processes until its task is cancelled.
    private let listen: (@Sendable (_ account: String, _ changed: @escaping @Sendable () -> Void) async -> Void)?

    /// - Parameters:
    ///   - waitLimit: The most waits of all accounts.
    ///   - accountWaitLimit: The most waits of one account.
    ///   - listenerLimit: The most accounts whose changes by other processes are received.
    ///   - listen: Receives the changes of an account by other processes; nil if there are none.
    package init(
        waitLimit: Int, accountWaitLimit: Int, listenerLimit: Int,
        listen: (@Sendable (_ account: String, _ changed: @escaping @Sendable () -> Void) async -> Void)?
    ) {
        self.waitLimit = waitLimit
        self.accountWaitLimit = accountWaitLimit
        self.listenerLimit = listenerLimit
        self.listen = listen
    }

    /// The number of waits.
    package var waitCount: Int { state.withLock { $0.waitCount } }

    /// Returns the later changes of an account, without the positions in its history; nil if there are too many waits.
    ///
    /// The wait ends when the stream is no longer used.
    package func changes(of account: String) -> AsyncStream<SyncCursor?>? {
        let (stream, continuation) = AsyncStream.makeStream(of: SyncCursor?.self, bufferingPolicy: .bufferingNewest(1))
        let number: Int? = state.withLock { state in
            if state.isEnded {
                continuation.yield(nil)
                return state.count
            }
            if state.waitCount >= waitLimit { return nil }
            if state.waits[account, default: [:]].count >= accountWaitLimit { return nil }
            state.count += 1
            state.waits[account, default: [:]][state.count] = continuation
            if let listen, state.listeners[account] == nil, state.listeners.count < listenerLimit {
                let number = state.count
                let task = Task { [weak self] in
                    await listen(account) { [weak self] in self?.publish(account) }
                    self?.endListener(number, of: account)
                }
                state.listeners[account] = (number, task)
            }
            return state.count
        }
        guard let number else { return nil }
        continuation.onTermination = { [weak self] _ in self?.end(number, of: account) }
        return stream
    }

    private func end(_ number: Int, of account: String) {
        let listener: Task<Void, Never>? = state.withLock { state in
            state.waits[account]?[number] = nil
            guard state.waits[account]?.isEmpty == true else { return nil }
            state.waits[account] = nil
            return state.listeners.removeValue(forKey: account)?.task
        }
        listener?.cancel()
    }

    /// Removes a listener that has ended, so that the next wait begins another one.
    private func endListener(_ number: Int, of account: String) {
        state.withLock { if $0.listeners[account]?.number == number { $0.listeners[account] = nil } }
    }

    /// Reports a change to all waits of an account.
    package func publish(_ account: String) {
        for wait in state.withLock({ $0.waits[account] ?? [:] }).values { wait.yield(nil) }
    }

    /// Answers all waits, and each later one at once, so that devices find another server.
    package func answerAll() {
        let (waits, listeners) = state.withLock { state in
            state.isEnded = true
            defer { state.listeners = [:] }
            return (state.waits.values.flatMap(\.values), Array(state.listeners.values))
        }
        for wait in waits { wait.yield(nil) }
        for listener in listeners { listener.task.cancel() }
    }
}
