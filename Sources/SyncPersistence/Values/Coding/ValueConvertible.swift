#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A type for which there is a case of a value, or more than one.
protocol ValueConvertible {
    /// The value that stands for this one.
    var nativeValue: Value { get }

    /// The one that a value stands for, in its own case or in the form that JSON has for it.
    ///
    /// - Throws: ``ValueConversionFault`` if it stands for none.
    init(native value: Value) throws(ValueConversionFault)
}

/// Why a value does not stand for one of a type.
enum ValueConversionFault: Error {
    /// It is of another kind.
    case kind
    /// It is of the right kind, and no such value all the same: what was expected.
    case content(String)
}

extension Value: ValueConvertible {
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
