import DifferentialSyncTesting
import Foundation
import StoreSync
import SyncPersistence
import TestSupport
import Testing

/// The JSON form of messages.
@Suite struct MessageTests {
    static let push = PushName(number: 3, name: "r")
    static let cursor = SyncCursor(epoch: "e", sequence: 7)

    @Test func everyMessageHasTheDocumentedForm() throws {
        try check(
            HandshakeRequest(
                device: "phone", cursor: Self.cursor, lastPush: Self.push, entities: ["Note": ["text"]],
                scope: "home"),
            #"{"versions":[1],"device":"phone","cursor":{"epoch":"e","sequence":7},"lastPush":{"number":3,"name":"r"},"#
                + #""entities":{"Note":["text"]},"scope":"home"}"#)
        try check(
            HandshakeResponse(
                account: "ann", epoch: "e", limits: SyncLimits(pageRecords: 5, pushRecords: 6, bytes: 7, pushBytes: 8),
                sequence: 9,
                lastPush: PushResponse(name: Self.push, outcomes: [.conflict]), entities: ["Note": ["text"]]),
            #"{"version":1,"account":"ann","epoch":"e","limits":{"pageRecords":5,"pushRecords":6,"bytes":7,"pushBytes":8},"#
                + #""sequence":9,"horizon":0,"push":{"number":3,"name":"r"},"count":1,"outcomes":[[0,"conflict"]],"#
                + #""entities":{"Note":["text"]}}"#)
        try check(
            PullRequest(device: "phone", cursor: Self.cursor, limit: 20, comparison: 2),
            #"{"version":1,"device":"phone","cursor":{"epoch":"e","sequence":7},"limit":20,"comparison":2}"#)
        try check(
            PushRequest(
                device: "phone", name: Self.push, base: Self.cursor,
                mutations: [
                    Mutation(RecordID("Note", 7), .update(RandomMessages.object(["text": "milk"]))),
                    Mutation(RecordID("Tag", "a"), .delete),
                    Mutation(RecordID("Note", 8), .update(RandomMessages.object(["text": .null]))),
                    Mutation(
                        RecordID("Note", [9, "b"]), .insert(RandomMessages.object(["text": "tea", "rank": 1.0]))),
                ]),
            #"{"version":1,"device":"phone","push":{"number":3,"name":"r"},"base":{"epoch":"e","sequence":7},"#
                + #""shapes":[{"entity":"Note","kind":"update","values":["text"]},{"entity":"Tag","kind":"delete"},"#
                + #"{"entity":"Note","kind":"insert","values":["text","rank"]}],"#
                + #""mutations":[[0,7,"milk"],[1,"a"],[0,8,null],[2,[9,"b"],"tea",{"double":1.0}]]}"#)
    }

    @Test func aPageHasEachShapeOnce() throws {
        let page = PullResponse(
            entries: [
                PullResponse.Entry(RecordID("Note", 7), .present(RandomMessages.object(["text": "milk"]))),
                PullResponse.Entry(RecordID("Note", 8), .deleted), PullResponse.Entry(RecordID("Note", 9), .outOfScope),
                PullResponse.Entry(RecordID("Note", 5), .present(RandomMessages.object(["text": "tea"]))),
            ], cursor: Self.cursor, hasMore: false, fingerprint: StoreFingerprint(count: 2, high: 1, low: .max))
        try check(
            page,
            #"{"version":1,"cursor":{"epoch":"e","sequence":7},"hasMore":false,"remaining":0,"#
                + #""fingerprint":{"count":2,"digest":"0000000000000001ffffffffffffffff"},"#
                + #""shapes":[{"entity":"Note","kind":"present","values":["text"]},{"entity":"Note","kind":"deleted"},"#
                + #"{"entity":"Note","kind":"outOfScope"}],"entries":[[0,7,"milk"],[1,8],[2,9],[0,5,"tea"]]}"#)
    }

    @Test func aResponseListsOnlyOutcomesThatAreNotPlain() throws {
        try check(
            PushResponse(
                name: Self.push,
                outcomes: [
                    .accepted(), .conflict, .refused(code: "c", reason: "r"), .later(after: nil), .later(after: 5),
                    .blocked(by: RecordID("Note", 7)), .unauthorized,
                    .accepted(amended: RandomMessages.object(["text": 1.0]), key: 12),
                    .accepted(), .accepted(amended: ValueObject()), .accepted(key: "k"), .accepted(),
                ]),
            #"{"version":1,"push":{"number":3,"name":"r"},"count":12,"outcomes":[[1,"conflict"],"#
                + #"[2,"refused","c","r"],[3,"later",null],[4,"later",5],[5,"blocked","Note",7],[6,"unauthorized"],"#
                + #"[7,"accepted",{"object":["text",{"double":1.0}]},12],[9,"accepted",{"object":[]},null],"#
                + #"[10,"accepted",null,"k"]]}"#)
        let plain = PushResponse(name: Self.push, outcomes: Array(repeating: .accepted(), count: 500))
        #expect(plain.data.count < 100)
    }

    private func check<Message: SyncMessage>(_ message: Message, _ text: String) throws {
        #expect(String(decoding: message.data, as: UTF8.self) == text)
        #expect(try Message(data: Data(text.utf8)) == message)
    }

    @Test func randomMessagesSurviveTheirJSON() throws {
        let seed = SeededGenerator.testSeed(31)
        var messages = RandomMessages(seed: seed)
        func check<Message: SyncMessage>(_ message: Message) throws {
            let data = message.data
            let read = try Message(data: data)
            #expect(read == message, "seed \(seed)")
            // What equality does not see: the sign of a zero, and the order of members.
            #expect(read.data == data, "seed \(seed)")
        }
        for _ in 0..<(isFullScale ? 5_000 : 300) {
            try check(messages.handshakeRequest())
            try check(messages.handshakeResponse())
            try check(messages.pullRequest())
            try check(messages.pullResponse())
            try check(messages.pushRequest())
            try check(messages.pushResponse())
        }
    }

    @Test func everyHardValueSurvivesAsValueAndAsKey() throws {
        let entries = RandomMessages.hard.map {
            PullResponse.Entry(
                RecordID("E", $0.isNull ? [$0] : $0), .present(RandomMessages.object(["value": $0, "": $0])))
        }
        let page = PullResponse(entries: entries, cursor: Self.cursor, hasMore: true)
        #expect(try PullResponse(data: page.data) == page)
    }

    @Test func namesThatDifferOnlyInTheirScalarsAreDifferentShapes() throws {
        let mutations = ["\u{E9}", "e\u{301}"].flatMap { name in
            [
                Mutation(RecordID(name, 1), .delete),
                Mutation(RecordID("E", 1), .update(ValueObject([ValueObject.Member(name: name, value: 1)]))),
            ]
        }
        let request = PushRequest(device: "d", name: Self.push, base: Self.cursor, mutations: mutations)
        let read = try PushRequest(data: request.data)
        #expect(read.mutations.map { Array($0.id.entity.utf8) } == mutations.map { Array($0.id.entity.utf8) })
        #expect(read.mutations.map(\.change) == mutations.map(\.change))
    }

    @Test func aValueAsDeepAsAStoreAllowsFitsInAMessage() throws {
        var value: Value = 1
        for level in 0..<512 { value = level.isMultiple(of: 2) ? [value] : ["a": value] }
        let request = PushRequest(
            device: "d", name: Self.push, base: Self.cursor,
            mutations: [Mutation(RecordID("E", 1), .insert(RandomMessages.object(["json": value])))])
        #expect(try PushRequest(data: request.data) == request)
    }

    @Test func updatesOfOneAttributeCostLittleMoreThanTheirValues() throws {
        let uuid = "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"
        let base = SyncCursor(epoch: uuid, sequence: 1_234_567)
        let changes = (0..<100).map { (key: 100_000 + $0, text: "Buy \($0 % 7) litres of milk") }
        let request = PushRequest(
            device: uuid, name: PushName(number: 1_234, name: uuid), base: base,
            mutations: changes.map {
                Mutation(
                    RecordID("Task", .integer(Int64($0.key))),
                    .update(RandomMessages.object(["title": .string($0.text)])))
            })
        let attributes = try changes.map {
            try Value.object(RandomMessages.object(["title": .string($0.text)])).json.utf8.count
        }.reduce(0, +)
        let bytes = request.data.count
        #expect(Double(bytes) <= 1.3 * Double(attributes) + 300, "\(bytes) bytes for \(attributes)")

        let page = PullResponse(
            entries: changes.map {
                PullResponse.Entry(
                    RecordID("Task", .integer(Int64($0.key))),
                    .present(RandomMessages.object(["title": .string($0.text)])))
            }, cursor: base, hasMore: false, fingerprint: StoreFingerprint(count: 100, high: .max, low: .max))
        #expect(Double(page.data.count) <= 1.3 * Double(attributes) + 300, "\(page.data.count) bytes")
    }

    @Test func anOutcomeWithoutAKeyHasNoneAfterItsJSON() throws {
        let response = PushResponse(
            name: PushName(number: 1, name: "a"),
            outcomes: [.accepted(), .accepted(amended: ValueObject(), key: nil), .accepted(amended: nil, key: 7)])
        #expect(try PushResponse(data: response.data) == response)
    }
}
