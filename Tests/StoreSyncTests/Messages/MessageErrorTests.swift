import DifferentialSyncTesting
import Foundation
import StoreSync
import SyncPersistence
import TestSupport
import Testing

/// What is refused in the JSON of messages, and how the errors read.
@Suite struct MessageErrorTests {
    private static let page = #"{"version":1,"cursor":{"epoch":"e","sequence":7},"hasMore":false,"#
    private static let note = #""shapes":[{"entity":"Note","kind":"present","values":["text"]}],"#

    @Test(arguments: [
        (
            "",
            "the message is not JSON of the protocol: line 1, column 1 (byte 0): expected an object, found the end of the text"
        ),
        ("[]", "the message is not JSON of the protocol: line 1, column 1 (byte 0): expected an object, found '['"),
        ("{}", "at version: it is missing"),
        (#"{"version":"1"}"#, "at version: expected a whole number from 0 up"),
        (
            #"{"version":2,"new":{}}"#,
            "at version: the message has version 2 of the protocol, and this library knows 1: update the end with the lower one"
        ),
        (#"{"version":1}"#, "at shapes: it is missing"),
        (page + #""shapes":{}}"#, "at shapes: expected an array"),
        (page + #""shapes":[7]}"#, "at shapes.0: expected an object"),
        (page + #""shapes":[{"entity":7}]}"#, "at shapes.0.entity: expected text"),
        (
            page + #""shapes":[{"entity":"Note","kind":"new"}]}"#,
            "at shapes.0.kind: the kind is unknown to this version"
        ),
        (
            page + #""shapes":[{"entity":"Note","kind":"present","values":["a",7]}]}"#,
            "at shapes.0.values.1: expected text"
        ),
        (
            page + #""shapes":[{"entity":"Note","kind":"present","values":["a","a"]}]}"#,
            "at shapes.0.values: a name is repeated"
        ),
        (page + note + #""entries":[7]}"#, "at entries.0: expected an array of a shape's position, a key and values"),
        (page + note + #""entries":[[0]]}"#, "at entries.0: expected an array of a shape's position, a key and values"),
        (page + note + #""entries":[[1,7,"a"]]}"#, "at entries.0: there is no shape 1"),
        (page + note + #""entries":[[-1,7,"a"]]}"#, "at entries.0: there is no shape -1"),
        (page + note + #""entries":[[0,7,"a"],[0,7]]}"#, "at entries.1: expected 1 values, as the shape has, found 0"),
        (page + note + #""entries":[[0,null,"a"]]}"#, "at entries.0: the key is null"),
        (
            page + note + #""entries":[[0,7,{"text":1}]]}"#,
            #"the message is not JSON of the protocol: line 1, column 147 (byte 146): expected one of the tags "double", "decimal", "bytes", "date", "uuid", "url", "object", found '"'"#
        ),
        (
            page + #""hasMore":true}"#,
            #"the message is not JSON of the protocol: line 1, column 66 (byte 65): expected names that are unique in their object, found a name for the second time"#
        ),
        (
            #"{"version":1,"shapes":[],"entries":[],"cursor":{"epoch":"e","sequence":-1}}"#,
            "at cursor.sequence: expected a whole number from 0 up"
        ),
        (
            #"{"version":1,"shapes":[],"entries":[],"cursor":{"epoch":"e","sequence":1.0}}"#,
            "at cursor.sequence: expected a whole number from 0 up"
        ),
        (
            page + #""shapes":[],"entries":[],"fingerprint":{"count":1,"digest":"+000000000000001ffffffffffffffff"}}"#,
            "at fingerprint.digest: expected 32 hexadecimal digits"
        ),
    ])
    func aWrongPageIsRefused(text: String, message: String) throws {
        let error = try #require(throws: MessageError.self) { try PullResponse(data: Data(text.utf8)) }
        #expect("\(error)" == message)
    }

    @Test(arguments: [
        (#""count":1000000000000,"outcomes":[]"#, "at count: 1000000000000 records are more than 100000"),
        (#""count":-1,"outcomes":[]"#, "at count: expected a whole number from 0 up"),
        (#""count":2,"outcomes":[[2,"conflict"]]"#, "at outcomes: expected ascending positions below 2, found 2"),
        (
            #""count":2,"outcomes":[[1,"conflict"],[1,"conflict"]]"#,
            "at outcomes: expected ascending positions below 2, found 1"
        ),
        (#""count":2,"outcomes":[[-1,"conflict"]]"#, "at outcomes: expected ascending positions below 2, found -1"),
        (#""count":2,"outcomes":["conflict"]"#, "at outcomes.0: expected an array of a position, a word and details"),
        (
            #""count":2,"outcomes":[[0,"merged"]]"#,
            #"at outcomes.0: the outcome "merged" is unknown to this version, or has other details"#
        ),
        (
            #""count":2,"outcomes":[[0,"refused","a"]]"#,
            #"at outcomes.0: the outcome "refused" is unknown to this version, or has other details"#
        ),
        (
            #""count":2,"outcomes":[[0,"later",-5]]"#,
            #"at outcomes.0: the outcome "later" is unknown to this version, or has other details"#
        ),
        (
            #""count":2,"outcomes":[[0,"blocked","A",null]]"#,
            #"at outcomes.0: the outcome "blocked" is unknown to this version, or has other details"#
        ),
        (
            #""count":2,"outcomes":[[0,"accepted",5,null]]"#,
            #"at outcomes.0: the outcome "accepted" is unknown to this version, or has other details"#
        ),
    ])
    func aWrongResponseIsRefused(members: String, message: String) throws {
        let text = #"{"version":1,"push":{"number":3,"name":"r"},"# + members + "}"
        let error = try #require(throws: MessageError.self) { try PushResponse(data: Data(text.utf8)) }
        #expect("\(error)" == message)
    }

    @Test func moreRecordsThanTheProtocolAllowsAreRefused() throws {
        let entries = Array(repeating: PullResponse.Entry(RecordID("A", 1), .deleted), count: 100_001)
        var page = PullResponse(entries: entries, cursor: SyncCursor(epoch: "e", sequence: 7), hasMore: false)
        let error = try #require(throws: MessageError.self) { try PullResponse(data: page.data) }
        #expect("\(error)" == "at entries: 100001 records are more than 100000")
        page.entries.removeLast()
        #expect(try PullResponse(data: page.data) == page)
    }

    @Test func limitsOfNothingAreRefused() throws {
        for name in ["pageRecords", "pushRecords", "bytes", "pushBytes"] {
            let text = String(decoding: HandshakeResponse(account: "a", epoch: "e", sequence: 0).data, as: UTF8.self)
            let wrong = text.replacing(try Regex(#""\#(name)":\d+"#), with: #""\#(name)":0"#)
            let error = try #require(throws: MessageError.self) { try HandshakeResponse(data: Data(wrong.utf8)) }
            #expect("\(error)" == "at limits.\(name): expected a whole number from 1 up")
        }
    }

    @Test func limitsWithoutOneForPushesHaveThatOfPages() throws {
        let limits = SyncLimits(bytes: 7_000, pushBytes: 9_000)
        let response = HandshakeResponse(account: "a", epoch: "e", limits: limits, sequence: 0)
        let text = String(decoding: response.data, as: UTF8.self).replacing(#","pushBytes":9000"#, with: "")
        #expect(try HandshakeResponse(data: Data(text.utf8)).limits == SyncLimits(bytes: 7_000))
    }

    @Test func aRequestOfOtherVersionsIsReadSoThatTheServiceCanRefuseIt() throws {
        let text = #"{"versions":[7,8],"device":"d","entities":{},"scopes":{"a":[{"b":{}}]}}"#
        #expect(
            try HandshakeRequest(data: Data(text.utf8))
                == HandshakeRequest(versions: [7, 8], device: "d", cursor: nil, lastPush: nil, entities: [:]))
    }

    @Test func unknownMembersAreIgnored() throws {
        let text =
            #" { "later" : [ { "a" : { "double" : { } } } ], "version":1,"device":"d", "cursor":{"epoch":"e","new":7,"sequence":7}} "#
        #expect(
            try PullRequest(data: Data(text.utf8))
                == PullRequest(device: "d", cursor: SyncCursor(epoch: "e", sequence: 7)))
    }

    @Test func damagedMessagesAreReadOrRefused() throws {
        let seed = SeededGenerator.testSeed(32)
        var messages = RandomMessages(seed: seed)
        var generator = SeededGenerator(seed: seed)
        var (accepted, refused) = (0, 0)
        func check<Message: SyncMessage>(_ message: Message) throws {
            var bytes = Array(message.data)
            for _ in 0..<Int.random(in: 1...3, using: &generator) { Self.damage(&bytes, &generator) }
            guard let read = try? Message(data: Data(bytes)) else { return refused += 1 }
            accepted += 1
            #expect(try Message(data: read.data) == read, "\(String(decoding: bytes, as: UTF8.self)), seed \(seed)")
        }
        for _ in 0..<fuzzCount(isFullScale ? 20_000 : 500) {
            try check(messages.handshakeRequest())
            try check(messages.handshakeResponse())
            try check(messages.pullRequest())
            try check(messages.pullResponse())
            try check(messages.pushRequest())
            try check(messages.pushResponse())
        }
        #expect(accepted > 100 && refused > 100, "\(accepted) accepted, \(refused) refused, seed \(seed)")
    }

    @Test func everyMutationOfAMessagesBytesIsReadOrRefused() throws {
        let request = PushRequest(
            device: "d", name: PushName(number: 3, name: "r"), base: SyncCursor(epoch: "e", sequence: 7),
            mutations: [
                Mutation(
                    RecordID("A", [1, "b"]), .update(RandomMessages.object(["a": 1.0, "b": ["c": .bool(true)]]))),
                Mutation(RecordID("A", 2), .delete),
            ])
        let bytes = Array(request.data)
        for position in bytes.indices {
            #expect(throws: MessageError.self) { try PushRequest(data: Data(bytes[..<position])) }
            for byte in Array("{}[],:\"\\019-.eu\u{0}\u{FF} ".utf8) + [0xFF] {
                var damaged = bytes
                damaged[position] = byte
                if let read = try? PushRequest(data: Data(damaged)) {
                    #expect(try PushRequest(data: read.data) == read)
                }
            }
        }
    }

    /// Changes, takes away or doubles some bytes.
    private static func damage(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        let position = Int.random(in: 0..<max(bytes.count, 1), using: &generator)
        let end = min(bytes.count, position + Int.random(in: 1...8, using: &generator))
        let special = Array("{}[]:,\"\\0123456789.-eu".utf8)
        let byte = special[Int.random(in: special.indices, using: &generator)]
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes.insert(byte, at: min(position, bytes.count))
        case 1: bytes.removeSubrange(min(position, end)..<end)
        case 2: bytes.insert(contentsOf: bytes[min(position, end)..<end], at: min(position, bytes.count))
        default: if position < bytes.count { bytes[position] = byte }
        }
    }
}
