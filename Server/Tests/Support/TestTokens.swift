package import Crypto
package import Foundation

/// Makes tokens as an issuer does.
package enum TestTokens {
    /// The secret of the servers in tests.
    package static let secret = "a secret for tests, of more than thirty-two bytes"

    /// The token of operators.
    package static let operatorToken = "operator-token-for-tests"

    /// Returns a token of an account that a server in tests accepts until the year 2096.
    package static func token(
        _ account: String, expiry: Int = 4_000_000_000, claims: String = "", secret: String = secret
    ) -> String {
        make(#"{"alg":"HS256","typ":"JWT"}"#, #"{"sub":"\#(account)","exp":\#(expiry)\#(claims)}"#) {
            hmac($0, secret)
        }
    }

    /// Returns a token of two JSON texts and a signature.
    package static func make(_ header: String, _ claims: String, _ sign: (Data) throws -> Data) rethrows -> String {
        let text = "\(encode(Data(header.utf8))).\(encode(Data(claims.utf8)))"
        return "\(text).\(encode(try sign(Data(text.utf8))))"
    }

    /// Returns the code of HS256.
    package static func hmac(_ text: Data, _ secret: String = secret) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: text, using: SymmetricKey(data: Data(secret.utf8))))
    }

    /// Returns the public key of Ed25519 in PEM.
    package static func pem(_ key: Curve25519.Signing.PublicKey) -> String {
        let prefix = Data([0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00])
        let text = (prefix + key.rawRepresentation).base64EncodedString()
        return "-----BEGIN PUBLIC KEY-----\n\(text)\n-----END PUBLIC KEY-----\n"
    }

    /// Returns the alphabet of base 64 for URLs, without padding.
    package static func encode(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
