import Crypto
import Foundation

/// The token that a server in development prints.
///
/// Everyone knows its secret.
enum DevelopmentToken {
    /// The secret, which no other server accepts.
    static let secret = "differential-sync-development-secret-known-to-everyone"

    /// The account of the token.
    static let account = "demo"

    /// The key that verifies the token.
    static var key: TokenKey { .secret(SymmetricKey(data: Data(secret.utf8))) }

    /// The token, which expires in the year 2100.
    static var text: String {
        let text = [#"{"alg":"HS256","typ":"JWT"}"#, #"{"sub":"\#(account)","exp":4102444800}"#]
            .map { Base64URL.encode(Data($0.utf8)) }.joined(separator: ".")
        let code = HMAC<SHA256>.authenticationCode(
            for: Data(text.utf8), using: SymmetricKey(data: Data(secret.utf8)))
        return "\(text).\(Base64URL.encode(Data(code)))"
    }
}
