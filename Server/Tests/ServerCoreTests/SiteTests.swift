import Foundation
import HTTPSync
import ServerCore
import Synchronization
import SyncPersistence
import TestSupport
import Testing

@Suite struct SiteTests {
    private let operators = [("Authorization", "Bearer \(TestTokens.operatorToken)")]

    @Test func theBodyIsNotReadBeforeTheTokenIsVerified() async throws {
        let fixture = try Fixture()
        let response = await fixture.site.response(
            to: HTTPServiceRequest(
                method: "POST", path: "/sync/v1/push", headers: [("Content-Type", "application/json")]),
            hasBody: true
        ) { () async throws(Site.BodyError) -> Data in
            Issue.record("the body was read")
            throw .lost
        }
        #expect(response.status == 401)
        #expect(response.endsConnection)
    }

    @Test func theBodyIsNotReadBeyondTheLimitOfRequests() async throws {
        let fixture = try Fixture(["--account-requests", "1"])
        try await fixture.handshake()
        let response = await fixture.site.response(
            to: HTTPServiceRequest(
                method: "POST", path: "/sync/v1/push",
                headers: [
                    ("Content-Type", "application/json"), ("Authorization", "Bearer \(TestTokens.token("ada"))"),
                ]),
            hasBody: true
        ) { () async throws(Site.BodyError) -> Data in
            Issue.record("the body was read")
            throw .lost
        }
        #expect(response.status == 429)
        #expect(response.headers["Retry-After"] == "60")
        #expect(response.account == AccountName("ada"))
        #expect(response.endsConnection)
    }

    @Test func aPushEndsAWaitWithThePositionAfterIt() async throws {
        let fixture = try Fixture()
        let epoch = try await fixture.handshake()
        let waiting = Task {
            await fixture.send(
                "GET", "/sync/v1/notifications", [("Authorization", "Bearer \(TestTokens.token("ada"))")])
        }
        while await !fixture.send("GET", "/metrics", operators).text.contains("sync_waiting_requests 1.0\n") {}
        _ = try await fixture.push(["a"], epoch: epoch)
        #expect(await waiting.value.text == #"{"changed":true,"cursor":{"epoch":"\#(epoch)","sequence":1}}"#)
    }

    @Test func aWaitBeyondTheLimitOfAllAccountsIsRefused() async throws {
        let fixture = try Fixture(["--connections", "2"])
        let waiting = Task {
            await fixture.send(
                "GET", "/sync/v1/notifications", [("Authorization", "Bearer \(TestTokens.token("ada"))")])
        }
        while await !fixture.send("GET", "/metrics", operators).text.contains("sync_waiting_requests 1.0\n") {}
        let refused = await fixture.send(
            "GET", "/sync/v1/notifications", [("Authorization", "Bearer \(TestTokens.token("bob"))")])
        #expect(refused.status == 429 && refused.endsConnection)
        #expect(refused.headers["Retry-After"] == "5")
        fixture.site.answerWaits()
        #expect(await waiting.value.status == 200)
    }

