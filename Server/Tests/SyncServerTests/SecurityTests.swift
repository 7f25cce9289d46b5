import Foundation
import HTTPSync
import SyncPersistence
import SyncValues
import TestSupport
import Testing

/// A device reaches its own account alone, whatever its messages say.
@Suite struct AccountBoundaryTests {
    @Test(.needsPostgreSQL) func anotherAccountIsReadByNoCursorAndNoPageWithPostgreSQL() async throws {
        try await anotherAccountIsReadByNoCursorAndNoPage(.postgreSQL)
    }

    @Test(arguments: [TestDatabase.sqlite])
    func anotherAccountIsReadByNoCursorAndNoPage(_ database: TestDatabase) async throws {
        let server = try ServerProcess(database: database.address())
        let ada = try await ManualDevice(server, account: "ada")
        #expect(try await ada.send(ada.insertion("secret")).status == 200)
        // The same identifier of a device in another account.
        let eve = try await ManualDevice(server, account: "eve")
        #expect(eve.epoch != ada.epoch)
        #expect(try await eve.records().isEmpty)
        for request in [
            eve.pull(0, epoch: ada.epoch), eve.pull(1, epoch: ada.epoch), eve.pull(1), eve.pull(Int64.max),
            PullRequest(device: "phone", cursor: SyncCursor(epoch: ada.epoch, sequence: 0), comparison: 0),
            PullRequest(device: "phone", cursor: SyncCursor(epoch: "\(ada.epoch)/all", sequence: 0), limit: 100_000),
            PullRequest(device: "tablet", cursor: SyncCursor(epoch: ada.epoch, sequence: 0)),
        ] {
            let response = try await eve.send(request)
            #expect(response.status == 409, "\(response.text)")
            #expect(!response.text.contains("secret") && !response.text.contains(ada.epoch))
        }
        // A comparison of everything has the own records alone.
        let comparison = PullRequest(
            device: "phone", cursor: SyncCursor(epoch: eve.epoch, sequence: 0), limit: 100_000, comparison: 0)
        #expect(try PullResponse(data: try await eve.send(comparison).body).entries.isEmpty)
        var handshake = eve.handshake
        handshake.cursor = SyncCursor(epoch: ada.epoch, sequence: 1)
        handshake.lastPush = PushName(number: 1, name: "p")
        let response = try await eve.send(handshake)
        let answer = try HandshakeResponse(data: response.body)
        #expect(answer.account == "eve" && answer.epoch == eve.epoch && answer.lastPush == nil && answer.sequence == 0)
        handshake.scope = "ada"
        #expect(try await eve.send(handshake).status == 401)
    }

    @Test(.needsPostgreSQL) func anotherAccountIsWrittenByNoKeyAndNoPushNameWithPostgreSQL() async throws {
        try await anotherAccountIsWrittenByNoKeyAndNoPushName(.postgreSQL)
    }

    @Test(arguments: [TestDatabase.sqlite])
    func anotherAccountIsWrittenByNoKeyAndNoPushName(_ database: TestDatabase) async throws {
        let server = try ServerProcess(database: database.address())
        let ada = try await ManualDevice(server, account: "ada")
        #expect(try await ada.send(ada.insertion("secret", color: "blue")).status == 200)
        let eve = try await ManualDevice(server, account: "eve")
        let id = RecordID("List", "secret")
        let changes: [Mutation] = [
            Mutation(id, .update(ValueObject(members: ["color": "taken"]))), Mutation(id, .delete),
        ]
        for (index, change) in changes.enumerated() {
            let number = Int64(index) + 1
            let answer = try PushResponse(
                data: try await eve.send(eve.push([change], number: number, push: "p")).body)
            #expect(
                !answer.outcomes.contains { if case .accepted(let amended, _) = $0 { amended != nil } else { false } })
            #expect(try await eve.send(eve.push([change], number: number + 1, epoch: ada.epoch)).status == 409)
        }
        // The name of ada's push means nothing in this account.
        #expect(try await eve.send(eve.insertion("secret", color: "own", number: 3)).status == 200)
        let tablet = try await ManualDevice(server, "tablet", account: "ada")
        let records = try await tablet.records()
        #expect(records.count == 1)
        guard case .present(let values)? = records.first?.state else { return #expect(Bool(false), "\(records)") }
        #expect(values["color"] == "blue")
        let phone = try await ManualDevice(server, account: "eve")
        let own = try PullResponse(
            data: try await phone.send(
                PullRequest(device: "phone", cursor: SyncCursor(epoch: eve.epoch, sequence: 0), comparison: 0)
            ).body)
        #expect(own.entries.count == 1)
    }

