import DifferentialSync
import DifferentialSyncTesting
import Foundation
import SyncPersistence
import TestSupport
import Testing

struct KeyFormTests {
    private struct Named<ID: Codable & Hashable & Sendable>: Codable, Identifiable, Equatable, Sendable {
        var id: ID
        var text = ""
    }

    private func expectOneElement<ID: Codable & Hashable & Sendable>(_ id: ID, _ equalID: ID) async throws {
        #expect(id == equalID)
        let names = try await emptyStore().collection(of: Named<ID>.self, entity: "Named")
        try await names.insert(Named(id: id, text: "a"))
        try await names.upsert(Named(id: equalID, text: "b"))
        try await names.upsert(contentsOf: [Named(id: id, text: "c"), Named(id: equalID, text: "d")])
        #expect(try await names.elements().map(\.text) == ["d"])
        #expect(try await names.element(id)?.text == "d")
        try await names.remove(id)
        #expect(try await names.count == 0)
    }

    @Test func equalIdentifiersHaveOneElement() async throws {
        try await expectOneElement("Caf\u{E9}", "Cafe\u{301}")
        try await expectOneElement("\u{1E69}", "s\u{307}\u{323}")
        try await expectOneElement("\u{AC01}", "\u{1100}\u{1161}\u{11A8}")
        try await expectOneElement("\u{212B}", "A\u{30A}")
        try await expectOneElement(["a", "\u{E9}"], ["a", "e\u{301}"])
        try await expectOneElement(["\u{E9}": 1], ["e\u{301}": 1])
        try await expectOneElement(0.0, -0.0)
        try await expectOneElement(Decimal(string: "1.50")!, Decimal(string: "1.5")!)
    }

    @Test func aSnapshotAndARemoteTreatEqualIdentifiersAsOne() async throws {
        let phone = try await emptyStore().collection(of: Named<String>.self, entity: "Named")
        try await phone.insert(Named(id: "e\u{301}", text: "phone"))
        try await phone.upsert(Named(id: "\u{E9}", text: "phone again"))
        var remote = SimulatedRemote<Named<String>, String>(primaryKey: \.id)
        remote.reset(to: [Named(id: "e\u{301}", text: "remote"), Named(id: "\u{1E69}", text: "other")])
        let server = SimulatedRemoteServer(remote)
        try await phone.synchronize(with: server, pushID: "1", policy: .localWins)
        #expect(try await phone.snapshot().client.map(\.text).sorted() == ["other", "phone again"])
        #expect(await server.remote.elements.map(\.text).sorted() == ["other", "phone again"])
        try await phone.edit("s\u{323}\u{307}") { $0.text = "edited" }
        try await phone.synchronize(with: server, pushID: "2", policy: .unexpected)
        #expect(try await phone.localDiff == nil)
        #expect(await server.remote.elements.map(\.text).sorted() == ["edited", "phone again"])
    }

    @Test func identifiersAreEqualIfTheirKeysAre() async throws {
        // Scalars that decompose, combine or stay as they are, in any order.
        let scalars: [Unicode.Scalar] = [
            "a", "e", "s", "\u{E9}", "\u{1E69}", "\u{301}", "\u{307}", "\u{323}", "\u{345}", "\u{344}", "\u{3B1}",
            "\u{1F82}", "\u{AC00}", "\u{AC01}", "\u{1100}", "\u{1161}", "\u{11A8}", "\u{11A7}", "\u{958}", "\u{9BE}",
            "\u{9C7}", "\u{F900}", "\u{1D15E}", "\u{212B}", "\u{200D}", "\u{1F600}",
        ]
        var generator = SeededGenerator(seed: 7)
        let names = try await emptyStore().collection(of: Named<String>.self, entity: "Named")
        var keys: [String: Value] = [:]
        var ids: [Value: String] = [:]
        for _ in 0..<20_000 {
            let length = Int.random(in: 0..<5, using: &generator)
            let id = String(
                String.UnicodeScalarView((0..<length).map { _ in scalars.randomElement(using: &generator)! }))
            for id in [id, id.decomposedStringWithCanonicalMapping] {
                let key = try names.coding.value(of: id)
                // A dictionary of strings compares them by canonical equivalence, one of values by scalars.
                let earlier = (keys.updateValue(key, forKey: id), ids.updateValue(id, forKey: key))
                #expect(earlier.0 ?? key == key && earlier.1 ?? id == id, "\(Array(id.unicodeScalars))")
            }
        }
        #expect(keys.count == ids.count)
    }

    @Test func everyScalarIsComposedAsItsDecomposition() async throws {
        let names = try await emptyStore().collection(of: Named<String>.self, entity: "Named")
        for value in UInt32(0xC0)...0x2FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(scalar)
            let decomposed = text.decomposedStringWithCanonicalMapping
            if decomposed.unicodeScalars.elementsEqual(text.unicodeScalars) { continue }
            let (one, other) = (try names.coding.value(of: text), try names.coding.value(of: decomposed))
            #expect(one == other && one == .string(text.precomposedStringWithCanonicalMapping), "\(scalar)")
        }
    }

    @Test func identifiersWithoutAFixedOrderAreRefused() async throws {
        struct Pair: Codable, Hashable, Sendable { var parts: Set<Int> }
        let pairs = try await emptyStore().collection(of: Named<Pair>.self, entity: "Named")
        let error = await #expect(throws: PersistenceError.self) {
            try await pairs.insert(Named(id: Pair(parts: [1])))
        }
        #expect(error?.code == .wrongType)
        #expect(
            error?.message
                == "an id holds a set, or a dictionary whose keys are no text: its JSON has no fixed order, so it would "
                + "not be found again: use a sorted array")
        await #expect(throws: PersistenceError.self) { try await pairs.element(Pair(parts: [])) }
        let numbered = try await emptyStore().collection(of: Named<[PointID: Int]>.self, entity: "Named")
        await #expect(throws: PersistenceError.self) { try await numbered.element([PointID(x: 1, y: 2): 3]) }
        #expect(try await pairs.count == 0)
    }
}
