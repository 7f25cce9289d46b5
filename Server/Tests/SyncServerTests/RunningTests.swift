import DifferentialSyncTesting
import Foundation
import HTTPSync
import ServerCore
import SyncPersistence
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct RunningTests {
    @Test(.needsPostgreSQL) func devicesOfTwoAccountsAgreeWithPostgreSQL() async throws {
        try await devicesOfTwoAccountsAgree(.postgreSQL)
    }

    @Test(arguments: [TestDatabase.sqlite])
    func devicesOfTwoAccountsAgree(_ database: TestDatabase) async throws {
        let server = try ServerProcess(database: database.address())
        for account in ["ada", "bob"] {
            let devices = try (0..<3).map { _ in InMemoryAdapter(schema: try TestSchema.schema()) }
            for round in 0..<3 {
                for (number, device) in devices.enumerated() {
                    try await device.write { transaction in
                        var changes = ChangeSet()
                        let list = "list \(number)"
                        changes.put(
                            try Record("List", in: device.schema, ["name": .string(list), "color": .string(account)]))
                        for note in 0..<20 {
                            let id = Int64(1_000 * number + 20 * round + note)
                            changes.put(
                                try Record(
                                    "Note", in: device.schema,
                                    ["id": .integer(id), "title": .string("note \(id)"), "weight": .double(0.5)]))
                        }
                        try transaction.apply(changes)
                    }
                    let outcome = try await device.synchronize(with: try server.remote(account))
                    #expect(outcome.failure == nil && outcome.refused.isEmpty && outcome.conflicts.isEmpty)
                }
            }
            for device in devices { try await device.synchronize(with: try server.remote(account)) }
            for device in devices {
                let fingerprint = try await device.read { try $0.fingerprint() }
                #expect(fingerprint?.count == 183)
                let first = devices[0]
                #expect(try await first.read { try $0.fingerprint() } == fingerprint)
                let record = try await device.read { try $0.record(RecordID("List", "list 0")) }
                #expect(record?["color"] == .string(account))
            }
        }
    }

    @Test func devicesSendCompressedPushesAndReadCompressedPages() async throws {
        let server = try ServerProcess()
        let devices = try (0..<2).map { _ in InMemoryAdapter(schema: try TestSchema.schema()) }
        try await devices[0].write { transaction in
            var changes = ChangeSet()
            for note in 0..<1_000 as Range<Int64> {
                let values: [String: Value] = ["id": .integer(note), "title": .string("note \(note)"), "weight": 0.5]
                changes.put(try Record("Note", in: transaction.schema, values))
            }
            try transaction.apply(changes)
        }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
        let compressedCount = Locked(0)
        let author = HTTPRemote(url, token: { _ in TestTokens.token("ada") }) { body in
            compressedCount.withLock { $0 += 1 }
            var response = SiteResponse(200, "application/json", "")
            response.body = body
            let accepting = [("Accept-Encoding", "gzip")]
            return response.compressed(for: HTTPServiceRequest(method: "GET", path: "/", headers: accepting)).body
        }
        #expect(try await devices[0].synchronize(with: author).pushedCount == 1_000)
        #expect(compressedCount.withLock { $0 } > 0)
        let heads = Locked<[String]>([])
        let remote = HTTPRemote(url) { _ in
            TestTokens.token("ada")
        } transport: { request in
            let answer = try await HTTPRemote.standardTransport(request)
            heads.withLock { $0.append(answer.1.value(forHTTPHeaderField: "Content-Encoding") ?? "none") }
            return answer
        }
        #expect(try await devices[1].synchronize(with: remote).pulledCount == 1_000)
        #expect(Set(heads.withLock { $0 }) == ["none", "gzip"])
        let fingerprint = try await devices[0].read { try $0.fingerprint() }
        #expect(try await devices[1].read { try $0.fingerprint() } == fingerprint)
    }

    @Test func aSingleAccountHasItsFile() async throws {
        let folder = TemporaryFolder()
        let server = try ServerProcess(
            ["--single-account", "ada"], database: "sqlite:\(folder.file("new/ada.db"))")
        let device = try await ManualDevice(server)
        #expect(try await device.send(device.insertion("a")).status == 200)
        while try await server.send(RawRequest("GET", "/health/ready")).status != 200 {}
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("new")).contains("ada.db"))
        let other = RawRequest.post("/sync/v1/handshake", device.handshake.data, token: TestTokens.token("bob"))
        #expect(try await server.send(other).status == 401)
    }

    @Test func theSchemaMayBeACoreDataModel() async throws {
        let model = GuideTests.root.appendingPathComponent("Examples/Model/Data/Library.xcdatamodeld").path
        let server = try ServerProcess(model: model)
        let response = try await server.post(
            "/sync/v1/handshake", #"{"versions":[1],"device":"phone","entities":{}}"#)
        #expect(try HandshakeResponse(data: response.body).entities?.keys.contains("Book") == true)
    }

    @Test func theStoresSurviveASuddenEnd() async throws {
        var server = try ServerProcess()
        let device = try await ManualDevice(server)
        #expect(try await device.send(device.insertion("kept")).status == 200)
        let folder = server.folder
        server.process.end()
        server.process.wait()
        server = try ServerProcess(in: folder)
        let other = try await ManualDevice(server, "tablet")
        #expect(other.epoch == device.epoch)
        #expect(try await other.records().map(\.id) == [RecordID("List", "kept")])
    }

    @Test(.needsPostgreSQL) func aPushOfAnotherDeviceEndsAWaitWithPostgreSQL() async throws {
        try await aPushOfAnotherDeviceEndsAWait(.postgreSQL)
    }

    @Test(arguments: [TestDatabase.sqlite])
    func aPushOfAnotherDeviceEndsAWait(_ database: TestDatabase) async throws {
        let server = try ServerProcess(database: database.address())
        let device = try await ManualDevice(server)
        try await wait(at: server, forPushesOf: device)
    }

    /// Waits for a change at a server while a device pushes until the wait ends.
    private func wait(at server: ServerProcess, forPushesOf device: ManualDevice) async throws {
        let port = server.port
        let done = Locked(false)
        async let response = inThread {
            defer { done.withLock { $0 = true } }
            return try RawConnection(port).send(
                RawRequest("GET", "/sync/v1/notifications", [("Authorization", "Bearer \(TestTokens.token("ada"))")]))
        }
        var number: Int64 = 0
        // The server may begin to wait before or after this instant.
        while !done.withLock({ $0 }) {
            number += 1
            _ = try await device.send(device.insertion("list \(number)", number: number, push: "p\(number)"))
        }
        let text = try await response.text
        #expect(text.hasPrefix(#"{"changed":true,"cursor":{"epoch":"\#(device.epoch)","sequence":"#), "\(text)")
    }

    @Test(.needsPostgreSQL) func aPushAtAnotherProcessEndsAWait() async throws {
        let address = try TestDatabase.address(on: .shared)
        let (first, second) = (try ServerProcess(database: address), try ServerProcess(database: address))
        try await wait(at: first, forPushesOf: try await ManualDevice(second))
    }

    @Test(.needsPostgreSQL) func aServerIsReadyWhileItsDatabaseAnswers() async throws {
        let cluster = try TestCluster()
        let server = try ServerProcess(database: TestDatabase.address(on: cluster))
        let device = try await ManualDevice(server)
        // A machine that is busy may need longer than the server waits.
        while try await server.send(RawRequest("GET", "/health/ready")).status != 200 {}
        try cluster.stop()
        let response = try await server.send(RawRequest("GET", "/health/ready"))
        #expect(response.status == 503)
        #expect(response.code == "later")
        #expect(try await device.send(device.insertion("a")).status == 503)
        #expect(try await server.send(RawRequest("GET", "/health/live")).status == 200)
        try cluster.start()
        while try await server.send(RawRequest("GET", "/health/ready")).status != 200 {}
        #expect(try await device.send(device.insertion("a")).status == 200)
        #expect(!server.log.contains(cluster.folder))
    }

    @Test func idleConnectionsAndWaitsLeaveConnectionsForOtherRequests() async throws {
        let server = try ServerProcess(["--connections", "4", "--wait-seconds", "600"])
        let port = server.port
        let wait = "GET /sync/v1/notifications HTTP/1.1\r\nAuthorization: Bearer \(TestTokens.token("ada"))\r\n\r\n"
        let refused = try await inThread {
            let idle = try (0..<3).map { _ in
                let connection = try RawConnection(port)
                connection.write(Data("HEAD /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
                let response = try connection.responseHead()
                #expect(response.status == 200)
                return connection
            }
            let connection = try RawConnection(port)
            connection.write(Data(wait.utf8))
            return try withExtendedLifetime(idle) { try connection.response() }
        }
        #expect(refused.status == 429)
        #expect(refused.headers["retry-after"] == "5")
        #expect(refused.headers["connection"] == "close")
        #expect(try await server.send(RawRequest("GET", "/health/live")).status == 200)
    }

    @Test func aResponseAsksToEndOneOfTheLastConnections() async throws {
        let server = try ServerProcess(["--connections", "4"])
        let port = server.port
        let ends = try await inThread {
            var connections: [RawConnection] = []
            return try (0..<4).map { _ in
                let connection = try RawConnection(port)
                connections.append(connection)
                connection.write(Data("HEAD /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
                let response = try connection.responseHead()
                #expect(response.status == 200)
                return response.headers["connection"] == "close"
            }
        }
        #expect(ends == [false, false, false, true])
    }

    @Test func requestsUnderWayAreFinishedAndWaitsAreAnswered() async throws {
        let server = try ServerProcess()
        let device = try await ManualDevice(server)
        let request = RawRequest.post(
            "/sync/v1/push", device.insertion("last").data, token: TestTokens.token("ada"))
        let port = server.port
        let upload = try RawConnection(port)
        upload.write(request.head + request.body.prefix(10))
        async let waiting = inThread {
            try RawConnection(port).send(
                RawRequest("GET", "/sync/v1/notifications", [("Authorization", "Bearer \(TestTokens.token("ada"))")]))
        }
        // That of the metrics is the third one.
        while try await !server.page("/metrics").text.contains("sync_requests_under_way 3.0\n") {}
        server.terminate()
        let cursor = #"{"epoch":"\#(device.epoch)","sequence":0}"#
        #expect(try await waiting.text == #"{"changed":true,"cursor":\#(cursor)}"#)
        upload.write(request.body.dropFirst(10))
        let response = try await inThread { [upload = Sending(upload)] in try upload.value.response() }
        #expect(response.status == 200)
        #expect(try PushResponse(data: response.body).outcomes == [.accepted()])
        #expect(server.process.wait() == 0)
        #expect(throws: RawConnection.Failure.self) { try RawConnection(port) }
    }

    @Test func aServerEndsAlthoughAClientNeverFinishes() async throws {
        let server = try ServerProcess(["--shutdown-seconds", "1", "--body-seconds", "120"])
        let client = try RawConnection(server.port)
        let request = RawRequest.post("/sync/v1/push", Data("{}".utf8), token: TestTokens.token("ada"))
        client.write(request.head + request.body.prefix(1))
        // That of the metrics is the second one.
        while try await !server.page("/metrics").text.contains("sync_requests_under_way 2.0\n") {}
        server.terminate()
        let begin = ContinuousClock().now
        server.process.wait()
        #expect(begin.duration(to: ContinuousClock().now) < .seconds(60))
        #expect(throws: RawConnection.Failure.self) { try RawConnection(server.port) }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "the system has no /dev/full"))
    func aServerWhoseLogIsFullGoesOn() async throws {
        func start(_ words: [String]) throws -> ChildProcess {
            try ChildProcess(
                "/bin/sh", ["-c", #"exec "$@" 2>/dev/full"#, "sh", ChildProcess.path(of: "sync-server")] + words)
        }
        let folder = TemporaryFolder()
        let words = try TestSchema.prepare(folder) + ["--database", "sqlite:\(folder.file("stores/"))", "--port", "0"]
        let process = try start(words)
        let line = String(decoding: process.output.availableData, as: UTF8.self)
        let number = line.split(whereSeparator: { ":\n".contains($0) }).last.flatMap { UInt16($0) }
        let port = try #require(number)
        let response = try await inThread { try RawConnection(port).send(RawRequest("GET", "/health/live")) }
        #expect(response.status == 200)
        kill(process.id, SIGTERM)
        #expect(process.wait() == 0)
        #expect(try start(["--database", "sqlite:x/"]).wait() == 64)
    }

    @Test func theCommandLineHasItsExitCodes() async throws {
        func run(_ words: [String]) throws -> (Int32, String, String) {
            try ChildProcess(ChildProcess.path(of: "sync-server"), words).finish()
        }
        let help = try run(["--help"])
        #expect(help.0 == 0)
        #expect(help.1.contains("--schema FILE  (SYNC_SCHEMA)"))
        let wrong = try run(["--database", "sqlite:x/"])
        #expect(wrong.0 == 64)
        #expect(wrong.2.contains("--schema is missing"))
        let server = try ServerProcess()
        let words = try TestSchema.prepare(server.folder) + ["--database", "sqlite:\(server.folder.file("stores/"))"]
        let taken = try run(words + ["--port", "\(server.port)"])
        #expect(taken.0 == 1)
        #expect(taken.2.contains("the server has failed"))
    }

    @Test func developmentPrintsATokenThatWorks() async throws {
        let server = try ServerProcess(["--development"])
        let token = try #require(server.firstLines.last)
        let body = #"{"versions":[1],"device":"phone","entities":{}}"#
        #expect(try await server.post("/sync/v1/handshake", body, token: token).status == 200)
        let other = try ServerProcess()
        #expect(other.firstLines.count == 1)
        #expect(try await other.post("/sync/v1/handshake", body, token: token).status == 401)
    }
}

/// A connection that only one thread uses at a time.
// because: the test uses the connection in a thread, and awaits the thread before it uses it again.
private struct Sending: @unchecked Sendable {
    let value: RawConnection

    init(_ value: RawConnection) { self.value = value }
}
