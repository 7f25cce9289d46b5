import Crypto
import Foundation

/// A key that verifies tokens; it alone decides which algorithm a token must have.
enum TokenKey: Sendable {
    /// The secret of HS256.
    case secret(SymmetricKey)
    /// The public key of ES256.
    case p256(P256.Signing.PublicKey)
    /// The public key of EdDSA.
    case ed25519(Curve25519.Signing.PublicKey)

    /// The beginning of an encoded public key of Ed25519.
    private static let ed25519Prefix = Data([0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00])

    /// Reads a public key in PEM; nil for one of another kind.
    init?(pem: String) {
        if let key = try? P256.Signing.PublicKey(pemRepresentation: pem) {
            self = .p256(key)
            return
        }
        let text = pem.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-") }.joined()
        guard let data = Data(base64Encoded: text), data.starts(with: Self.ed25519Prefix),
            let key = try? Curve25519.Signing.PublicKey(
                rawRepresentation: data.dropFirst(Self.ed25519Prefix.count))
        else { return nil }
        self = .ed25519(key)
    }

    /// The name of the algorithm in a token's header.
    var algorithm: String {
        switch self {
        case .secret: "HS256"
        case .p256: "ES256"
        case .ed25519: "EdDSA"
        }
    }

    /// Whether the signature is that of the text.
    func isValid(_ signature: Data, of text: Data) -> Bool {
        switch self {
        case .secret(let key): HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: text, using: key)
        case .p256(let key):
            (try? P256.Signing.ECDSASignature(rawRepresentation: signature))
                .map { key.isValidSignature($0, for: text) } ?? false
        case .ed25519(let key): key.isValidSignature(signature, for: text)
        }
    }
}
