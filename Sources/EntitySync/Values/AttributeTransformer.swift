public import SyncPersistence

/// What converts between a remote's values and an attribute's, where the type alone does not say how.
///
/// An attribute names it in `Attribute.transformer`; a Core Data model does by the name of a value transformer.
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
/// It takes the place of the conversion that the type of the attribute has: the remote's value reaches it as it is,
/// whatever it is, but null, which is null on both sides. What it answers is stored if the type admits it, and else
/// made to fit as a remote's value would be: above, the text of a number for a decimal attribute.
///
/// Where the other side of `?:` is a `Value`, as in `isKnown ? remote : nil`, the literal `nil` is the value null, which
/// clears the attribute; `.none` is no value there, too.
public struct AttributeTransformer: Sendable {
    /// Makes a value of the attribute of a remote's value; nil if that stands for none.
    public let fromRemote: @Sendable (Value) throws -> Value?

    /// Makes a remote's value of a value of the attribute; nil if there is none for it.
    ///
    /// Without it, values are exported as the type of the attribute has it.
    public let toRemote: (@Sendable (Value) throws -> Value?)?

    /// The version of a transformer that is pure; nil for one that is not.
    ///
    /// A pure transformer always gives the same value, or the same error, for the same remote value. Objects that are as
    /// they were the last time are skipped, as they are without transformers.
    public let pureVersion: Int?

    /// A transformer of the given functions.
    ///
    /// - Parameters:
    ///   - pureVersion: The version, if the transformer is pure. Raise it whenever `fromRemote` gives another value for some
    ///     remote value: then every object is looked at once more.
    ///   - fromRemote: Makes a value of the attribute of a remote's value, which is not null; nil, or an error, if that
    ///     stands for none.
    ///   - toRemote: Makes a remote's value of a value of the attribute, which is not null.
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
    /// The value of a type that a remote's value stands for; nil if it stands for none.
    ///
    /// - Throws: What the transformer throws.
    func converted(_ remote: Value, to type: AttributeType) throws -> Value? {
        if remote.isNull { return .null }
        guard let value = try fromRemote(remote) else { return nil }
        return type.converted(value)
    }
}
