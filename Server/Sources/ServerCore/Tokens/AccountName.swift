import Crypto
import Foundation

/// The name of an account: text from a token, which reaches neither a path nor SQL as it is.
public struct AccountName: Hashable, Sendable, CustomStringConvertible {
    /// The name as the token has it.
    public let description: String

    /// Creates a name; nil for text that is empty, longer than 200 bytes, or has control characters.
    public init?(_ text: String) {
        guard (1...200).contains(text.utf8.count),
            text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return nil }
        description = text
    }

    init(checking text: String) throws(SettingsError) {
        guard let name = AccountName(text) else {
            throw SettingsError("the name of an account has 1 to 200 bytes and no control characters")
        }
        self = name
    }

    /// Whether both have the same bytes.
    ///
    /// Text that looks alike belongs to different accounts.
    public static func == (left: AccountName, right: AccountName) -> Bool {
        left.description.utf8.elementsEqual(right.description.utf8)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in description.utf8 { hasher.combine(byte) }
    }

    /// The name of the account's file or namespace.
    ///
    /// It has at most 40 characters: lower-case letters, digits, hyphens, and other bytes as `_` and two hexadecimal
    /// digits. A longer name is `_h` and the beginning of its digest. Different accounts have different names.
    var storageName: String {
        var name = ""
        for byte in description.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            default: name += "_" + Self.hexadecimal(byte)
            }
        }
        if name.utf8.count <= 40 { return name }
        return "_h" + SHA256.hash(data: Data(description.utf8)).prefix(19).map(Self.hexadecimal).joined()
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
