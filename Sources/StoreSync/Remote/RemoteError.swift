/// A failure of a remote, by what the device does about it.
///
/// A cycle ends with it as ``StoreOutcome/failure``. Only some failures need the user:
///
/// ```swift
/// switch outcome.failure {
/// case nil, .later, .throttled, .handshakeNeeded: break  // the next cycle goes on
/// case .unauthorized: signIn()
/// case .incompatible(let reason), .gone(let reason): show(reason)
/// }
/// ```
public enum RemoteError: Error, Hashable, Sendable {
    /// The remote does not answer now: try again, after so many seconds if they are given.
    case later(after: Int? = nil)
    /// The remote receives too many requests: try again, after so many seconds if they are given.
    case throttled(after: Int? = nil)
    /// The remote does not accept the authorization: sign in again.
    case unauthorized
    /// Both ends have no version of the protocol in common, or the message cannot be read: update one of them.
    case incompatible(String)
    /// The request does not fit what the service knows of the device: begin with a handshake.
    ///
    /// That is so in another epoch, before the horizon, and for a push whose number the service has answered under
    /// another name.
    case handshakeNeeded(String)
    /// The account or the service no longer exists.
    case gone(String)
}
