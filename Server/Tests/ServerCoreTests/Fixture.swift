import DifferentialSyncTesting
import Foundation
import HTTPSync
import ServerCore
import Synchronization
import SyncPersistence
import TestSupport
import Testing

/// A time that a test sets.
final class TestTime: Sendable {
    private let state = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

    var now: Date { state.withLock { $0 } }

    func advance(_ seconds: Double) { state.withLock { $0 += seconds } }
}

/// A site without a socket.
struct Fixture {
    let folder: TemporaryFolder
    let time = TestTime()
    let site: Site

    init(
        _ flags: [String] = [], hooks: Site.Hooks = Site.Hooks(), in folder: TemporaryFolder = TemporaryFolder()
    ) throws {
        self.folder = folder
        let words = try TestSchema.prepare(folder) + ["--database", "sqlite:\(folder.file("stores/"))"] + flags
        let settings = try #require(try Settings.read(words, [:]))
        // The database has as much time to answer as it needs.
        site = try Site(settings, hooks: hooks, date: { [time] in time.now }, clock: VirtualClock())
    }

    /// Sends a request.
    func send(
        _ method: String, _ path: String, _ headers: [(String, String)] = [], _ body: String? = nil,
        error: Site.BodyError? = nil
    ) async -> SiteResponse {
        await send(method, path, headers, body.map { Data($0.utf8) }, error: error)
    }

    /// Sends a request with the bytes of a body.
    func send(
        _ method: String, _ path: String, _ headers: [(String, String)], _ body: Data?, error: Site.BodyError? = nil
    ) async -> SiteResponse {
        await site.response(
            to: HTTPServiceRequest(method: method, path: path, headers: headers), hasBody: body != nil
        ) { () async throws(Site.BodyError) -> Data in
            if let error { throw error }
            return body ?? Data()
        }
    }

    /// Sends a message of a device.
    func post(_ path: String, _ body: String, token: String? = TestTokens.token("ada")) async -> SiteResponse {
        let authorization = token.map { [("Authorization", "Bearer \($0)")] } ?? []
        return await send("POST", path, authorization + [("Content-Type", "application/json")], body)
    }

    /// Introduces a device, and returns the epoch.
    @discardableResult
    func handshake(_ device: String = "phone", account: String = "ada") async throws -> String {
        let response = await post(
            "/sync/v1/handshake", #"{"versions":[1],"device":"\#(device)","entities":{"List":["name","color"]}}"#,
            token: TestTokens.token(account))
        #expect(response.status == 200)
        return try HandshakeResponse(data: response.body).epoch
    }

    /// Inserts lists, and returns the response.
    func push(
        _ names: [String], number: Int = 1, device: String = "phone", account: String = "ada", epoch: String
    ) async throws -> PushResponse {
        let rows = names.map { #"[0,"\#($0)","\#($0)","red"]"# }.joined(separator: ",")
        let response = await post(
            "/sync/v1/push",
            #"{"version":1,"device":"\#(device)","push":{"number":\#(number),"name":"p\#(number)"},"#
                + #""base":{"epoch":"\#(epoch)","sequence":0},"#
                + #""shapes":[{"entity":"List","kind":"insert","values":["name","color"]}],"mutations":[\#(rows)]}"#,
            token: TestTokens.token(account))
        #expect(response.status == 200, "\(String(decoding: response.body, as: UTF8.self))")
        return try PushResponse(data: response.body)
    }
}

extension SiteResponse {
    /// The body as text.
    var text: String { String(decoding: body, as: UTF8.self) }
}
