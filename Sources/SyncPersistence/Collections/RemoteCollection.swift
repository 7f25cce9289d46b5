public import DifferentialSync

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A remote that accepts pushes on the version that they expect, and remembers their names.
///
/// An error of its methods is a failure of the network, or an answer that cannot be read. The cycle then ends, and the
/// next one queries the status of a push in doubt. A refused push is an answer, not an error.
public protocol RemoteCollection<Element, Key>: Sendable {
    /// The type of its elements.
    associatedtype Element: Equatable & Sendable
    /// The type of the elements' keys.
    associatedtype Key: Hashable & Sendable

    /// The name of the account whose elements it holds, for example an ID of the user.
    ///
    /// Without accounts, it is one constant name.
    ///
    /// A collection stores the account. A cycle with the remote of another account throws, so that the elements of one
    /// account are not pushed to another by mistake.
    var account: String { get }

    /// Returns the status of the push with a name.
    ///
    /// - Throws: The error that prevents an answer.
    func status(of pushID: String) async throws -> PushStatus<Element>

    /// Returns the changes since a version.
    ///
    /// Returns everything if the version is nil or the remote does not know it.
    ///
    /// - Throws: The error that prevents an answer.
    func pull(since version: RemoteVersion?) async throws -> Pull<Element, Key>

    /// Applies a push as a whole if the remote is in the state that it expects, and remembers its name.
    ///
    /// A remote that changes accepted elements, for example by setting a time, returns the elements with its changes.
    ///
    /// - Throws: The error that prevents an answer. The remote may still have applied the push.
    func push(_ push: Push<Element>) async throws -> PushAnswer<Element>
}

extension PersistentCollection {
    /// Runs one cycle with a remote.
    ///
    /// ```swift
    /// try await notes.synchronize(with: server, policy: .newest(by: \.modified))
    /// ```
    ///
    /// If the cycle fails, is cancelled or the process dies, the collection is in the state after one of its steps,
    /// never between. The next cycle resumes. See ``DurableCycle``.
    ///
    /// - Parameters:
    ///   - remote: The remote.
    ///   - pushID: A name for this cycle, unique among the cycles of all devices; by default a new UUID. The names of
    ///     its pushes are derived from it.
    ///   - onAccountChange: The reaction if the collection belongs to another account. A collection with records and
    ///     without an account belongs to that of the store's other collections.
    ///   - maximumRounds: The number of refused pushes after which the cycle gives up. At least 1.
    ///   - limit: The maximum size of one push.
    ///   - policy: Resolves conflicts.
    ///   - progress: Called while a pull is stored.
    /// - Returns: The outcome of the cycle: `.synced`, or `.gaveUp` if the remote kept changing.
    /// - Throws: The errors of the remote, unchanged; ``pendingPush`` is then the push in doubt, if there is one.
    ///   `CycleError` with the code `otherAccount` for the remote of another account. The errors of the policy and of
    ///   ``DurableCycle``.
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
            // If the remote fails, nothing needs to be stored: a push in progress has been stored already.
            switch step {
            case .confirm(let pushID): step = try await cycle.confirmed(remote.status(of: pushID))
            case .pull(let version): step = try await cycle.pulled(remote.pull(since: version))
            case .push(let push): step = try await cycle.pushed(remote.push(push))
            case .finished(let outcome): return outcome
            }
        }
    }
}
