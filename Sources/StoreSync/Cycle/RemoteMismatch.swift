/// A difference between a store and its remote that an app may want to decide about before anything is sent or stored.
///
/// A cycle finds it by the handshake, and acts on it by a ``Choice``. ``defaultChoice`` loses nothing.
///
/// ```swift
/// let outcome = try await store.synchronize(
///     with: service,
///     choose: { mismatch in
///         if case .account = mismatch { .drop } else { mismatch.defaultChoice }
///     })
/// ```
public enum RemoteMismatch: Hashable, Sendable {
    /// The store belongs to one account, and the remote to another one.
    case account(store: String, remote: String)
    /// The remote's history, with this epoch, does not continue the history that the store knows.
    ///
    /// The service was set up anew, or was restored from a backup.
    case history(epoch: String)
    /// The remote no longer knows all deletions since the last cycle of the store.
    case horizon
    /// The remote's schema lacks entities or some of their attributes and references, here by the name of the entity.
    ///
    /// It is found once, and again when the remote lacks more.
    case schema(missing: [String: [String]])

    /// A reaction to a mismatch.
    public enum Choice: String, Hashable, Sendable, CaseIterable {
        /// The records of both ends are compared, and local changes are kept.
        ///
        /// | mismatch | records that only the store has |
        /// | --- | --- |
        /// | account, history | are sent |
        /// | horizon | are deleted if they have no local change |
        /// | schema | stay here as long as the remote has no place for them |
        case merge
        /// The cycle throws a ``KeptApartError``; nothing is sent or stored.
        ///
        /// The next cycle finds the mismatch again.
        case keepApart
        /// The records of the remote replace those of the store.
        ///
        /// - Warning: Local changes that were not sent are lost.
        case drop
    }

    /// The choice that loses no edit: to merge, but to keep two accounts apart.
    public var defaultChoice: Choice { if case .account = self { .keepApart } else { .merge } }
}

extension RemoteMismatch: CustomStringConvertible {
    /// The mismatch in words.
    public var description: String {
        switch self {
        case .account(let store, let remote):
            "the store belongs to the account '\(store)', and the remote to '\(remote)'"
        case .history(let epoch): "the remote has another history than the store, with the epoch '\(epoch)'"
        case .horizon: "the remote no longer knows all deletions since the last cycle of the store"
        case .schema(let missing):
            "the schema of the remote lacks "
                + missing.sorted { $0.key < $1.key }.map { "\($0) (\($1.joined(separator: ", ")))" }
                .joined(separator: ", ")
        }
    }
}

/// Thrown by a cycle that a mismatch has ended, as was chosen.
public struct KeptApartError: Error, Hashable, CustomStringConvertible {
    /// The difference between both ends.
    public let mismatch: RemoteMismatch

    /// Creates the error for a mismatch.
    public init(mismatch: RemoteMismatch) { self.mismatch = mismatch }

    /// The cause and a remedy.
    public var description: String {
        "\(mismatch). Nothing was sent or stored: choose whether to merge both or to drop the records of the store, or use "
            + "another store"
    }
}