    @Test func aReferenceReachesNoRecordOfAnotherAccount() async throws {
        let server = try ServerProcess()
        let ada = try await ManualDevice(server, account: "ada")
        #expect(try await ada.send(ada.insertion("secret")).status == 200)
        let eve = try await ManualDevice(server, account: "eve")
        let note = Mutation(
            RecordID("Note", 1),
            .insert(ValueObject(members: ["id": 1, "title": "mine", "list": "secret"])))
        let answer = try PushResponse(data: try await eve.send(eve.push([note])).body)
        #expect(answer.outcomes == [.blocked(by: RecordID("List", "secret"))])
    }

    @Test func noChangeOfAnotherAccountEndsAWait() async throws {
        let server = try ServerProcess(["--wait-seconds", "1"])
        let eve = try await ManualDevice(server, account: "eve")
        let port = server.port
        let done = Locked(false)
        async let response = inThread {
            defer { done.withLock { $0 = true } }
            return try RawConnection(port).send(
                RawRequest("GET", "/sync/v1/notifications", [("Authorization", "Bearer \(TestTokens.token("ada"))")]))
        }
        var number: Int64 = 0
        while !done.withLock({ $0 }) {
            number += 1
            _ = try await eve.send(eve.insertion("list \(number)", number: number))
        }
        #expect(try await response.text == #"{"changed":false}"#)
    }
}

/// Requests without a valid token, and requests that are sent again.
@Suite struct RequestTests {
    private let body = #"{"versions":[1],"device":"phone","entities":{}}"#

