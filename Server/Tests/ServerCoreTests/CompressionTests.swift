import CSyncServerZlib
import Foundation
import HTTPSync
import ServerCore
import TestSupport
import Testing

@Suite struct CompressionTests {
    private let body = Data((0..<5_000).map { UInt8($0 % 251) } + Data("äöü".utf8))

    private func response(_ body: Data, accepting codings: String?) -> SiteResponse {
        let headers = codings.map { [("Accept-Encoding", $0)] } ?? []
        var response = SiteResponse(404, "text/plain", "", ["X-Header": "kept"])
        response.body = body
        return response.compressed(for: HTTPServiceRequest(method: "GET", path: "/", headers: headers))
    }

    /// Returns what is in data in gzip's format.
    private func unzipped(_ gzip: Data) throws -> Data {
        var stream = z_stream()
        #expect(
            inflateInit2_(&stream, MAX_WBITS + 16, zlibVersion(), Int32(MemoryLayout<z_stream>.size)) == Z_OK)
        defer { inflateEnd(&stream) }
        var source = [UInt8](gzip)
        var target = [UInt8](repeating: 0, count: 100_000)
        let code = source.withUnsafeMutableBufferPointer { source in
            target.withUnsafeMutableBufferPointer { target in
                (stream.next_in, stream.avail_in) = (source.baseAddress, UInt32(source.count))
                (stream.next_out, stream.avail_out) = (target.baseAddress, UInt32(target.count))
                return inflate(&stream, Z_FINISH)
            }
        }
        try #require(code == Z_STREAM_END)
        return Data(target.prefix(Int(stream.total_out)))
    }

    @Test(arguments: ["gzip", "GZIP", "deflate, gzip, br", "gzip;q=0.5", "br;q=0, gzip; q=1.0"])
    func aLargeBodyIsCompressedForClientsThatAcceptIt(_ codings: String) throws {
        let compressed = response(body, accepting: codings)
        #expect(compressed.headers["Content-Encoding"] == "gzip")
        #expect(compressed.headers["Vary"] == "Accept-Encoding")
        #expect(compressed.headers["X-Header"] == "kept" && compressed.status == 404)
        #expect(compressed.body.count < body.count / 4)
        #expect(try unzipped(compressed.body) == body)
    }

    @Test(arguments: [nil, "", "identity", "deflate, br", "gzip;q=0", "gzip; q=0.0", "xgzip", "gzip2"])
    func othersReceiveTheBodyAsItIs(_ codings: String?) {
        let response = response(body, accepting: codings)
        #expect(response.headers["Content-Encoding"] == nil)
        #expect(response.body == body)
    }

    @Test func aSmallBodyStaysAsItIs() {
        #expect(response(body.prefix(1_023), accepting: "gzip").body == body.prefix(1_023))
        #expect(response(body.prefix(1_024), accepting: "gzip").headers["Content-Encoding"] == "gzip")
    }

    /// A handshake with spaces, so that it is large enough to be compressed.
    private let handshake = Data(
        (#"{"versions":[1],"device":"phone","entities":{"List":["name","color"]}}"#
            + String(repeating: " ", count: 3_000)).utf8)

    private func zipped(_ data: Data) -> Data { response(data, accepting: "gzip").body }

    /// Sends a handshake, whose content coding a header states.
    private func send(
        _ body: Data, _ coding: String, to fixture: Fixture, token: String = TestTokens.token("ada")
    ) async -> SiteResponse {
        await fixture.send(
            "POST", "/sync/v1/handshake",
            [
                ("Authorization", "Bearer \(token)"), ("Content-Type", "application/json"),
                ("Content-Encoding", coding),
            ], body)
    }

    @Test func compressedRequestsAreRead() async throws {
        let fixture = try Fixture()
        #expect(zipped(handshake).count < 300)
        for coding in ["gzip", "GZIP"] { #expect(await send(zipped(handshake), coding, to: fixture).status == 200) }
        #expect(await send(handshake, "identity", to: fixture).status == 200)
    }

    @Test func aCompressedRequestWithAnExpiredTokenIsUnauthorized() async throws {
        let fixture = try Fixture()
        let expired = TestTokens.token("ada", expiry: 1_000_000_000)
        let refused = await send(zipped(handshake), "gzip", to: fixture, token: expired)
        #expect(refused.status == 401 && refused.endsConnection)
        #expect(refused.headers["WWW-Authenticate"] == "Bearer")
    }

    @Test func compressedRequestsBeyondTheLimitAreThrottled() async throws {
        let fixture = try Fixture(["--account-requests", "1"])
        #expect(await send(zipped(handshake), "gzip", to: fixture).status == 200)
        let refused = await send(zipped(handshake), "gzip", to: fixture)
        #expect(refused.status == 429 && refused.endsConnection)
        #expect(refused.headers["Retry-After"] == "60")
    }

    @Test func theLimitOfABodyAppliesToWhatIsCompressed() async throws {
        let fixture = try Fixture(["--body-bytes", "100000"])
        let bomb = zipped(Data(repeating: UInt8(ascii: " "), count: 50_000_000))
        #expect(bomb.count < 300_000)
        #expect(await send(bomb, "gzip", to: fixture).status == 413)
        #expect(await send(zipped(handshake), "gzip", to: fixture).status == 200)
    }

    @Test func damagedAndUnknownCodingsAreRefused() async throws {
        let fixture = try Fixture()
        let gzip = zipped(handshake)
        for length in [0, 1, 10, gzip.count / 2, gzip.count - 1] {
            #expect(await send(gzip.prefix(length), "gzip", to: fixture).status == 400)
        }
        var refusedCount = 0
        for position in gzip.indices {
            var damaged = gzip
            damaged[position] ^= 0x55
            let status = await send(damaged, "gzip", to: fixture).status
            // The checksum is right then: some bits say nothing of the contents.
            #expect(status == 400 || status == 200, "\(position)")
            if status == 400 { refusedCount += 1 }
        }
        #expect(refusedCount > gzip.count - 12)
        #expect(await send(gzip + gzip, "gzip", to: fixture).status == 400)
        #expect(await send(handshake, "gzip", to: fixture).status == 400)
        for coding in ["br", "gzip, gzip", "deflate"] {
            let refused = await send(gzip, coding, to: fixture)
            #expect(refused.status == 415 && refused.endsConnection)
        }
    }
}
