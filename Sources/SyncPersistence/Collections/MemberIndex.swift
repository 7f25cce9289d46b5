/// The members of an object by their names, for as many lookups as it has members.
///
/// A ``ValueObject`` compares a name with each of its own, so that the lookups of all members would take O(*n*²).
struct MemberIndex {
    /// The values of the members.
    private let values: [Value]
    /// The names of the members.
    private let names: [String]
    /// The positions of the names; nil for the few members of most objects, among which a comparison is faster.
    private let positions: [Value: Int]?

    /// Creates the index of an object; of any other value, an index without members.
    ///
    /// - Complexity: O(*n*)
    init(_ value: Value?) {
        guard case .object(let object)? = value else {
            (values, names, positions) = ([], [], nil)
            return
        }
        (values, names) = (object.values, object.names)
        positions =
            names.count <= 16
            ? nil
            : Dictionary(uniqueKeysWithValues: zip(names.lazy.map { .string($0) }, names.indices))
    }

    /// The value under a name; nil if there is none.
    subscript(name: String) -> Value? { position(of: name).map { values[$0] } }

    /// Returns the position of a name; nil if there is none.
    func position(of name: String) -> Int? {
        if let positions { return positions[.string(name)] }
        return names.firstIndex { $0.hasSameScalars(as: name) }
    }
}
