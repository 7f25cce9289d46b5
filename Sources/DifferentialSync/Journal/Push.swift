/// Changes for the remote, with the state in which the remote must be.
///
/// The message to the remote holds these three parts and nothing else. The client stores them until the remote answers.
public struct Push<Element> {
    /// The name of the push, by which the remote recognizes it.
    ///
    /// A remote may use it as the new commit id.
    public let id: String

    /// The changes to apply.
    public let changes: Diff<Element>

    /// The state in which the remote must be, or it refuses the push; nil for a collection that must not exist yet.
    public let expected: RemoteVersion?

    /// Creates a push of the given changes.
    ///
    /// - Parameters:
    ///   - id: The name of the push, which no other push has.
    ///   - changes: The changes to apply.
    ///   - expected: The state in which the remote must be; nil for a collection that must not exist yet.
    @inlinable
    public init(id: String, changes: Diff<Element>, expected: RemoteVersion?) {
        self.id = id
        self.changes = changes
        self.expected = expected
    }
}

extension Push: Sendable where Element: Sendable {}
extension Push: Equatable where Element: Equatable {}
extension Push: Encodable where Element: Encodable {}
extension Push: Decodable where Element: Decodable {}

/// The answer of a remote to a push.
public enum PushAnswer<Element> {
    /// The remote has applied the push, which made this version.
    ///
    /// `amended` holds the elements that the remote now holds in another form than they were pushed in, such as with
    /// the server's time of modification.
    case accepted(RemoteVersion, amended: [Element] = [])
    /// The remote is not in the state that the push expects, and has changed nothing.
    ///
    /// A remote that recognizes pushes does not refuse a repeated push that it has applied. It accepts the push again,
    /// with the version that the first copy made.
    case refused
}

extension PushAnswer: Sendable where Element: Sendable {}
extension PushAnswer: Equatable where Element: Equatable {}
extension PushAnswer: Hashable where Element: Hashable {}
extension PushAnswer: Encodable where Element: Encodable {}
extension PushAnswer: Decodable where Element: Decodable {}

/// What a remote knows about a push whose answer was lost, or that was refused.
public enum PushStatus<Element> {
    /// The remote has applied the push, which made this version. For `amended` see ``PushAnswer/accepted(_:amended:)``.
    case applied(RemoteVersion, amended: [Element] = [])
    /// The remote has not applied the push.
    case notApplied
    /// The remote does not know.
    ///
    /// The cycle then pulls and merges. A change that the remote has applied is then no local change any more.
    case unknown
}

extension PushStatus {
    /// Whether the remote does not know what became of the push.
    @usableFromInline var isUnknown: Bool { if case .unknown = self { true } else { false } }
}

extension PushStatus: Sendable where Element: Sendable {}
extension PushStatus: Equatable where Element: Equatable {}
extension PushStatus: Hashable where Element: Hashable {}
extension PushStatus: Encodable where Element: Encodable {}
extension PushStatus: Decodable where Element: Decodable {}

/// What was pulled from a remote.
public enum Pull<Element, Key: Hashable & Sendable> {
    /// The remote has no collection.
    ///
    /// An answer that cannot be read is a failure instead: see ``SyncCycle/failed()``.
    case nothing
    /// All elements of the remote, and its version.
    ///
    /// `unreadable` holds the keys of the elements that the caller could not decode. They are neither deleted nor
    /// changed: see ``SyncCycle/unreadableKeys``.
    case everything([Element], RemoteVersion, unreadable: [Key] = [])
    /// The elements that were added or changed since the requested version, the keys of the deleted ones, and the
    /// remote's present version.
    ///
    /// `unreadable` holds the keys of changed elements that the caller could not decode.
    case changes(changed: [Element], deleted: [Key], RemoteVersion, unreadable: [Key] = [])
}

extension Pull: Sendable where Element: Sendable {}
extension Pull: Equatable where Element: Equatable {}
