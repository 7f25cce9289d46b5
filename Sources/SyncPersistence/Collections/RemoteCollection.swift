public import DifferentialSync

/// The other end of a cycle: a collection that takes pushes on the version that they expect, and remembers them.
///
/// What its methods throw is a failure of the network, or an answer that cannot be read: the cycle ends, and the next
/// one asks about a push that was under way. A push that is refused is none; it is an answer.
public protocol RemoteCollection<Element, Key>: Sendable {
    /// What it holds.
    associatedtype Element: Equatable & Sendable
    /// The key of an element.
    associatedtype Key: Hashable & Sendable

    /// What has become of the push with a name.
    ///
    /// - Throws: Whatever keeps the remote from answering.
    func status(of pushID: String) async throws -> PushStatus<Element>

    /// What has changed since a version, or everything if that is nil or the remote does not know it.
    ///
    /// - Throws: Whatever keeps the remote from answering.
    func pull(since version: RemoteVersion?) async throws -> Pull<Element, Key>

    /// Takes a push as a whole, if the remote is in the state that it expects, and remembers its name.
    ///
    /// - Throws: Whatever keeps the remote from answering. It may have taken the push all the same.
    func push(_ push: Push<Element>) async throws -> PushAnswer<Element>
}

extension PersistentCollection {
    /// Runs one cycle with a remote.
    ///
    /// ```swift
    /// try await notes.synchronize(with: server, pushID: id, policy: .newest(by: \.modified))
    /// ```
    ///
    /// Wherever it ends, by an error, by a cancelled task or with the program, the collection is as before or as after
    /// the cycle, and the next cycle goes on from there. See ``DurableCycle``.
    ///
    /// - Parameters:
    ///   - remote: The remote.
    ///   - pushID: A name for this cycle's push that no other one has, of any device.
    ///   - maximumRounds: How often to pull, merge and push before giving up. At least 1.
    ///   - policy: What settles conflicts.
    /// - Returns: How the cycle has ended: `.synced`, or `.gaveUp` if the remote kept changing.
    /// - Throws: What the remote throws, as it is; ``pendingPush`` then tells whether a push is in doubt. What the
    ///   policy throws, and what ``DurableCycle`` does.
    @discardableResult
    public func synchronize(
        with remote: some RemoteCollection<Element, Key>, pushID: String, maximumRounds: Int = 5,
        policy: ConflictPolicy<Element>
    ) async throws -> SyncOutcome {
        var cycle = DurableCycle(self, pushID: pushID, maximumRounds: maximumRounds, policy: policy)
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
