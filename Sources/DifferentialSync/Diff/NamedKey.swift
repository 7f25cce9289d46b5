/// The key of a dictionary-like record within one call of a function.
///
/// The values of such records need not be `Sendable`: `AnyHashable` is not. An error is, so it carries the key's text.
// because: a key never leaves the call that makes it. `withTextKeys` replaces it in errors by its text.
struct NamedKey<Value: Hashable>: Hashable, @unchecked Sendable {
    /// The values of the key fields.
    private let key: RecordKey<Value>

    /// Creates the key of a record that has a value under each name.
    init(_ record: [String: Value], _ names: [String]) { key = RecordKey(record, names) }
}

extension NamedKey: CustomStringConvertible {
    /// The values, as a dictionary's description has them.
    var description: String { "\(key)" }
}

/// Returns the result of a body that compares records by a ``NamedKey``, with the key's text in its errors.
func withTextKeys<Result>(_ body: () throws -> Result) throws -> Result {
    do {
        return try body()
    } catch let error as KeyError {
        throw error.withTextKey
    }
}

extension KeyError {
    /// The same error with the text of the key in place of the key.
    var withTextKey: KeyError {
        key == nil ? self : KeyError(code, in: collection, key: keyText, positions: positions)
    }
}
