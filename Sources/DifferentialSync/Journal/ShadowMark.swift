/// A mark of the state of a shadow.
///
/// Each merge and each accepted push that changes the shadow gives it a new mark. An edit keeps the mark, even if it
/// resolves a conflict by setting the remote's version.
///
/// ``JournaledCollection/acceptShadow(pushed:at:)`` compares marks to detect that a diff is older than the shadow.
public struct ShadowMark: Sendable {
    /// An object that no other mark has.
    private final class Identity: Sendable {}

    /// The identity, which only copies of the mark share.
    private var identity = Identity()

    /// Creates a mark that no other state has.
    @usableFromInline
    init() {}

    /// Gives the mark an identity that none of its copies has.
    ///
    /// A mark without copies keeps its identity. So a change of many records allocates at most one object.
    @usableFromInline
    mutating func renew() {
        if !isKnownUniquelyReferenced(&identity) { identity = Identity() }
    }
}

extension ShadowMark: Equatable {
    /// Whether two marks belong to the same state of the same shadow.
    public static func == (left: ShadowMark, right: ShadowMark) -> Bool { left.identity === right.identity }
}
