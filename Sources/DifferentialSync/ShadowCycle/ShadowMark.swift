/// A mark of the state of a shadow: another one after each change of the shadow.
///
/// ``JournaledCollection/acceptShadow(pushed:at:)`` finds out by it that a diff is older than the shadow.
public struct ShadowMark: Sendable {
    private final class Identity: Sendable {}

    private let identity = Identity()

    /// A mark that no other state has.
    @usableFromInline
    init() {}
}

extension ShadowMark: Equatable {
    /// Whether two marks are of one state of one shadow.
    public static func == (left: ShadowMark, right: ShadowMark) -> Bool { left.identity === right.identity }
}
