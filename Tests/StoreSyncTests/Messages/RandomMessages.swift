import DifferentialSyncTesting
import Foundation
import StoreSync
import SyncPersistence
import TestSupport

/// Random messages with values that coders often get wrong.
struct RandomMessages {
    private var generator: SeededGenerator
    private var values: RandomValues

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        values = RandomValues(seed: seed)
    }

    /// Returns the members of an object.
    static func object(_ value: Value) -> ValueObject {
        if case .object(let object) = value { object } else { ValueObject() }
    }

    /// Values that no random choice may leave out.
    static let hard: [Value] = [
        .null, .double(.nan), .double(.infinity), .double(-.infinity), .double(-0.0), 1.0, 0.1,
        .decimal(Decimal(string: "12345678901234567890123456789012345678") ?? 0), .decimal(.nan),
        .decimal(Decimal(string: "-99999999999999999999999999999999999999e-60") ?? 0), .date(.distantPast),
        .date(Date(timeIntervalSinceReferenceDate: 0.1)), .bytes(Data()), .bytes(Data([0, 255])),
        .uuid(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255))), "", "a\u{0}b", "e\u{301}", "\u{E9}",
        .string(String(repeating: "long \u{1F600}", count: 5_000)), [], [:], [[], [[.null]]],
        ["object": ["object": 1, "": .double(.nan)]], ["date": 5], .integer(.min), .integer(.max),
    ]

    private mutating func count(_ most: Int) -> Int { Int.random(in: 0...most, using: &generator) }

    private mutating func text() -> String {
        guard case .string(let text) = values.value(of: .string) else { return "" }
        return text
    }

    private mutating func number() -> Int64 {
        generator.happens(0.2) ? .max : Int64.random(in: 0...1_000_000, using: &generator)
    }

    private mutating func some<Result>(_ make: (inout Self) -> Result) -> Result? {
        generator.happens(0.5) ? make(&self) : nil
    }

    mutating func value() -> Value {
        if generator.happens(0.3) { return Self.hard[Int.random(in: Self.hard.indices, using: &generator)] }
        let types: [AttributeType] = [
            .bool, .integer, .double, .decimal, .string, .bytes, .date, .uuid, .url, .json,
        ]
        return values.value(of: types[Int.random(in: types.indices, using: &generator)])
    }

    private mutating func object() -> ValueObject {
        ValueObject((0..<count(4)).map { _ in ValueObject.Member(name: text(), value: value()) })
    }

    private mutating func id() -> RecordID {
        var key = generator.happens(0.3) ? Value.array([value(), value()]) : value()
        if key.isNull { key = 7 }
        return RecordID(generator.happens(0.5) ? "Note" : text(), key)
    }

    private mutating func cursor() -> SyncCursor { SyncCursor(epoch: text(), sequence: number()) }

    private mutating func name() -> PushName { PushName(number: number(), name: text()) }

    private mutating func entities() -> [String: [String]] {
        var lists: [String: [String]] = [:]
        for _ in 0..<count(3) { lists[text()] = (0..<count(3)).map { _ in text() } }
        return lists
    }

    mutating func handshakeRequest() -> HandshakeRequest {
        HandshakeRequest(
            versions: (0..<count(3)).map { $0 - 1 }, device: text(), cursor: some { $0.cursor() },
            lastPush: some { $0.name() }, entities: entities(), scope: some { $0.text() })
    }

    mutating func handshakeResponse() -> HandshakeResponse {
        HandshakeResponse(
            account: text(), epoch: text(),
            limits: SyncLimits(
                pageRecords: 1 + count(9), pushRecords: 1 + count(9), bytes: .max, pushBytes: 1 + count(9)),
            sequence: number(), horizon: number(), lastPush: some { $0.pushResponse() },
            entities: some { $0.entities() })
    }

    mutating func pullRequest() -> PullRequest {
        PullRequest(
            device: text(), cursor: cursor(), limit: some { $0.count(9) + 1 }, comparison: some { $0.number() })
    }

    mutating func pullResponse() -> PullResponse {
        let entries = (0..<count(8)).map { _ in
            switch count(3) {
            case 0: PullResponse.Entry(id(), .deleted)
            case 1: PullResponse.Entry(id(), .outOfScope)
            default: PullResponse.Entry(id(), .present(object()))
            }
        }
        return PullResponse(
            entries: entries, cursor: cursor(), hasMore: generator.happens(0.5), remaining: count(100),
            fingerprint: some { messages in
                StoreFingerprint(
                    count: messages.number(), high: messages.generator.next(), low: messages.generator.next() >> 60)
            })
    }

    mutating func pushRequest() -> PushRequest {
        let mutations = (0..<count(8)).map { _ in
            switch count(3) {
            case 0: Mutation(id(), .delete)
            case 1: Mutation(id(), .insert(object()))
            default: Mutation(id(), .update(object()))
            }
        }
        return PushRequest(device: text(), name: name(), base: cursor(), mutations: mutations)
    }

    mutating func pushResponse() -> PushResponse {
        let outcomes: [PushResponse.Outcome] = (0..<count(8)).map { _ in
            switch count(8) {
            case 0: return .conflict
            case 1: return .refused(code: text(), reason: text())
            case 2: return .later(after: some { $0.count(100) })
            case 3: return .blocked(by: id())
            case 4: return .unauthorized
            case 5:
                return .accepted(amended: some { $0.object() }, key: some { $0.id().key })
            default: return .accepted()
            }
        }
        return PushResponse(name: name(), outcomes: outcomes, knownSequence: some { Int64($0.count(100)) })
    }
}