    @Test func requestsWithoutAValidTokenAreRefused() async throws {
        let server = try ServerProcess()
        let valid = TestTokens.token("ada")
        let unsigned = TestTokens.make(#"{"alg":"none"}"#, #"{"sub":"ada","exp":4000000000}"#) { _ in Data() }
        let other = TestTokens.token("ada", secret: "another secret for tests, of more than thirty-two bytes")
        let parts = valid.split(separator: ".")
        let bob = TestTokens.token("bob").split(separator: ".")
        for token in [
            "", "x", unsigned, String(unsigned.dropLast()), other, TestTokens.token("ada", expiry: 1_000_000_000),
            "\(parts[0]).\(bob[1]).\(parts[2])", "\(parts[0]).\(parts[1]).", TestTokens.operatorToken,
            "\(valid),\(valid)",
            "\(valid) \(valid)",
        ] {
            let response = try await server.post("/sync/v1/handshake", body, token: token)
            #expect(response.status == 401, "\(token)")
            #expect(response.code == "unauthorized")
        }
        for headers in [
            [], [("Authorization", valid)], [("Authorization", "Basic \(valid)")],
            [("X-Authorization", "Bearer \(valid)")],
            [("Cookie", "token=\(valid)")],
            [("Authorization", "Bearer \(valid)"), ("Authorization", "Bearer \(other)")],
        ] {
            let request = RawRequest(
                "POST", "/sync/v1/handshake", headers + [("Content-Type", "application/json")], Data(body.utf8))
            #expect(try await server.send(request).status == 401, "\(headers)")
        }
        for path in ["/sync/v1/notifications", "/sync/v1/notifications?token=\(valid)"] {
            #expect(try await server.send(RawRequest("GET", path)).status == 401)
        }
        // No refused request has made a store, and no token is in the log.
        #expect(try FileManager.default.contentsOfDirectory(atPath: server.folder.file("stores")).isEmpty)
        for part in [valid, other, parts[2].description] { #expect(!server.log.contains(part)) }
    }

    @Test(.needsPostgreSQL) func aPushThatIsSentAgainIsMadeOnceWithPostgreSQL() async throws {
        try await aPushThatIsSentAgainIsMadeOnce(.postgreSQL)
    }

    @Test(arguments: [TestDatabase.sqlite])
    func aPushThatIsSentAgainIsMadeOnce(_ database: TestDatabase) async throws {
        let server = try ServerProcess(database: database.address())
        let phone = try await ManualDevice(server)
        let first = phone.insertion("a")
        let answer = try await phone.send(first)
        #expect(answer.status == 200)
        #expect(try await phone.send(first).body == answer.body)
        // Another push under the same number, and an older one.
        #expect(try await phone.send(phone.insertion("b", number: 1, push: "other")).status == 409)
        let removal = phone.push([Mutation(RecordID("List", "a"), .delete)], number: 2, push: "q", base: 1)
        #expect(try await phone.send(removal).status == 200)
        #expect(try await phone.send(first).status == 409)
        let tablet = try await ManualDevice(server, "tablet")
        #expect(try await tablet.records().allSatisfy { $0.state == .deleted })
        // The same push of another device is none of this one's.
        var copy = first
        copy.device = "tablet"
        let response = try PushResponse(data: try await tablet.send(copy).body)
        #expect(response.outcomes == [.conflict])
    }

    @Test func oversizeBodiesAreRefusedBeforeTheyArrive() async throws {
        let server = try ServerProcess(["--body-bytes", "10000", "--push-records", "3", "--page-records", "2"])
        let port = server.port
        let authorization = ("Authorization", "Bearer \(TestTokens.token("ada"))")
        let headers = [authorization, ("Content-Type", "application/json")]
        for length in ["10001", "9223372036854775807", "9223372036854775808", "18446744073709551615"] {
            let head = RawRequest("PUT", "/sync/v1/push", headers + [("Content-Length", length)]).head
            let response = try await inThread {
                let connection = try RawConnection(port)
                connection.write(head)
                return try connection.response()
            }
            #expect(response.status == 413, "\(response.text)")
        }
        // A body of unknown length is read up to the limit.
        let head = RawRequest("PUT", "/sync/v1/push", headers + [("Transfer-Encoding", "chunked")]).head
        let response = try await inThread {
            let connection = try RawConnection(port)
            connection.write(head)
            let chunk = Data("1000\r\n".utf8) + Data(repeating: 32, count: 4_096) + Data("\r\n".utf8)
            for _ in 0..<1_000 where connection.write(chunk) {}
            return try connection.response()
        }
        #expect(response.status == 413)
        // Without a token, nothing is read.
        let anonymous = RawRequest(
            "POST", "/sync/v1/push", [("Content-Type", "application/json")], Data(count: 1 << 20))
        #expect(try await server.send(anonymous).status == 401)
        // No more changes are stored than the limit, and a page has no more records.
        let phone = try await ManualDevice(server)
        func insertions(_ count: Int) -> [Mutation] {
            (0..<count).map { number in
                Mutation(
                    RecordID("List", .string("\(number)")),
                    .insert(ValueObject(members: ["name": .string("\(number)"), "color": "red"])))
            }
        }
        let large = try PushResponse(data: try await phone.send(phone.push(insertions(4))).body)
        #expect(large.outcomes == [.accepted(), .accepted(), .accepted(), .later(after: 0)])
        #expect(try await phone.send(phone.push(insertions(31), number: 2)).code == "incompatible")
        let tablet = try await ManualDevice(server, "tablet")
        let page = try PullResponse(
            data: try await tablet.send(
                PullRequest(device: "tablet", cursor: SyncCursor(epoch: tablet.epoch, sequence: 0), limit: 100_000)
            ).body)
        #expect(page.entries.count == 2 && page.hasMore)
    }

    @Test func slowRequestsAreEnded() async throws {
        let server = try ServerProcess(["--body-seconds", "1"])
        let port = server.port
        let request = RawRequest.post("/sync/v1/handshake", Data(body.utf8), token: TestTokens.token("ada"))
        async let slowBody = inThread {
            let connection = try RawConnection(port)
            connection.write(request.head + request.body.dropLast())
            return try connection.response()
        }
        async let slowHead = inThread {
            let connection = try RawConnection(port)
            connection.write(request.head.dropLast(4))
            return try connection.readAll()
        }
        async let silent = inThread { try RawConnection(port).readAll() }
        #expect(try await slowBody.status == 408)
        #expect(try await slowHead.isEmpty)
        #expect(try await silent.isEmpty)
        #expect(try await server.send(request).status == 200)
    }

    @Test func aConnectionEndsWithARequestWhoseBodyIsNotRead() async throws {
        let server = try ServerProcess(["--body-seconds", "1000", "--body-bytes", "1000"])
        let (port, token) = (server.port, TestTokens.token("ada"))
        for (head, status) in [
            ("POST /sync/v1/push HTTP/1.1\r\nContent-Length: 100\r\nContent-Type: application/json\r\n\r\n", 401),
            ("POST /sync/v1/push HTTP/1.1\r\nContent-Length: 1001\r\nAuthorization: Bearer \(token)\r\n\r\n", 413),
            ("POST /other HTTP/1.1\r\nContent-Length: 100\r\nAuthorization: Bearer \(token)\r\n\r\n", 404),
            ("GET /health/live HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 200),
        ] {
            let response = try await inThread {
                let connection = try RawConnection(port)
                connection.write(Data(head.utf8))
                return try connection.response()
            }
            #expect(response.status == status)
        }
    }

    @Test func faultyHeadsAreRefused() async throws {
        let server = try ServerProcess()
        let port = server.port
        let valid = "Authorization: Bearer \(TestTokens.token("ada"))\r\nContent-Type: application/json\r\n"
        let second = "POST /sync/v1/handshake HTTP/1.1\r\n\(valid)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        let heads = [
            "POST /sync/v1/handshake HTTP/1.1\r\n\(valid)Content-Length: 5\r\nContent-Length: 0\r\n\r\n\(second)",
            "POST /sync/v1/handshake HTTP/1.1\r\n\(valid)Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n\(second)",
            "POST /sync/v1/handshake HTTP/1.1\r\n\(valid)Content-Length: -1\r\n\r\n\(second)",
            "POST /sync/v1/handshake HTTP/1.1\r\n\(valid)Transfer-Encoding: chunked\r\n\r\nzz\r\n\(second)",
            "POST /sync/v1/handshake HTTP/1.1\r\nBad Header: x\r\n\(valid)\r\n\(second)",
            "POST /sync/v1/handshake\r\n\r\n", "\r\n\r\n\0\0\0", "GET / HTTP/9.9\r\n\r\n",
            "GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 100_000))\r\n\r\n",
            "GET / HTTP/1.1\r\n\(String(repeating: "X: y\r\n", count: 1_000))\r\n",
            "GET /\(String(repeating: "x", count: 200_000)) HTTP/1.1\r\n\r\n",
        ]
        for head in heads {
            let received = try await inThread {
                let connection = try RawConnection(port)
                connection.write(Data((head + "GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n").utf8))
                return String(decoding: try connection.readAll(), as: UTF8.self)
            }
            // The connection ends, and no hidden request is answered.
            #expect(!received.contains("HTTP/1.1 200"), "\(head.prefix(200)) \(received)")
        }
        #expect(try await server.post("/sync/v1/handshake", body).status == 200)
    }

    @Test func pathsMeanWhatTheyState() async throws {
        let server = try ServerProcess()
        let headers = [
            ("Authorization", "Bearer \(TestTokens.token("ada"))"), ("Content-Type", "application/json"),
        ]
        for path in [
            "/sync/v1/../v1/handshake", "//sync/v1/handshake", "/sync/v1/handshake/", "/sync/v1/%68andshake",
            "/sync/v1/handshake;x", "/SYNC/V1/HANDSHAKE", "/sync/v1/handshake%00", "/sync/v1/handshake#x",
            "/sync/v1/./handshake",
            "/sync//v1/handshake", "/%2e%2e/%2e%2e/etc/passwd", "/../../../../etc/passwd", "/..\\..\\secrets",
            "/sync/v1/ada/pull", "/stores/ada.sqlite", "*", "/operations/../metrics", "/Metrics", "/metrics/",
            "/health/live/../../operations", "/",
        ] {
            for method in ["POST", "GET", "OPTIONS", "DELETE", "TRACE"] {
                let response = try await server.send(RawRequest(method, path, headers, Data(body.utf8)))
                #expect([400, 404, 405].contains(response.status), "\(method) \(path): \(response.status)")
            }
        }
        for method in ["GET", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "HEAD", "PATCH"] {
            let response = try await server.send(RawRequest(method, "/sync/v1/handshake", headers))
            #expect([400, 405].contains(response.status), "\(method): \(response.status)")
        }
        // An address has the rights of its path.
        #expect(try await server.send(RawRequest("GET", "http://127.0.0.1/metrics", headers)).status == 401)
        // A query changes nothing.
        let query = RawRequest("POST", "/sync/v1/handshake?account=bob&device=x", headers, Data(body.utf8))
        #expect(try HandshakeResponse(data: try await server.send(query).body).account == "ada")
    }
}
