public import SyncPersistence

/// A conversion between a remote's values and those of an attribute, for values that the type alone cannot convert.
///
/// An attribute refers to it by name in `Attribute.transformer`, a Core Data model by the name of a value transformer.
///
/// ```swift
/// let prices = AttributeTransformer { remote in
///     // "12.50 EUR"
///     guard case .string(let text) = remote, let number = text.split(separator: " ").first else { return nil }
///     return .string(String(number))
/// } toRemote: { price in
///     guard case .decimal(let number) = price else { return nil }
///     return .string("\(number) EUR")
/// }
/// ```
///
/// It replaces the conversion by the attribute's type. It receives each value of the remote except null, which is null
/// on both sides. Its result is stored if the type admits it. Otherwise the result is converted like a value of the
/// remote: above, the text of a number for a decimal attribute.
///
/// In an expression such as `isKnown ? remote : nil`, where the other side is a `Value`, the literal `nil` is the value
/// null, which clears the attribute. Write `.none` there for no value.
public struct AttributeTransformer: Sendable {
    /// Converts a value of the remote to a value of the attribute; nil if it has none.
    public let fromRemote: @Sendable (Value) throws -> Value?

    /// Converts a value of the attribute to a value of the remote; nil if it has none.
    ///
    /// Without this function, values are exported by the attribute's type.
    public let toRemote: (@Sendable (Value) throws -> Value?)?

    /// The version of a pure transformer; nil for other transformers.
    ///
    /// A pure transformer always returns the same value, or throws, for the same value of the remote. Unchanged objects
    /// are skipped, as without transformers.
    public let pureVersion: Int?

    /// Creates a transformer of two functions.
    ///
    /// - Parameters:
    ///   - pureVersion: The version of a pure transformer. Raise it whenever `fromRemote` returns another value for
    ///     some value of the remote: then every object is read again.
    ///   - fromRemote: Converts a value of the remote, which is not null, to a value of the attribute; nil, or an
    ///     error, if it has none.
    ///   - toRemote: Converts a value of the attribute, which is not null, to a value of the remote.
    public init(
        pureVersion: Int? = nil,
        fromRemote: @escaping @Sendable (Value) throws -> Value?,
        toRemote: (@Sendable (Value) throws -> Value?)? = nil
    ) {
        self.pureVersion = pureVersion
        self.fromRemote = fromRemote
        self.toRemote = toRemote
    }
}

extension AttributeTransformer {
    /// Returns the value of a type for a value of the remote; nil if it has none.
    ///
    /// - Throws: The error of the transformer.
    func converted(_ remote: Value, to type: AttributeType) throws -> Value? {
        if remote.isNull { return .null }
        guard let value = try fromRemote(remote) else { return nil }
        return type.converted(value)
    }
}
