/// The next request or the end of a ``SyncCycle``.
///
/// A step does not depend on the type of the key, so one function can log or send the steps of all collections:
///
/// ```swift
/// func title(of step: SyncStep<Note>) -> String {
///     switch step {
///     case .confirm(let pushID): "confirm \(pushID)"
///     case .pull(let since): since == nil ? "pull everything" : "pull changes"
///     case .push(let push): "push \(push.changes.counts)"
///     case .finished(let outcome): "finished: \(outcome.counts)"
///     }
/// }
/// ```
public enum SyncStep<Element> {
    /// Ask the remote whether it applied the push with this name, and report by ``SyncCycle/confirmed(_:_:)``.
    case confirm(pushID: String)
    /// Pull the changes since the version, or all elements if it is nil, and report by ``SyncCycle/pulled(_:_:)``.
    case pull(since: RemoteVersion?)
    /// Send the push, and report by ``SyncCycle/pushed(_:_:)`` or ``SyncCycle/failed()``.
    ///
    /// To survive the end of the process, store the collection first: it holds the push as
    /// ``JournaledCollection/pendingPush``.
    case push(Push<Element>)
    /// The cycle has ended.
    case finished(SyncOutcome)
}

extension SyncStep: Sendable where Element: Sendable {}
extension SyncStep: Equatable where Element: Equatable {}
