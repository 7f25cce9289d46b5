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

    /// Whether the remote accepts a repeated push, and returns the version that the first copy made.
    ///
    /// Such a remote looks for the name of a push before it compares versions. Other remotes refuse the second copy,
    /// although they have applied the push.
    ///
    /// False by default. A cycle then queries the status of each refused push before it pulls: one request more.
    ///
    /// Return true only for a remote that accepts each repeated push. With any other remote, edits of other devices are
    /// overwritten without a report, and records that they have deleted come back.
    var recognizesPushes: Bool { get }

    /// Returns the status of the push with a name.
    ///
    /// A cycle calls it for a push without an answer, and after each refused push unless ``recognizesPushes`` is true.
    /// Return `.notApplied` for a name that the remote does not know, such as for the status 404. A remote that
    /// forgets old names returns `.unknown` instead.
    ///
    /// - Throws: The error that prevents an answer. Nothing is pulled or pushed until a call succeeds.
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

extension RemoteCollection {
    /// Whether the remote accepts a repeated push; false by default.
    public var recognizesPushes: Bool { false }
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
    ///   - progress: Called while what was pulled is stored.
    ///   - tracing: Called with the cycle's messages so far: after each answer, and after an error of the remote.
    /// - Returns: How the cycle has ended: `.synced`, or `.gaveUp` if the remote kept changing.
    /// - Throws: What the remote throws, as it is; ``pendingPush`` then tells whether a push is in doubt. `CycleError` with
    ///   the code `otherAccount` for the remote of another account. What the policy throws, and what ``DurableCycle``
    ///   does.
    @discardableResult
    public func synchronize(
        with remote: some RemoteCollection<Element, Key>, pushID: String = UUID().uuidString,
        onAccountChange: AccountChange = .refuse, maximumRounds: Int = 5, limit: PushLimit<Record> = .records(),
        policy: ConflictPolicy<Element>, progress: (@Sendable (CycleProgress) -> Void)? = nil,
        tracing: (@Sendable (SyncTrace) -> Void)? = nil
    ) async throws -> CycleOutcome {
        var cycle = DurableCycle(
            self, pushID: pushID, account: remote.account, onAccountChange: onAccountChange,
            maximumRounds: maximumRounds, limit: limit, recognizesPushes: remote.recognizesPushes, policy: policy,
            progress: progress)
        var step = try await cycle.begin()
        while true {
            let answer: RemoteAnswer<Element, Key>
            do {
                switch step {
                case .confirm(let pushID): answer = .status(try await remote.status(of: pushID))
                case .pull(let version): answer = .pull(try await remote.pull(since: version))
                case .push(let push): answer = .push(try await remote.push(push))
                case .finished(let outcome): return outcome
                }
            } catch {
                // Nothing is stored: a push under way has been stored already.
                if let tracing, case .finished(let outcome)? = try? await cycle.failed() { tracing(outcome.trace) }
                throw error
            }
            switch answer {
            case .status(let status): step = try await cycle.confirmed(status)
            case .pull(let pull): step = try await cycle.pulled(pull)
            case .push(let push): step = try await cycle.pushed(push)
            }
            tracing?(cycle.trace)
        }
    }
}

/// What a remote has answered to a message of a cycle.
private enum RemoteAnswer<Element: Equatable & Sendable, Key: Hashable & Sendable> {
    case status(PushStatus<Element>)
    case pull(Pull<Element, Key>)
    case push(PushAnswer<Element>)
}
