/// A failure of a remote, by what the device does about it.
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
