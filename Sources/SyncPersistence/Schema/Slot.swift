/// One value of a record's shape.
public struct Slot: Hashable, Sendable {
    /// The name of the attribute or relationship.
    public let name: String

    /// What it holds.
    public let content: Content

    /// Whether it may be null.
    public let isOptional: Bool

    /// What a new record has where none is given.
    public let defaultValue: Value

    /// Whether a store keeps an index of it.
    public let isIndexed: Bool

    /// The topmost entity that declares it.
    ///
    /// With the name, it tells the slot from all others of its hierarchy: two entities that inherit one parent may each
    /// declare a slot of one name.
    public let declaredBy: String

    /// Its name in an older schema.
    public let renamedFrom: String?

    /// Whether it is kept by the library, and not a property of the schema.
    public let isInternal: Bool

    /// What a slot holds.
    public enum Content: Hashable, Sendable {
        /// An attribute's value.
        case attribute(AttributeType)
        /// The key of a record of another entity, whose parts have the given types; of several parts, an array.
        ///
        /// Where it is not enforced, it may name a record that is not there.
        case reference(to: String, [AttributeType], isEnforced: Bool)
    }

    package init(
        _ name: String, _ content: Content, isOptional: Bool = true, default defaultValue: Value = .null,
        isIndexed: Bool = false, declaredBy: String, renamedFrom: String? = nil, isInternal: Bool = false
    ) {
        self.name = name
        self.content = content
        self.isOptional = isOptional
        self.defaultValue = defaultValue
        self.isIndexed = isIndexed
        self.declaredBy = declaredBy
        self.renamedFrom = renamedFrom
        self.isInternal = isInternal
    }

    /// The types of the columns that it takes: one, or the parts of a composite key.
    public var columnTypes: [AttributeType] {
        switch content {
        case .attribute(let type): [type]
        case .reference(_, let types, _): types
        }
    }

    /// Whether a value may stand here; null may where the slot is optional.
    public func admits(_ value: Value) -> Bool {
        if value.isNull { return isOptional }
        switch content {
        case .attribute(let type): return type.admits(value)
        case .reference(_, let types, _):
            if types.count == 1 { return types[0].admits(value) }
            guard case .array(let parts) = value, parts.count == types.count else { return false }
            return zip(types, parts).allSatisfy { !$1.isNull && $0.admits($1) }
        }
    }
}
