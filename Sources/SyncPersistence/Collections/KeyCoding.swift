#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The form in which identifiers of a type are stored: a number, text, a UUID, or else JSON.
///
/// Equal identifiers have one form: text is in normalization form C, and JSON has sorted members and one form for each
/// number.
enum KeyCoding {
    /// The form of the keys in the store.
    case integer, uuid, string, json

    /// Creates the form of a type's identifiers.
    init(_ type: any Sendable.Type) {
        self =
            switch type {
            case let integers as any FixedWidthInteger.Type where KeyCoding.fits(integers): .integer
            case is UUID.Type: .uuid
            case is String.Type: .string
            default: .json
            }
    }

    /// Whether the store can represent all numbers of a type.
    private static func fits<Integer: FixedWidthInteger>(_: Integer.Type) -> Bool {
        Int64(exactly: Integer.max) != nil && Int64(exactly: Integer.min) != nil
    }

    /// The type of the attribute that stores the keys.
    var type: AttributeType {
        switch self {
        case .integer: .integer
        case .uuid: .uuid
        case .string, .json: .string
        }
    }

    /// Returns the primary key of the record with an identifier.
    ///
    /// - Throws: `EncodingError` if the identifier has no JSON; ``PersistenceError`` if its JSON has no fixed order.
    func value(of key: some Codable & Sendable) throws -> Value {
        switch (self, key) {
        case (.integer, let key as any FixedWidthInteger): return .integer(Int64(truncatingIfNeeded: key))
        case (.uuid, let key as UUID): return .uuid(key)
        case (.string, let key as String): return .string(key.canonicallyComposed)
        default:
            if try ValueEncoder().survey(key).hasUnorderedParts {
                throw PersistenceError(
                    .wrongType,
                    "an id holds a set, or a dictionary whose keys are no text: its JSON has no fixed order, so it would "
                        + "not be found again: use a sorted array")
            }
            return .string(try Value(json: jsonText(of: key), options: .exact).canonicalKey.json(.sortedNames))
        }
    }
}

extension Value {
    /// The JSON value in the form that all equal identifiers share.
    fileprivate var canonicalKey: Value {
        switch self {
        case .string(let text): .string(text.canonicallyComposed)
        case .array(let elements): .array(elements.map(\.canonicalKey))
        case .object(let object):
            .object(
                ValueObject(names: object.names.map(\.canonicallyComposed), values: object.values.map(\.canonicalKey)))
        case .double, .decimal: canonicalNumber
        default: self
        }
    }

    /// The value as an integer if it is a number that fits in one; otherwise the value itself.
    var canonicalNumber: Value {
        switch self {
        case .double(let number): Int64(exactly: number).map { .integer($0) } ?? self
        case .decimal(let number): Int64(number.exactText).map { .integer($0) } ?? self
        default: self
        }
    }
}
