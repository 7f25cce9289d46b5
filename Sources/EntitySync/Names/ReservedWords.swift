/// Names that attributes of Core Data cannot have, so that theirs have the name of the entity before: the `type` of a
/// remote's user is the attribute `userType` of `User`.
enum ReservedWords {
    /// The reserved names.
    static let all: Set<NameWords> = ["type", "description", "signed"].reduce(into: []) { $0.insert(NameWords($1)) }

    /// The words of the attribute that a remote's key may stand for in an entity; nil if the key is not reserved.
    static func attributeName(of key: NameWords, in entity: NameWords) -> NameWords? {
        all.contains(key) ? entity + key : nil
    }

    /// The reserved name that an attribute of an entity stands for, `type` for `userType` of `User`; nil if for none.
    static func remoteName(of attribute: NameWords, in entity: NameWords) -> NameWords? {
        all.first { entity + $0 == attribute }
    }
}
