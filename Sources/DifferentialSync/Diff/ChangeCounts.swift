/// How many elements a ``Diff`` adds, deletes and replaces.
public struct ChangeCounts: Hashable, Sendable, Codable {
    /// How many elements are new.
    public var added: Int
    /// How many elements are deleted, without those that are replaced.
    public var deleted: Int
    /// How many elements replace another one with their key.
    public var replaced: Int

    /// Counts, all zero unless given.
    public init(added: Int = 0, deleted: Int = 0, replaced: Int = 0) {
        self.added = added
        self.deleted = deleted
        self.replaced = replaced
    }

    /// The number of all changes.
    public var total: Int { added + deleted + replaced }
}

extension ChangeCounts {
    /// Adds the numbers of further changes.
    @usableFromInline
    static func += (left: inout ChangeCounts, right: ChangeCounts) {
        left.added += right.added
        left.deleted += right.deleted
        left.replaced += right.replaced
    }

    /// Returns the numbers of changes since earlier numbers.
    static func - (left: ChangeCounts, right: ChangeCounts) -> ChangeCounts {
        ChangeCounts(
            added: left.added - right.added, deleted: left.deleted - right.deleted,
            replaced: left.replaced - right.replaced)
    }
}

extension ChangeCounts: CustomStringConvertible {
    /// Such as `2 added, 1 deleted, 3 replaced`, or `no changes`.
    public var description: String {
        let parts = [(added, "added"), (deleted, "deleted"), (replaced, "replaced")]
        let texts = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return texts.isEmpty ? "no changes" : texts.joined(separator: ", ")
    }
}
