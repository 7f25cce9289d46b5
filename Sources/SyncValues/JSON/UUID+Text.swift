#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension UUID {
    /// Appends the 36 characters of `uuidString`.
    func appendText(to bytes: inout [UInt8]) { withText { bytes.append(contentsOf: $0) } }

    /// Calls a body with the 36 characters of `uuidString`, at a tenth of its cost, because many keys are UUIDs.
    package func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        let digits: StaticString = "0123456789ABCDEF"
        return try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 36) { text in
            withUnsafeBytes(of: uuid) { content in
                var position = 0
                for index in content.indices {
                    // 8, 4, 4, 4 and 12 digits.
                    if index == 4 || index == 6 || index == 8 || index == 10 {
                        text[position] = UInt8(ascii: "-")
                        position &+= 1
                    }
                    text[position] = digits.utf8Start[Int(content[index] >> 4)]
                    text[position &+ 1] = digits.utf8Start[Int(content[index] & 15)]
                    position &+= 2
                }
            }
            return try body(UnsafeBufferPointer(text))
        }
    }

    /// Creates the UUID of a text of 36 characters, in upper or lower case; nil for other text.
    ///
    /// The form is that of `uuidString`, such as `6BA7B810-9DAD-11D1-80B4-00C04FD430C8`.
    package init?(text: String) {
        guard let uuid = text.withUTF8Bytes(UUID.init(utf8:)) else { return nil }
        self = uuid
    }

    /// Creates the UUID of a text, as ``init(text:)`` does.
    package init?(utf8 text: UnsafeRawBufferPointer) {
        guard text.count == 36 else { return nil }
        var content: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        var position = 0
        let isValid = withUnsafeMutableBytes(of: &content) { content in
            for index in content.indices {
                if index == 4 || index == 6 || index == 8 || index == 10 {
                    if text[position] != UInt8(ascii: "-") { return false }
                    position &+= 1
                }
                guard let high = text[position].hexadecimalDigit, let low = text[position &+ 1].hexadecimalDigit
                else {
                    return false
                }
                content[index] = high << 4 | low
                position &+= 2
            }
            return true
        }
        guard isValid else { return nil }
        self.init(uuid: content)
    }
}

extension UInt8 {
    /// The number that a hexadecimal digit represents; nil for other bytes.
    @inline(__always)
    var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self &- UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self &- UInt8(ascii: "a") &+ 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self &- UInt8(ascii: "A") &+ 10
        default: nil
        }
    }
}
