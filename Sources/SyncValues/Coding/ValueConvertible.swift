#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A type with one or more corresponding cases of `Value`.
///
/// The encoder and the decoder convert it directly, without its `Codable` conformance.
///
/// | type | own case | JSON form that is also read |
/// |---|---|---|
/// | `Data` | bytes | base64 text |
/// | `Date` | date | RFC 3339 text |
/// | `UUID` | uuid | text of 36 characters |
/// | `URL` | url | text |
/// | `Decimal` | decimal | number |
protocol ValueConvertible {
    /// The value that represents this one.
    var nativeValue: Value { get }

    /// Creates an instance from a value in its own case, or in its JSON form.
    ///
    /// - Throws: `ValueConversionFault` if the value does not represent one.
    init(native value: Value) throws(ValueConversionFault)
}

/// The reason why a value cannot be converted to a type.
enum ValueConversionFault: Error {
    /// The value is of another kind.
    case kind
    /// The value is of the right kind but invalid, with a description of the expected content.
    case content(String)
}

extension Value: ValueConvertible {
    /// The value itself, which needs no conversion.
    var nativeValue: Value { self }
    init(native value: Value) { self = value }
}

extension Bool: ValueConvertible {
    var nativeValue: Value { .bool(self) }

    init(native value: Value) throws(ValueConversionFault) {
        guard case .bool(let content) = value else { throw .kind }
        self = content
    }
}

extension String: ValueConvertible {
    var nativeValue: Value { .string(self) }

    /// Creates text from text, or from a UUID, a URL, bytes or a date as JSON text has them.
    init(native value: Value) throws(ValueConversionFault) {
        switch value {
        case .string(let content): self = content
        case .uuid(let content): self = content.uuidString
        case .url(let content): self = content.absoluteString
        case .bytes(let content): self = content.base64EncodedString()
        case .date(let content):
            guard let text = content.internetText else { throw .content("a date in the years 0 to 9999") }
            self = text
        default: throw .kind
        }
    }
}

extension Data: ValueConvertible {
    var nativeValue: Value { .bytes(self) }

    /// Creates bytes from bytes or base64 text.
    init(native value: Value) throws(ValueConversionFault) {
        switch value {
        case .bytes(let content): self = content
        case .string(let text):
            guard let content = Data(base64Encoded: text) else { throw .content("base64 text") }
            self = content
        default: throw .kind
        }
    }
}

extension Date: ValueConvertible {
    var nativeValue: Value { .date(self) }

    /// Creates a date from a date or RFC 3339 text, but not from text of digits alone.
    init(native value: Value) throws(ValueConversionFault) {
        switch value {
        case .date(let content): self = content
        case .string(let text):
            let seconds = text.withUTF8Bytes { bytes in
                bytes.count > 7 && bytes[4] == UInt8(ascii: "-") ? DateText.seconds(of: bytes) : nil
            }
            guard let seconds else {
                throw .content("a date as RFC 3339 has it, such as 2026-01-31T12:00:00Z")
            }
            self.init(timeIntervalSinceReferenceDate: seconds)
        default: throw .kind
        }
    }
}

extension UUID: ValueConvertible {
    var nativeValue: Value { .uuid(self) }

    /// Creates a UUID from a UUID or its text of 36 characters.
    init(native value: Value) throws(ValueConversionFault) {
        switch value {
        case .uuid(let content): self = content
        case .string(let text):
            guard let content = UUID(text: text) else { throw .content("a UUID of 36 characters") }
            self = content
        default: throw .kind
        }
    }
}

extension URL: ValueConvertible {
    var nativeValue: Value { .url(self) }

    /// Creates a URL from a URL or its text.
    init(native value: Value) throws(ValueConversionFault) {
        switch value {
        case .url(let content): self = content
        case .string(let text):
            guard let content = URL(string: text) else { throw .content("a URL") }
            self = content
        default: throw .kind
        }
    }
}
