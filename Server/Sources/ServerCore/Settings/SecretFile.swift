import Crypto
import Foundation

/// Reads files with secrets and keys.
enum SecretFile {
    /// Returns the text of a file.
    private static func text(_ path: String) throws(SettingsError) -> String {
        guard let data = FileManager.default.contents(atPath: path), let text = String(data: data, encoding: .utf8)
        else { throw SettingsError("'\(path)' cannot be read as text") }
        return text
    }

    /// Returns the lines of a file that are not empty.
    private static func lines(_ path: String) throws(SettingsError) -> [String] {
        try text(path).split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
    }

    /// Returns the secrets in a file.
    static func secrets(_ path: String) throws(SettingsError) -> [TokenKey] {
        let lines = try lines(path)
        if lines.isEmpty { throw SettingsError("'\(path)' has no secret") }
        var keys: [TokenKey] = []
        for line in lines {
            if line == DevelopmentToken.secret { throw SettingsError("'\(path)' has the public secret of development") }
            if line.utf8.count < 32 { throw SettingsError("a secret in '\(path)' has less than 32 bytes") }
            keys.append(.secret(SymmetricKey(data: Data(line.utf8))))
        }
        return keys
    }

    /// Returns the public keys in a file.
    static func publicKeys(_ path: String) throws(SettingsError) -> [TokenKey] {
        var keys: [TokenKey] = []
        for block in try text(path).matches(of: /-----BEGIN PUBLIC KEY-----[^-]*-----END PUBLIC KEY-----/) {
            guard let key = TokenKey(pem: String(block.output)) else {
                throw SettingsError("'\(path)' has a key that is neither of P-256 nor of Ed25519")
            }
            keys.append(key)
        }
        if keys.isEmpty { throw SettingsError("'\(path)' has no public key in PEM") }
        return keys
    }

    /// Returns the token of operators in a file.
    static func operatorToken(_ path: String) throws(SettingsError) -> OperatorToken {
        let lines = try lines(path)
        guard lines.count == 1, let line = lines.first, line.utf8.count >= 16 else {
            throw SettingsError("'\(path)' must have one line, of at least 16 bytes")
        }
        return OperatorToken(line)
    }
}
