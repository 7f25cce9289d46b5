import Crypto
import Foundation
import HTTPSync
import ServerCore
import TestSupport
import Testing

@Suite struct TokenTests {
    private let now = 1_800_000_000

    /// Returns the status of a handshake with a token.
    private func status(_ token: String, _ flags: [String] = [], keys: String? = nil) async throws -> Int {
        var flags = flags
        let folder = TemporaryFolder()
        if let keys {
            folder.write(Data(keys.utf8), to: "keys")
            flags += ["--token-public-key-file", folder.file("keys")]
        }
        let fixture = try Fixture(flags)
        return await fixture.post(
            "/sync/v1/handshake", #"{"versions":[1],"device":"phone","entities":{}}"#, token: token
        ).status
    }

    @Test func theThreeAlgorithmsAreAccepted() async throws {
        let (p256, ed25519) = (P256.Signing.PrivateKey(), Curve25519.Signing.PrivateKey())
        let keys = p256.publicKey.pemRepresentation + "\n" + TestTokens.pem(ed25519.publicKey)
        let claims = #"{"sub":"ada","exp":\#(now + 1)}"#
        let es256 = try TestTokens.make(#"{"alg":"ES256"}"#, claims) { try p256.signature(for: $0).rawRepresentation }
        let edDSA = try TestTokens.make(#"{"alg":"EdDSA"}"#, claims) { try ed25519.signature(for: $0) }
        for token in [es256, edDSA, TestTokens.token("ada", expiry: now + 1)] {
            #expect(try await status(token, keys: keys) == 200)
        }
        // Without its key, a token is refused.
        #expect(try await status(es256) == 401)
        #expect(try await status(edDSA, keys: p256.publicKey.pemRepresentation) == 401)
        let other = try TestTokens.make(#"{"alg":"ES256"}"#, claims) {
            try P256.Signing.PrivateKey().signature(for: $0).rawRepresentation
        }
        #expect(try await status(other, keys: keys) == 401)
    }

    @Test func aPublicKeyIsNoSecret() async throws {
        let key = P256.Signing.PrivateKey().publicKey
        let claims = #"{"sub":"ada","exp":\#(now + 1)}"#
        for secret in [Data(key.pemRepresentation.utf8), key.derRepresentation, key.rawRepresentation] {
            let token = TestTokens.make(#"{"alg":"HS256"}"#, claims) {
                Data(HMAC<SHA256>.authenticationCode(for: $0, using: SymmetricKey(data: secret)))
            }
            #expect(try await status(token, keys: key.pemRepresentation) == 401)
        }
    }

    @Test(arguments: ["none", "None", "NONE", "", "HS384", "hs256", "RS256"])
    func otherAlgorithmsAreRefused(_ algorithm: String) async throws {
        let header = #"{"alg":"\#(algorithm)","typ":"JWT"}"#
        let claims = #"{"sub":"ada","exp":\#(now + 1)}"#
        #expect(try await status(TestTokens.make(header, claims) { _ in Data() }) == 401)
        #expect(try await status(TestTokens.make(header, claims) { TestTokens.hmac($0) }) == 401)
    }

    @Test func tokensOfTheWrongTimeAreRefused() async throws {
        #expect(try await status(TestTokens.token("ada", expiry: now)) == 401)
        #expect(try await status(TestTokens.token("ada", expiry: now + 1)) == 200)
        #expect(try await status(TestTokens.token("ada", expiry: -1)) == 401)
        #expect(try await status(TestTokens.token("ada", claims: #","nbf":\#(now + 30)"#)) == 200)
        #expect(try await status(TestTokens.token("ada", claims: #","nbf":\#(now + 31)"#)) == 401)
        #expect(try await status(TestTokens.token("ada", claims: #","nbf":"soon""#)) == 401)
    }

    @Test func theIssuerAndTheAudienceMustMatch() async throws {
        let flags = ["--token-issuer", "idp", "--token-audience", "sync"]
        #expect(try await status(TestTokens.token("ada", claims: #","iss":"idp","aud":"sync""#), flags) == 200)
        #expect(try await status(TestTokens.token("ada", claims: #","iss":"idp","aud":["x","sync"]"#), flags) == 200)
        #expect(try await status(TestTokens.token("ada", claims: #","iss":"idp""#), flags) == 401)
        #expect(try await status(TestTokens.token("ada", claims: #","iss":"eve","aud":"sync""#), flags) == 401)
        #expect(try await status(TestTokens.token("ada", claims: #","iss":"idp","aud":["x"]"#), flags) == 401)
        #expect(try await status(TestTokens.token("ada"), flags) == 401)
    }

    @Test func malformedTokensAreRefused() async throws {
        let header = #"{"alg":"HS256"}"#
        func signed(_ header: String, _ claims: String) -> String {
            TestTokens.make(header, claims) { TestTokens.hmac($0) }
        }
        let valid = TestTokens.token("ada")
        let tokens = [
            "x", "..", "a.b", valid + ".x", valid + "=", String(valid.dropLast()), valid + "A", "." + valid,
            signed(header, #"{"sub":"ada"}"#), signed(header, #"{"sub":"ada","exp":"never"}"#),
            signed(header, #"{"sub":"ada","exp":1e999}"#), signed(header, #"{"sub":"ada","exp":null}"#),
            signed(header, #"{"exp":4000000000}"#), signed(header, #"{"sub":7,"exp":4000000000}"#),
            signed(header, #"{"sub":"","exp":4000000000}"#),
            signed(header, #"{"sub":"a\u0000b","exp":4000000000}"#),
            signed(header, #"{"sub":"a\nb","exp":4000000000}"#),
            signed(header, #"{"sub":"\#(String(repeating: "a", count: 201))","exp":4000000000}"#),
            signed(header, #"{"sub":"bob","sub":"ada","exp":4000000000}"#), signed(header, "[]"), signed(header, "{"),
            signed(#"{"alg":"HS256","crit":["x"],"x":1}"#, #"{"sub":"ada","exp":4000000000}"#),
            signed(#"{"typ":"JWT"}"#, #"{"sub":"ada","exp":4000000000}"#),
            signed(header, #"{"sub":"ada","exp":4000000000,"x":"\#(String(repeating: "x", count: 9_000))"}"#),
            TestTokens.token("ada", secret: "another secret for tests, of more than thirty-two bytes"),
        ]
        for token in tokens { #expect(try await status(token) == 401, "\(token)") }
        #expect(try await status(valid) == 200)
    }

    @Test func accountsThatLookAlikeHaveTheirOwnStores() async throws {
        let fixture = try Fixture()
        let names = [
            "ada", "Ada", "a.da", "a/../ada", "../ada", "ada ", "\u{E9}", "e\u{301}", "_probe", "a_61", "con", "ADA",
            String(repeating: "x", count: 200), String(repeating: "x", count: 199), "'; DROP TABLE Note; --", "日本",
        ]
        for name in names {
            let epoch = try await fixture.handshake(account: name)
            #expect(
                try await fixture.push([name == "日本" ? "nihon" : "own"], account: name, epoch: epoch).outcomes == [
                    .accepted()
                ])
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.file("stores"))
            .filter { $0.hasSuffix(".sqlite") }
        #expect(files.count == names.count)
        for file in files { #expect(file.wholeMatch(of: /[a-z0-9_-]{1,42}\.sqlite/) != nil, "\(file)") }
        #expect(!files.contains("_probe.sqlite"))
    }

    @Test func theDevelopmentTokenIsRefusedOtherwise() async throws {
        let development = try Fixture(["--development"])
        let token = try #require(development.site.developmentToken)
        let body = #"{"versions":[1],"device":"phone","entities":{}}"#
        #expect(await development.post("/sync/v1/handshake", body, token: token).status == 200)
        let fixture = try Fixture()
        #expect(fixture.site.developmentToken == nil)
        #expect(await fixture.post("/sync/v1/handshake", body, token: token).status == 401)
    }
}
