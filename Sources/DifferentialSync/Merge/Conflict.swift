/// A record that both sides have changed since their common base, to different values.
///
/// A change on one side only, or the same change on both, is no conflict: it is merged without a policy.
public struct Conflict<Element> {
    /// The kinds of conflict.
    public enum Kind: Hashable, Sendable, Codable {
        /// Both sides added a record with this key; there is no base.
        case bothAdded
        /// Both sides edited the record.
        case bothEdited
        /// The record was edited locally and deleted on the remote.
        case editedHereDeletedThere
        /// The record was deleted locally and edited on the remote.
        case deletedHereEditedThere
    }

    /// The last common version of the record, or nil if both sides added it.
    public let base: Element?

    /// The local record, or nil if it was deleted locally.
    public let local: Element?

    /// The remote's record, or nil if it was deleted there.
    public let remote: Element?

    /// Creates a conflict of the given versions, such as for a test of a policy.
    ///
    /// - Parameters:
    ///   - base: The last common version of the record, or nil if both sides added it.
    ///   - local: The local record, or nil if it was deleted locally.
    ///   - remote: The remote's record, or nil if it was deleted there.
    @inlinable
    public init(base: Element?, local: Element?, remote: Element?) {
        self.base = base
        self.local = local
        self.remote = remote
    }

    /// The kind of the conflict.
    public var kind: Kind {
        if local == nil { return .deletedHereEditedThere }
        if remote == nil { return .editedHereDeletedThere }
        return base == nil ? .bothAdded : .bothEdited
    }
}

extension Conflict: Sendable where Element: Sendable {}
extension Conflict: Equatable where Element: Equatable {}
extension Conflict: Hashable where Element: Hashable {}
extension Conflict: Encodable where Element: Encodable {}
extension Conflict: Decodable where Element: Decodable {}

/// The result of a ``ConflictPolicy`` for a ``Conflict``.
public enum Resolution<Element> {
    /// The local record. If it was deleted locally, it is deleted on both sides.
    case local
    /// The remote's record. If it was deleted there, it is deleted on both sides.
    case remote
    /// The last common version. If both sides added it, it is deleted on both sides.
    case base
    /// The record is deleted on both sides.
    case delete
    /// This record, on both sides. It must have the same key.
    case merged(Element)
    /// No resolution yet: both sides keep their record, and the next cycle passes the conflict to its policy again.
    case open
}

extension Resolution: Sendable where Element: Sendable {}
extension Resolution: Equatable where Element: Equatable {}
extension Resolution: Hashable where Element: Hashable {}
