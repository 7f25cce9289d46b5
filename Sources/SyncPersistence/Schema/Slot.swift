/// The place of one value in the records of a shape.
public struct Slot: Hashable, Sendable {
    /// The name of the attribute or relationship.
    public let name: String

    /// The kind of its values.
    public let content: Content

    /// Whether it may be null.
    public let isOptional: Bool

    /// The value in a new record if none is given.
    public let defaultValue: Value

    /// Whether a store keeps an index of it.
    public let isIndexed: Bool

    /// The topmost entity that declares it.
    ///
    /// Together with the name, it identifies the slot in its hierarchy. Two entities that inherit one parent may each
    /// declare a slot of one name.
    public let declaredBy: String

    /// The name in an older schema.
    let renamedFrom: String?

    /// Whether the library uses it internally, without a property of the schema.
    public let isInternal: Bool

    /// The kind of a slot's values.
    public enum Content: Hashable, Sendable {
        /// An attribute's value.
        case attribute(AttributeType)
        /// The key of a record of another entity, with the types of its parts; an array for several parts.
        ///
        /// A reference that is not enforced may refer to a record that does not exist.
        case reference(to: String, [AttributeType], isEnforced: Bool)
    }

    init(
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

    /// The types of its columns: one, or the parts of a composite key.
    public var columnTypes: [AttributeType] {
        switch content {
        case .attribute(let type): [type]
        case .reference(_, let types, _): types
        }
    }

    /// Whether the slot may hold a value; null is allowed if the slot is optional.
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
