import Foundation

/// The alphabet of base 64 for URLs, without padding.
enum Base64URL {
    /// Returns the text of bytes.
    static func encode(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Returns the bytes of a text; nil for a text that ``encode(_:)`` does not return.
    static func decode(_ text: Substring) -> Data? {
        var standard = String(text).replacing("-", with: "+").replacing("_", with: "/")
        standard += String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: standard), encode(data) == text else { return nil }
        return data
    }
}
