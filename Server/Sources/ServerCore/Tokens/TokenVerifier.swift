import Foundation
import SyncValues

/// Verifies JSON Web Tokens: their signature, their times, and whom they are for.
package struct TokenVerifier: Sendable {
    /// Why a token is refused.
    package enum Refusal: String, Error, Hashable, Sendable {
        case missing, malformed, wrongAlgorithm, wrongSignature, expired, notYetValid, wrongIssuer, wrongAudience
        case wrongAccount
    }

    private let keys: [TokenKey]
    private let issuer: String?
    private let audience: String?
    private let now: @Sendable () -> Date

    /// The most bytes of a token.
    private static let longestToken = 8_192

    /// The seconds by which the clock of an issuer may be ahead.
    private static let leeway: Double = 30

    init(_ keys: [TokenKey], issuer: String? = nil, audience: String? = nil, now: @escaping @Sendable () -> Date) {
        self.keys = keys
        self.issuer = issuer
        self.audience = audience
        self.now = now
    }

    /// Returns the account that a valid token is for, its `sub`.
    package func account(of token: String?) throws(Refusal) -> AccountName {
        guard let token else { throw .missing }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard token.utf8.count <= Self.longestToken, parts.count == 3,
            let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw .malformed }
        // An extension that must be understood is none of this verifier's.
        if header["crit"] != nil { throw .malformed }
        guard case .string(let algorithm)? = header["alg"] else { throw .malformed }
        let candidates = keys.filter { $0.algorithm == algorithm }
        if candidates.isEmpty { throw .wrongAlgorithm }
        let text = Data("\(parts[0]).\(parts[1])".utf8)
        guard candidates.contains(where: { $0.isValid(signature, of: text) }) else { throw .wrongSignature }
        try checkTimes(claims)
        if let issuer, claims["iss"] != .string(issuer) { throw .wrongIssuer }
        if let audience, !Self.texts(claims["aud"]).contains(audience) { throw .wrongAudience }
        guard case .string(let name)? = claims["sub"], let account = AccountName(name) else { throw .wrongAccount }
        return account
    }

    private func checkTimes(_ claims: ValueObject) throws(Refusal) {
        let now = now().timeIntervalSince1970
        guard let expiry = Self.seconds(claims["exp"]) else { throw .malformed }
        if now >= expiry { throw .expired }
        guard let start = claims["nbf"] else { return }
        guard let start = Self.seconds(start) else { throw .malformed }
        if now + Self.leeway < start { throw .notYetValid }
    }

    /// Returns the object in a part of a token.
    private static func object(_ part: Substring) -> ValueObject? {
        var options = JSONOptions()
        options.refusesDuplicateNames = true
        options.depthLimit = 8
        guard let data = Base64URL.decode(part), case .object(let object)? = try? Value(json: data, options: options)
        else { return nil }
        return object
    }

    private static func seconds(_ value: Value?) -> Double? {
        switch value {
        case .integer(let seconds): Double(seconds)
        case .double(let seconds) where seconds.isFinite: seconds
        default: nil
        }
    }

    private static func texts(_ value: Value?) -> [String] {
        guard case .array(let values)? = value else { return value.map { texts(.array([$0])) } ?? [] }
        return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }
}
