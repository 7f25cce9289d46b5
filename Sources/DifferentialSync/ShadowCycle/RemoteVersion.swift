/// The state of a remote collection at one time.
///
/// Both parts are opaque: the remote, or the client on its behalf, makes them up.
public struct RemoteVersion: Hashable, Sendable, Codable {
    /// The incarnation of the collection: it changes when the remote was reset, restored or created anew, and nothing
    /// that was known of it before holds any more.
    public var epoch: String

    /// The state within the epoch: it changes with each push, and a push is taken only on the state that it expects.
    public var commit: String

    /// A version of the given parts.
    public init(epoch: String, commit: String) {
        self.epoch = epoch
        self.commit = commit
    }
}
