import Foundation
import HTTPSync
import SyncPersistence
import SyncValues
import TestSupport
import Testing

/// Texts that mean something in SQL, in paths, in HTML or in a log mean nothing to the server.
@Suite struct HostileTextTests {
    private static let texts = [
        "'; DROP TABLE \"List\"; --", "\"; DELETE FROM \"List\"; --", "' OR '1'='1", "\" OR 1=1 --", "$1", "?1",
        ":name", "%s%n",
        "x'); ATTACH DATABASE '/tmp/taken' AS taken; --", "$$; DROP SCHEMA sync_ada CASCADE; $$", "\\", "\\'; --",
        "a\u{0}b", "\u{0}",
        "../../etc/passwd", "..", "/", "CON", "<script>alert(1)</script>", "{\"time\":\"x\"}\n{\"level\":\"error\"}",
        "\r\nX: y",
        "\u{202E}\u{2028}\u{FEFF}", "sync.metadata", "sync.service.epoch", "pg_catalog.pg_tables", "`id`", "${HOME}",
        String(repeating: "'", count: 199), "e\u{301}", "😀",
    ]

    @Test(.needsPostgreSQL) func valuesAndKeysAreStoredAsTheyAreWithPostgreSQL() async throws {
        try await valuesAndKeysAreStoredAsTheyAre(.postgreSQL)
    }

    @Test(arguments: [TestDatabase.sqlite])
    func valuesAndKeysAreStoredAsTheyAre(_ database: TestDatabase) async throws {
        let server = try ServerProcess(database: database.address())
        let phone = try await ManualDevice(server)
        let changes = Self.texts.map { text in
            Mutation(
                RecordID("List", .string(text)),
                .insert(ValueObject(members: ["name": .string(text), "color": .string(text)])))
        }
        let answer = try PushResponse(data: try await phone.send(phone.push(changes)).body)
        #expect(answer.outcomes.allSatisfy { $0 == .accepted() })
        let updates = Self.texts.map { text in
            Mutation(
                RecordID("List", .string(text)), .update(ValueObject(members: ["color": .string(text + "2")])))
        }
        let base = Int64(Self.texts.count)
        let second = try await phone.send(phone.push(updates, number: 2, push: Self.texts[0], base: base))
        #expect(try PushResponse(data: second.body).outcomes.allSatisfy { $0 == .accepted() })
        let tablet = try await ManualDevice(server, "tablet")
        var colors: [Value: Value] = [:]
        for entry in try await tablet.records() {
            guard case .present(let values) = entry.state else { continue }
            colors[entry.id.key] = values["color"]
        }
        #expect(
            colors
                == Dictionary(
                    uniqueKeysWithValues: Self.texts.map { (Value.string($0), Value.string($0 + "2")) }))
        try checkLog(server)
    }

    @Test(.needsPostgreSQL) func namesInMessagesReachNothingElseWithPostgreSQL() async throws {
        try await namesInMessagesReachNothingElse(.postgreSQL)
    }

    @Test(arguments: [TestDatabase.sqlite])
    func namesInMessagesReachNothingElse(_ database: TestDatabase) async throws {
        let server = try ServerProcess(database: database.address())
        let keeper = try await ManualDevice(server, "keeper")
        #expect(try await keeper.send(keeper.insertion("kept")).status == 200)
        for (index, text) in Self.texts.enumerated() {
            var device = keeper
            device.name = text
            let (number, key) = (Int64(index) + 1, RecordID("List", "x"))
            var handshake = device.handshake
            handshake.entities = [text: [text], "List": ["name", text]]
            handshake.lastPush = PushName(number: 1, name: text)
            handshake.cursor = SyncCursor(epoch: text, sequence: 3)
            #expect([200, 400].contains(try await device.send(handshake).status), "\(text)")
            handshake.scope = text
            #expect([400, 401].contains(try await device.send(handshake).status), "\(text)")
            #expect([400, 409].contains(try await device.send(device.pull(0, epoch: text)).status), "\(text)")
            // An unknown entity and an unknown attribute are refused for each record, a faulty message as a whole.
            let mutations = [
                Mutation(RecordID(text, .string(text)), .insert(ValueObject(members: [text: .string(text)]))),
                Mutation(key, .insert(ValueObject(members: ["name": "x", text: .string(text)]))),
                Mutation(key, .update(ValueObject(members: [text: 1]))), Mutation(RecordID(text, 1), .delete),
                Mutation(RecordID("sync.metadata", .string(text)), .update(ValueObject(members: ["value": "x"]))),
                Mutation(RecordID("sync.metadata", "sync.service.epoch"), .delete),
            ]
            for (offset, mutation) in mutations.enumerated() {
                let number = number * 100 + Int64(offset)
                let response = try await device.send(device.push([mutation], number: number, push: text))
                #expect([200, 400, 409].contains(response.status), "\(text): \(response.text)")
                if response.status == 200 {
                    let outcome = try PushResponse(data: response.body).outcomes.first
                    #expect(outcome?.isRefusal == true, "\(text): \(String(describing: outcome))")
                }
            }
        }
        let reader = try await ManualDevice(server, "reader")
        #expect(reader.epoch == keeper.epoch)
        #expect(try await reader.records().map(\.id) == [RecordID("List", "kept")])
        try checkLog(server)
    }

    @Test(.needsPostgreSQL) func namesOfAccountsReachNoOtherStoreWithPostgreSQL() async throws {
        try await namesOfAccountsReachNoOtherStore(.postgreSQL)
    }

    @Test(arguments: [TestDatabase.sqlite])
    func namesOfAccountsReachNoOtherStore(_ database: TestDatabase) async throws {
        let server = try ServerProcess(database: database.address())
        let keeper = try await ManualDevice(server)
        #expect(try await keeper.send(keeper.insertion("kept")).status == 200)
        for text in Self.texts {
            let token = TestTokens.token(text.jsonEscaped)
            let response = try await server.send(
                RawRequest.post("/sync/v1/handshake", keeper.handshake.data, token: token))
            let isAllowed = !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
            #expect(response.status == (isAllowed ? 200 : 401), "\(text)")
            if isAllowed { #expect(try HandshakeResponse(data: response.body).sequence == 0, "\(text)") }
        }
        let reader = try await ManualDevice(server, "reader")
        #expect(try await reader.records().map(\.id) == [RecordID("List", "kept")])
        try checkLog(server)
    }

    /// Requires that each line of the log is one object of the server.
    private func checkLog(_ server: ServerProcess) throws {
        for line in server.log.split(separator: "\n") {
            guard case .object(let object)? = try? Value(json: String(line)) else {
                Issue.record("\(line) is not an object")
                continue
            }
            #expect(object["time"] != .string("x") && object["message"] != nil)
            #expect(object["level"] != "error", "\(line)")
        }
    }
}

extension PushResponse.Outcome {
    /// Whether the change is not stored.
    fileprivate var isRefusal: Bool { if case .accepted = self { false } else { true } }
}
