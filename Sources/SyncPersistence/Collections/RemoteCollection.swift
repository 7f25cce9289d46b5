public import DifferentialSync

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The other end of a cycle: a collection that takes pushes on the version that they expect, and remembers them.
///
/// What its methods throw is a failure of the network, or an answer that cannot be read: the cycle ends, and the next
/// one asks about a push that was under way. A push that is refused is none; it is an answer.
public protocol RemoteCollection<Element, Key>: Sendable {
    /// What it holds.
    associatedtype Element: Equatable & Sendable
    /// The key of an element.
    associatedtype Key: Hashable & Sendable

    /// The name of the account whose elements it holds, such as an id of the user; one name for all if there are no
    /// accounts.
    ///
    /// A collection remembers it, and a cycle with another account's remote throws, so that the elements of one account
    /// are not pushed into another by mistake.
    var account: String { get }

    /// What became of the push with a name.
    ///
    /// - Throws: Whatever keeps the remote from answering.
    func status(of pushID: String) async throws -> PushStatus<Element>

    /// What has changed since a version, or everything if that is nil or the remote does not know it.
    ///
    /// - Throws: Whatever keeps the remote from answering.
    func pull(since version: RemoteVersion?) async throws -> Pull<Element, Key>

    /// Applies a push as a whole, if the remote is in the state that it expects, and remembers its name.
    ///
    /// A remote that changes what it accepts, such as by a time of its own, answers the elements as they are now.
    ///
    /// - Throws: Whatever keeps the remote from answering. It may have applied the push all the same.
    func push(_ push: Push<Element>) async throws -> PushAnswer<Element>
}

extension PersistentCollection {
    /// Runs one cycle with a remote.
    ///
    /// ```swift
    /// try await notes.synchronize(with: server, policy: .newest(by: \.modified))
    /// ```
    ///
    /// If the cycle fails, is cancelled or the process dies, the collection is in the state after one of its steps, never
    /// between. The next cycle goes on from there. See ``DurableCycle``.
    ///
    /// - Parameters:
    ///   - remote: The remote.
    ///   - pushID: A name for this cycle that no other one has, of any device; a new UUID unless given. The names of its
    ///     pushes are made of it.
    ///   - onAccountChange: What to do if the collection belongs to another account. One without an account that has
    ///     records belongs to that of the store's other collections.
    ///   - maximumRounds: How many refused pushes to send before giving up. At least 1.
    ///   - limit: How much one push may hold.
    ///   - policy: Resolves conflicts.
    ///   - progress: Called while what was pulled is stored.
    /// - Returns: How the cycle has ended: `.synced`, or `.gaveUp` if the remote kept changing.
    /// - Throws: What the remote throws, as it is; ``pendingPush`` then tells whether a push is in doubt. `CycleError` with
    ///   the code `otherAccount` for the remote of another account. What the policy throws, and what ``DurableCycle``
    ///   does.
    @discardableResult
    public func synchronize(
        with remote: some RemoteCollection<Element, Key>, pushID: String = UUID().uuidString,
        onAccountChange: AccountChange = .refuse, maximumRounds: Int = 5, limit: PushLimit<Record> = .records(),
        policy: ConflictPolicy<Element>, progress: (@Sendable (CycleProgress) -> Void)? = nil
    ) async throws -> CycleOutcome {
        var cycle = DurableCycle(
            self, pushID: pushID, account: remote.account, onAccountChange: onAccountChange,
            maximumRounds: maximumRounds, limit: limit, policy: policy, progress: progress)
        var step = try await cycle.begin()
        while true {
            // Nothing is to be stored if the remote fails: a push under way has been stored already.
            switch step {
            case .confirm(let pushID): step = try await cycle.confirmed(remote.status(of: pushID))
            case .pull(let version): step = try await cycle.pulled(remote.pull(since: version))
            case .push(let push): step = try await cycle.pushed(remote.push(push))
            case .finished(let outcome): return outcome
            }
        }
    }
}