    @Test func aWaitCreatesNoStore() async throws {
        let fixture = try Fixture()
        // Then each wait is answered at once.
        fixture.site.answerWaits()
        let response = await fixture.send(
            "GET", "/sync/v1/notifications", [("Authorization", "Bearer \(TestTokens.token("ada"))")])
        #expect(response.text == #"{"changed":true}"#)
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.file("stores")).isEmpty)
    }

    @Test(arguments: [(Site.BodyError.tooLarge, 413), (.tooSlow, 408), (.lost, 400)])
    func aBodyThatWasNotReadEndsTheConnection(_ error: Site.BodyError, _ status: Int) async throws {
        let fixture = try Fixture()
        let response = await fixture.send(
            "POST", "/sync/v1/pull", [("Authorization", "Bearer \(TestTokens.token("ada"))")], "", error: error)
        #expect(response.status == status)
        #expect(response.endsConnection)
    }

    @Test func anAccountThatAsksTooOftenMustWait() async throws {
        let fixture = try Fixture(["--account-requests", "2"])
        for account in ["ada", "bob"] {
            try await fixture.handshake(account: account)
            try await fixture.handshake(account: account)
        }
        let body = #"{"versions":[1],"device":"phone","entities":{}}"#
        let refused = await fixture.post("/sync/v1/handshake", body)
        #expect(refused.status == 429)
        #expect(refused.headers["Retry-After"] == "30")
        fixture.time.advance(29)
        #expect(await fixture.post("/sync/v1/handshake", body).status == 429)
        fixture.time.advance(1)
        #expect(await fixture.post("/sync/v1/handshake", body).status == 200)
        #expect(await fixture.post("/sync/v1/handshake", body).status == 429)
        fixture.time.advance(-1_000)
        #expect(await fixture.post("/sync/v1/handshake", body).status == 429)
    }

    @Test func aFullAccountAcceptsNoNewRecords() async throws {
        let fixture = try Fixture(["--account-records", "2"])
        let epoch = try await fixture.handshake()
        #expect(
            try await fixture.push(["a", "b", "c"], epoch: epoch).outcomes == [.accepted(), .accepted(), .accepted()])
        let refused = try await fixture.push(["d"], number: 2, epoch: epoch)
        guard case .refused("quota", _)? = refused.outcomes.first else {
            Issue.record("\(refused.outcomes)")
            return
        }
        let other = try await fixture.handshake(account: "bob")
        #expect(try await fixture.push(["d"], account: "bob", epoch: other).outcomes == [.accepted()])
    }

    @Test func anAccountHasNoMoreDevicesThanItsLimit() async throws {
        let fixture = try Fixture(["--account-devices", "2"])
        for device in ["phone", "tablet", "phone"] { try await fixture.handshake(device) }
        let body = #"{"versions":[1],"device":"laptop","entities":{}}"#
        let refused = await fixture.post("/sync/v1/handshake", body)
        #expect(refused.status == 400)
        #expect(refused.text.contains("the account has 2 devices, and the service accepts no more of them"))
        try await fixture.handshake("laptop", account: "bob")
    }

    @Test func hooksReplaceTheAuthenticationAndTheService() async throws {
        var hooks = Site.Hooks()
        hooks.authenticate = { request in
            guard request.headers["x-user"] == "7", let account = AccountName("user 7") else {
                throw RemoteError.unauthorized
            }
            return account
        }
        hooks.service = { SyncService($0, account: "own \($1)") }
        let fixture = try Fixture(hooks: hooks)
        let body = #"{"versions":[1],"device":"phone","entities":{}}"#
        #expect(await fixture.post("/sync/v1/handshake", body).status == 401)
        let response = await fixture.send(
            "POST", "/sync/v1/handshake", [("X-User", "7"), ("Content-Type", "application/json")], body)
        #expect(try HandshakeResponse(data: response.body).account == "own user 7")
    }

    @Test func theLogNamesTheEntityOfAFailureAndNoKey() async throws {
        let folder = TemporaryFolder()
        let words = try TestSchema.prepare(folder) + ["--database", "sqlite:\(folder.file("stores/"))"]
        var hooks = Site.Hooks()
        hooks.accepts = { _ in
            throw PersistenceError(.unreadable, "it is damaged", id: RecordID("List", "diary of ada"), property: "name")
        }
        let reported = Mutex<[String]>([])
        let site = try Site(#require(try Settings.read(words, [:])), hooks: hooks, date: { TestTime().now }) {
            (error, route) in reported.withLock { $0.append("\(route) \(error)") }
        }
        let response = await site.response(
            to: HTTPServiceRequest(
                method: "POST", path: "/sync/v1/pull",
                headers: [
                    ("Content-Type", "application/json"), ("Authorization", "Bearer \(TestTokens.token("ada"))"),
                ]),
            hasBody: false
        ) { () async throws(Site.BodyError) -> Data in Data() }
        #expect(response.status == 500)
        #expect(reported.withLock { $0 } == ["/sync/v1/pull List.name: it is damaged"])
        await site.close()
    }

    @Test func aHookRefusesVerifiedAccounts() async throws {
        var hooks = Site.Hooks()
        hooks.accepts = { $0.description != "bob" }
        let fixture = try Fixture(hooks: hooks)
        let body = #"{"versions":[1],"device":"phone","entities":{}}"#
        #expect(await fixture.post("/sync/v1/handshake", body).status == 200)
        #expect(await fixture.post("/sync/v1/handshake", body, token: TestTokens.token("bob")).status == 401)
    }

    @Test func aSingleAccountRefusesTheOthers() async throws {
        let fixture = try Fixture(["--single-account", "ada"])
        let body = #"{"versions":[1],"device":"phone","entities":{}}"#
        #expect(await fixture.post("/sync/v1/handshake", body).status == 200)
        #expect(await fixture.post("/sync/v1/handshake", body, token: TestTokens.token("bob")).status == 401)
        #expect(await fixture.send("GET", "/health/ready").status == 200)
    }

    @Test func aSingleAccountRefusesTheOthersOfAHook() async throws {
        var hooks = Site.Hooks()
        hooks.authenticate = { request in
            guard let account = AccountName(request.headers["x-user"] ?? "") else { throw RemoteError.unauthorized }
            return account
        }
        let fixture = try Fixture(["--single-account", "ada"], hooks: hooks)
        for (user, status) in [("ada", 200), ("bob", 401)] {
            let response = await fixture.send(
                "POST", "/sync/v1/handshake", [("X-User", user), ("Content-Type", "application/json")],
                #"{"versions":[1],"device":"phone","entities":{}}"#)
            #expect(response.status == status, "\(user)")
        }
    }

    @Test func thePagesOfOperatorsNeedTheirToken() async throws {
        let fixture = try Fixture()
        try await fixture.handshake()
        for path in ["/metrics", "/operations", "/operations/devices?account=ada"] {
            #expect(await fixture.send("GET", path).status == 401)
            #expect(await fixture.send("GET", path, [("Authorization", "Bearer wrong")]).status == 401)
            #expect(
                await fixture.send("GET", path, [("Authorization", "Bearer \(TestTokens.token("ada"))")]).status == 401)
            #expect(await fixture.send("GET", path, operators).status == 200)
            let password = Data("any:\(TestTokens.operatorToken)".utf8).base64EncodedString()
            #expect(await fixture.send("GET", path, [("Authorization", "Basic \(password)")]).status == 200)
            #expect(await fixture.send("POST", path, operators).status == 405)
            #expect(await fixture.send("HEAD", path, operators).body.isEmpty)
        }
        #expect(await fixture.send("GET", "/health/live").text == "live\n")
        #expect(await fixture.send("GET", "/health/ready").text == "ready\n")
    }

    @Test func metricsCountRequestsAndChanges() async throws {
        let fixture = try Fixture()
        let epoch = try await fixture.handshake()
        _ = try await fixture.push(["a"], epoch: epoch)
        _ = await fixture.post("/sync/v1/pull", "{}", token: nil)
        _ = await fixture.post("/../../etc/passwd", "{}", token: nil)
        let text = await fixture.send("GET", "/metrics", operators).text
        for line in [
            #"sync_requests_total{route="/sync/v1/push",status="200"} 1"#,
            #"sync_requests_total{route="/sync/v1/pull",status="401"} 1"#,
            #"sync_requests_total{route="other",status="404"} 1"#, #"sync_changes_total{outcome="accepted"} 1"#,
            "sync_commits_total 1", #"sync_refused_tokens_total{reason="missing"} 2"#, "sync_open_stores 1.0",
            #"sync_request_seconds_count{route="/sync/v1/push"} 1"#,
        ] {
            #expect(text.contains(line + "\n"), "\(line)")
        }
        // Each line is a comment or a sample.
        for line in text.split(separator: "\n") {
            #expect(line.wholeMatch(of: /# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[^{}]*\})? [0-9.e+-]+/) != nil, "\(line)")
        }
    }

    @Test func thePageShowsAccountsAndEscapesThem() async throws {
        let fixture = try Fixture()
        let hostile = "<script>alert('x')</script>&"
        for account in ["ada", hostile] {
            let epoch = try await fixture.handshake(account: account)
            try await fixture.handshake("tablet", account: account)
            _ = try await fixture.push(["a", "b"], account: account, epoch: epoch)
            for device in ["phone", "tablet"] where account == "ada" || device == "phone" {
                let pull = await fixture.post(
                    "/sync/v1/pull",
                    #"{"version":1,"device":"\#(device)","cursor":{"epoch":"\#(epoch)","sequence":0}}"#,
                    token: TestTokens.token(account))
                #expect(pull.status == 200)
            }
        }
        let epoch = try await fixture.handshake()
        _ = try await fixture.push(["c"], number: 2, epoch: epoch)
        let response = await fixture.send("GET", "/operations", operators)
        let page = response.text
        #expect(!page.contains("<script"))
        #expect(page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;"))
        // Records, last change, horizon, commits, devices, devices behind, refused records, conflicts.
        #expect(
            page.contains(
                "<tr><td>ada</td><td>3</td><td>3</td><td>0</td><td>2</td><td>2</td><td>1</td><td>0</td><td>0</td></tr>")
        )
        #expect(response.headers["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
        fixture.time.advance(61)
        let later = await fixture.send("GET", "/operations", operators).text
        #expect(later.contains("<tr><td>ada</td><td>3</td><td>3</td><td>0</td><td>0</td><td>2</td><td>1</td>"))
    }

    @Test func faultyFilesAreNamed() throws {
        let folder = TemporaryFolder()
        let words = try TestSchema.prepare(folder) + ["--database", "sqlite:\(folder.file("stores/"))"]
        func fails(_ name: String, _ contents: String, _ flags: [String] = []) throws {
            let (kept, settings) = (folder.contents(of: name), try #require(try Settings.read(words + flags, [:])))
            folder.write(Data(contents.utf8), to: name)
            let error = #expect(throws: SettingsError.self) { try Site(settings) }
            #expect(error?.description.contains(folder.file(name)) == true)
            folder.write(kept ?? Data(), to: name)
        }
        try fails("schema.json", "{}")
        try fails("schema.json", #"[{"name":"Note"},{"name":"Note"}]"#)
        try fails("secrets", "short\n")
        try fails("secrets", "")
        try fails("secrets", "differential-sync-development-secret-known-to-everyone")
        try fails("operator", "short")
        try fails(
            "keys", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
            [
                "--token-public-key-file", folder.file("keys"),
            ])
        try fails("keys", "", ["--token-public-key-file", folder.file("keys")])
    }
}
