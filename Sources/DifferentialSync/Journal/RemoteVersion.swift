/// The state of a remote collection at one time.
///
/// Both parts are opaque texts, which the remote or the client on its behalf generates.
public struct RemoteVersion: Hashable, Sendable, Codable {
    /// The incarnation of the collection.
    ///
    /// It changes if the remote was reset, restored or created again. Versions of other epochs have no meaning then.
    public var epoch: String

    /// The state within the epoch.
    ///
    /// It changes with each push. The remote accepts a push only in the state that the push expects.
    public var commit: String

    /// Creates a version of the given parts.
    public init(epoch: String, commit: String) {
        self.epoch = epoch
        self.commit = commit
    }
}
