/// A mark of the state of a shadow.
///
/// A merge or an accepted push that changes the shadow gives it a new mark. An edit keeps the mark, even if the edit is
/// the remote's version and so ends a conflict.
///
/// ``JournaledCollection/acceptShadow(pushed:at:)`` compares marks to detect that a diff is older than the shadow.
public struct ShadowMark: Sendable {
    /// An object that no other mark has.
    private final class Identity: Sendable {}

    /// What makes the mark equal to its copies alone.
    private var identity = Identity()

    /// Creates a mark that no other state has.
    @usableFromInline
    init() {}

    /// Makes the mark differ from all copies of it.
    ///
    /// Without copies it can stay as it is. So a change of many records allocates one object at most.
    @usableFromInline
    mutating func renew() {
        if !isKnownUniquelyReferenced(&identity) { identity = Identity() }
    }
}

extension ShadowMark: Equatable {
    /// Whether two marks belong to the same state of the same shadow.
    public static func == (left: ShadowMark, right: ShadowMark) -> Bool { left.identity === right.identity }
}
