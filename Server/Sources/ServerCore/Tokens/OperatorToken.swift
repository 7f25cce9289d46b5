import Crypto
import Foundation
import HTTPSync

/// The token for the pages of operators.
struct OperatorToken: Sendable {
    private let digest: SHA256.Digest

    init(_ token: String) { digest = SHA256.hash(data: Data(token.utf8)) }

    /// Whether a request has the token: as `Bearer`, or as the password of `Basic`, which browsers ask for.
    func accepts(_ request: HTTPServiceRequest) -> Bool {
        // Digests are compared in constant time.
        request.bearerToken.map { SHA256.hash(data: Data($0.utf8)) == digest } ?? false
            || Self.password(request).map { SHA256.hash(data: $0) == digest } ?? false
    }

    private static func password(_ request: HTTPServiceRequest) -> Data? {
        guard let parts = request.headers["authorization"]?.split(separator: " "), parts.count == 2,
            parts[0].lowercased() == "basic", let data = Data(base64Encoded: String(parts[1])),
            let colon = data.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        return data[(colon + 1)...]
    }
}
