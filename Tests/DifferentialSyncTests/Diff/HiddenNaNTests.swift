import DifferentialSync
import DifferentialSyncTesting
import TestSupport
import Testing

/// A NaN behind a field whose declared type is a protocol.
struct HiddenNaNTests {
    /// Values of other sizes than `any Equatable`, below and above.
    struct Narrow: Equatable {
        var words = (0, 0, 0)
        static func == (left: Narrow, right: Narrow) -> Bool { left.words.0 == right.words.0 }
    }

    struct Broad: Equatable {
        var words = (0, 0, 0, 0, 0, 0, 0)
        static func == (left: Broad, right: Broad) -> Bool { left.words.0 == right.words.0 }
    }

    /// A value as large as `any Equatable` itself.
    struct Wide: Equatable {
        var words = (0, 0, 0, 0, 0)
        static func == (left: Wide, right: Wide) -> Bool { left.words.0 == right.words.0 }
    }

    struct Field: Equatable, Identifiable {
        let id: Int
        var text = "x"
        var value: any Equatable
        var maybe: (any Equatable)?

        static func == (left: Field, right: Field) -> Bool {
            left.id == right.id && left.text == right.text && isEqual(left.value, right.value)
                && isEqual(left.maybe, right.maybe)
        }

        private static func isEqual(_ left: (any Equatable)?, _ right: (any Equatable)?) -> Bool {
            guard let left, let right else { return left == nil && right == nil }
            return isEqual(left, to: right)
        }

        private static func isEqual<T: Equatable>(_ left: T, to right: any Equatable) -> Bool { left == right as? T }
    }

    /// Two values, of which one is declared as a protocol.
    struct Plain: Equatable, Identifiable {
        let id: Int
        var text = "x"
        var value: any Equatable

        init(_ field: Field) { (id, value) = (field.id, field.value) }

        static func == (left: Plain, right: Plain) -> Bool {
            left.text == right.text && Field(id: left.id, value: left.value) == Field(id: right.id, value: right.value)
        }
    }

    /// A field around another one.
    struct Nested: Equatable, Identifiable {
        var field: Field
        var id: Int { field.id }
    }

    /// First values that tell nothing of the later ones.
    private static var firsts: [Field] {
        [
            Field(id: 0, value: 1), Field(id: 0, value: "a"), Field(id: 0, value: true), Field(id: 0, value: Wide()),
            Field(id: 0, value: 1, maybe: 1), Field(id: 0, value: "a", maybe: "a"), Field(id: 0, value: UInt8(1)),
            Field(id: 0, value: Narrow()), Field(id: 0, value: Broad()),
        ]
    }

    /// A first field that holds no NaN, and fields that hold one; made anew at each call.
    private static func fields(_ first: Field) -> [Field] {
        let nan = Double.nan
        return [
            first, Field(id: 1, value: nan), Field(id: 2, value: 1, maybe: nan), Field(id: 3, value: Float.nan),
            Field(id: 4, value: [1, nan] as [Double]), Field(id: 5, value: 1, maybe: ["a": nan] as [String: Double]),
        ]
    }

    @Test func isNoDifference() throws {
        for first in Self.firsts {
            let (wins, loses) = (Self.fields(first), Self.fields(first))
            #expect(try diff(wins: wins, loses: loses, primaryKey: \.id) == nil, "\(first)")
            #expect(
                try diff(wins: wins.map { Nested(field: $0) }, loses: loses.map { Nested(field: $0) }, primaryKey: \.id)
                    == nil, "\(first)")
            let isWide = first.value is Wide
            // Not a NaN in a buffer after a first value that is as large as the protocol's.
            let plain = [wins, loses].map { $0.prefix(isWide ? 4 : 6).map { Plain($0) } }
            #expect(try diff(wins: plain[0], loses: plain[1], primaryKey: \.id) == nil, "\(first)")
            var changed = wins
            for index in changed.indices { changed[index].text = "y" }
            #expect(try diff(wins: changed, loses: loses, primaryKey: \.id)?.replace.count == 6, "\(first)")
        }
    }

    @Test func oneInAnArrayIsFoundBesideAFirstValueOfAnyOtherSize() throws {
        #expect(MemoryLayout<any Equatable>.size == MemoryLayout<Wide>.size)
        for first in Self.firsts where !(first.value is Wide) {
            let (wins, loses) = (Self.fields(first).map(Plain.init), Self.fields(first).map(Plain.init))
            #expect(try diff(wins: wins, loses: loses, primaryKey: \.id) == nil, "\(first)")
        }
    }

    @Test func whatHasChangedIsFoundBesideAFirstValueOfThatSize() throws {
        let first = Field(id: 0, value: Wide())
        let (loses, wins) = (Self.fields(first).map(Plain.init), Self.fields(first).map(Plain.init))
        let changed = wins.map { plain in
            var plain = plain
            plain.text = "y"
            return plain
        }
        #expect(try diff(wins: changed, loses: loses, primaryKey: \.id)?.replace.count == 6)
    }

    @Test func doesNotStopSync() throws {
        for first in Self.firsts {
            var remote = SimulatedRemote<Field, Int>(primaryKey: \.id)
            var device = try JournaledCollection<Field, Int>([])
            for field in Self.fields(first) { try device.upsert(field) }
            #expect(try remote.synchronize(&device, pushID: "a", policy: .localWins).isSynced, "\(first)")
            for field in Self.fields(first) { try device.upsert(field) }
            #expect(device.localDiff == nil, "\(first)")
            try device.edit(1) { $0.text = "y" }
            #expect(try remote.synchronize(&device, pushID: "b", policy: .localWins).isSynced, "\(first)")
            #expect(remote.elements.map(\.text) == ["x", "y", "x", "x", "x", "x"], "\(first)")
            let cycle = try synchronize(
                client: Self.fields(first), shadow: Self.fields(first), remote: Self.fields(first), policy: .localWins)
            #expect(cycle.push == nil && cycle.merge.decisions.isEmpty, "\(first)")
        }
    }

    /// A text that equals another only if it has the same scalars.
    enum ExactText: Hashable {
        case text(String)

        static func == (left: ExactText, right: ExactText) -> Bool {
            switch (left, right) {
            case (.text(let left), .text(let right)): left.unicodeScalars.elementsEqual(right.unicodeScalars)
            }
        }
    }

    @Test func typeMayCompareItsTextsMoreStrictly() throws {
        let (composed, decomposed) = (ExactText.text("\u{E9}"), ExactText.text("e\u{301}"))
        let merged = try merge(
            base: [composed], local: [composed, decomposed], remote: [composed], primaryKey: { $0 }, policy: .leaveOpen)
        #expect(merged.elements == [composed, decomposed])
        let changes = try diff(wins: [decomposed], loses: [composed], primaryKey: { _ in 0 })
        #expect(changes?.replace == [decomposed])
        #expect(diff(wins: [decomposed], loses: [composed])?.add == [decomposed])
    }
}
