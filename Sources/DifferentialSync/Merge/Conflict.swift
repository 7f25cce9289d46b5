/// A record that both sides have changed since their common base, to different values.
///
/// A change on one side only, or the same change on both, is no conflict and is taken without asking.
public struct Conflict<Element> {
    /// The ways in which two changes of one record can clash.
    public enum Kind: Hashable, Sendable, Codable {
        /// Both sides added a record with this key; there is no base.
        case bothAdded
        /// Both sides edited the record.
        case bothEdited
        /// The record was edited here and deleted there.
        case editedHereDeletedThere
        /// The record was deleted here and edited there.
        case deletedHereEditedThere
    }

    /// The record as both sides last had it in common, or nil if both added it.
    public let base: Element?

    /// The record as it is here, or nil if it was deleted here.
    public let local: Element?

    /// The record as it is there, or nil if it was deleted there.
    public let remote: Element?

    /// A conflict of the given versions: what a test of a policy begins with.
    ///
    /// - Parameters:
    ///   - base: The record as both sides last had it in common, or nil if both added it.
    ///   - local: The record as it is here, or nil if it was deleted here.
    ///   - remote: The record as it is there, or nil if it was deleted there.
    @inlinable
    public init(base: Element?, local: Element?, remote: Element?) {
        self.base = base
        self.local = local
        self.remote = remote
    }

    /// In which way the two changes clash.
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

/// What a ``ConflictPolicy`` says to a ``Conflict``.
public enum Resolution<Element> {
    /// The record as it is here: where it was deleted here, it goes.
    case local
    /// The record as it is there: where it was deleted there, it goes.
    case remote
    /// The record as it was before either side changed it: where both added it, it goes.
    case base
    /// The record goes, on both sides.
    case delete
    /// This record, on both sides. It has the same key.
    case merged(Element)
    /// Nothing yet: both sides stay as they are, and the conflict comes up again in the next cycle.
    case open
}

extension Resolution: Sendable where Element: Sendable {}
extension Resolution: Equatable where Element: Equatable {}
extension Resolution: Hashable where Element: Hashable {}
