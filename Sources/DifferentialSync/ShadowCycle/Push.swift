/// A change of the remote that is to be made on one condition: that it is in the state that the push expects.
///
/// What goes to the remote is ``id``, ``changes`` and ``expected``. The whole push, with what was decided for which
/// records and why, is coded for the client's own store.
public struct Push<Element> {
    /// The push's own name, by which the remote knows it again.
    ///
    /// A remote may take it as its new commit id.
    public let id: String

    /// What is to change.
    public let changes: Diff<Element>

    /// The state in which the remote has to be, or the push is refused; nil for a collection that must not exist yet.
    public let expected: RemoteVersion?

    /// What was decided, for the client once the push has been taken.
    public let merge: ThreeWayMerge<Element>

    /// Whether the shadow was void: at first contact, or because the remote's epoch had changed.
    public let voidsShadow: Bool

    @usableFromInline
    init(
        id: String, changes: Diff<Element>, expected: RemoteVersion?, merge: ThreeWayMerge<Element>, voidsShadow: Bool
    ) {
        self.id = id
        self.changes = changes
        self.expected = expected
        self.merge = merge
        self.voidsShadow = voidsShadow
    }
}

extension Push: Sendable where Element: Sendable {}
extension Push: Equatable where Element: Equatable {}
extension Push: Encodable where Element: Encodable {}
extension Push: Decodable where Element: Decodable {}

/// What a remote answers to a push.
public enum PushAnswer: Hashable, Sendable, Codable {
    /// It was taken, and made this version.
    case accepted(RemoteVersion)
    /// The remote is not in the state that it expects.
    case refused
}

/// What a remote knows of a push whose answer was lost.
public enum PushStatus: Hashable, Sendable, Codable {
    /// It was taken, and this is the version that it made.
    case applied(RemoteVersion)
    /// It was not taken.
    case notApplied
    /// The remote cannot tell. The cycle goes on as if it had not been taken: what was pushed comes up again, and is no
    /// change where the remote has it already.
    case unknown
}

/// What was pulled from a remote.
public enum Pull<Element, Key: Hashable> {
    /// There is no collection at the remote.
    ///
    /// An answer that could not be read is not this, but a failure: see ``SyncCycle/failed()``.
    case nothing
    /// All elements of the remote, and its version.
    case everything([Element], RemoteVersion)
    /// The elements that are new or have changed since the version that was asked for, the keys of those that are gone,
    /// and the version now.
    case changes(changed: [Element], deleted: [Key], RemoteVersion)
}

extension Pull: Sendable where Element: Sendable, Key: Sendable {}
extension Pull: Equatable where Element: Equatable {}
