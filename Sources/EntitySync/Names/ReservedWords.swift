/// The names that attributes of Core Data cannot have.
///
/// These attributes have the entity's name as a prefix: the `type` of a remote's user is the attribute `userType` of
/// `User`.
enum ReservedWords {
    /// The reserved names.
    static let all: Set<NameWords> = ["type", "description", "signed"].reduce(into: []) { $0.insert(NameWords($1)) }

    /// Returns the words of the attribute that a remote key may match in an entity; nil if the key is not reserved.
    static func attributeName(of key: NameWords, in entity: NameWords) -> NameWords? {
        all.contains(key) ? entity + key : nil
    }

    /// Returns the reserved name of an attribute, `type` for `userType` of `User`; nil if it has none.
    static func remoteName(of attribute: NameWords, in entity: NameWords) -> NameWords? {
        all.first { entity + $0 == attribute }
    }
}
