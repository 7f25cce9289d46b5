import DifferentialSyncTesting
import Foundation
import StoreSync
import SyncPersistence
import TestSupport
import Testing

/// Objects that are encrypted, and objects that are not what they should be.
@Suite struct ObjectContentsTests {
    let objects = InMemoryObjects()

    /// A toy encryption: the name and the bytes, each byte changed.
    private static func seal(_ key: UInt8) -> ObjectSeal {
        struct WrongKey: Error {}
        return ObjectSeal(
            seal: { bytes, name in Data(("\(name):".utf8 + bytes).map { $0 ^ key }) },
            open: { bytes, name in
                let prefix = Array("\(name):".utf8)
                let plain = bytes.map { $0 ^ key }
                guard plain.starts(with: prefix) else { throw WrongKey() }
                return Data(plain.dropFirst(prefix.count))
            })
    }

    private func filled(_ seal: ObjectSeal? = nil) async throws -> HandDrivenDevice {
        var phone = HandDrivenDevice("phone", ObjectRemote(objects, account: "ann", seal: seal))
        try await phone.greet()
        try await phone.push(.insert(1, "milk"), .insert(2, "tea"))
        try await phone.push(.update(1, "secret"), .delete(2))
        return phone
    }

    @Test func objectsAreEncrypted() async throws {
        let seal = Self.seal(0x55)
        let phone = try await filled(seal)
        for name in try await objects.list(prefix: "") {
            let text = String(decoding: try #require(try await objects.read(name)).bytes, as: UTF8.self)
            #expect(!text.contains("secret") && !text.contains("phone"))
        }
        try await phone.remote.compact()
        var tablet = HandDrivenDevice("tablet", ObjectRemote(objects, account: "ann", seal: seal))
        try await tablet.greet()
        try await tablet.pull()
        #expect(tablet.texts == [1: "secret"])
        for wrong in [Self.seal(0x56), nil] {
            var other = HandDrivenDevice("other", ObjectRemote(objects, account: "ann", seal: wrong))
            await #expect(throws: RemoteError.self) { try await other.greet() }
        }
    }

    @Test func anObjectInThePlaceOfAnotherOneIsAnError() async throws {
        _ = try await filled(Self.seal(1))
        let segments = try await objects.list(prefix: "segment-")
        let (first, second) = (
            try #require(try await objects.read(segments[0])), try #require(try await objects.read(segments[1]))
        )
        _ = try await objects.write(segments[0], second.bytes, ifTag: first.tag)
        var tablet = HandDrivenDevice("tablet", ObjectRemote(objects, account: "ann", seal: Self.seal(1)))
        try await tablet.greet()
        let error = await #expect(throws: RemoteError.self) { try await tablet.pull() }
        guard case .incompatible(let reason) = error else { throw try #require(error) }
        #expect(reason.hasPrefix("the object '\(segments[0])' cannot be decrypted: "))
    }

    @Test func aSegmentThatIsMissingIsAnErrorWithARemedy() async throws {
        var phone = try await filled()
        let name = try #require(try await objects.list(prefix: "segment-").first)
        try await objects.delete(name)
        var tablet = HandDrivenDevice("tablet", ObjectRemote(objects, account: "ann"))
        try await tablet.greet()
        let expected = RemoteError.incompatible(
            "the object '\(name)' is missing: restore it, or delete all objects, and the devices send their records again"
        )
        await #expect(throws: expected) { try await tablet.pull() }
        tablet.cursor = SyncCursor(epoch: phone.cursor.epoch, sequence: 4)
        let request = tablet.request([.update(1, "x")])
        await #expect(throws: expected) { try await tablet.remote.push(request) }
        // After all objects were deleted, there is another history.
        for name in try await objects.list(prefix: "") { try await objects.delete(name) }
        let old = phone.cursor.epoch
        try await phone.greet()
        #expect(phone.cursor.epoch != old)
        #expect(try await phone.push(.insert(1, "secret")) == [.accepted()])
    }

    @Test(arguments: [
        ("\"segments\":[", "\"segments\":[[\"x\",1,2,2,5],"), ("\"revision\":3", "\"revision\":-3"),
        ("\"sequence\":4", "\"sequence\":2"), ("\"sequence\":4", "\"sequence\":9223372036854775807"),
        ("\"compacted\":0", "\"compacted\":7"), ("\"epoch\":", "\"epoch\":7,\"e\":"),
        ("\"version\":1", "\"version\":2"),
        (",2,2,", ",2,100000,"), ("\"count\":2", "\"count\":1000000000"), ("{", "["),
        ("\"indexes\":[", "\"indexes\":[7"),
        ("\"segments\":[", "\"segments\":[7,"), (",1,2,2,", ",1,2,9223372036854775807,"),
        (",1,2,2,", ",-9223372036854775808,2,2,"), ("\"revision\":3", "\"revision\":9223372036854775807"),
    ])
    func aWrongHeadIsAnError(old: String, new: String) async throws {
        _ = try await filled()
        let head = try #require(try await objects.read("head"))
        let text = String(decoding: head.bytes, as: UTF8.self)
        let range = try #require(text.range(of: old), "\(text)")
        let wrong = text.replacingCharacters(in: range, with: new)
        _ = try await objects.write("head", Data(wrong.utf8), ifTag: head.tag)
        var tablet = HandDrivenDevice("tablet", ObjectRemote(objects, account: "ann"))
        await #expect(throws: RemoteError.self) {
            try await tablet.greet()
            try await tablet.pull()
        }
    }

    @Test func damagedObjectsAreReadOrRefused() async throws {
        let seed = SeededGenerator.testSeed(42)
        var generator = SeededGenerator(seed: seed)
        let phone = try await filled()
        try await phone.remote.compact()
        var other = HandDrivenDevice("other", ObjectRemote(objects, account: "ann"))
        try await other.greet()
        try await other.pull()
        try await other.push(.insert(3, "c"), .update(1, "d"))
        let names = try await objects.list(prefix: "")
        var refused = 0
        for _ in 0..<fuzzCount(isFullScale ? 20_000 : 500) {
            let damaged = InMemoryObjects()
            let victim = names[Int.random(in: names.indices, using: &generator)]
            for name in names {
                var bytes = Array(try #require(try await objects.read(name)).bytes)
                if name == victim {
                    let position = Int.random(in: bytes.indices, using: &generator)
                    let special = Array("{}[]:,\"\\0123456789-".utf8)
                    switch Int.random(in: 0..<3, using: &generator) {
                    case 0: bytes[position] = special[Int.random(in: special.indices, using: &generator)]
                    case 1: bytes.remove(at: position)
                    default: bytes.insert(special[Int.random(in: special.indices, using: &generator)], at: position)
                    }
                }
                _ = try await damaged.write(name, Data(bytes), ifTag: nil)
            }
            var device = HandDrivenDevice("device", ObjectRemote(damaged, account: "ann"))
            do {
                try await device.greet()
                try await device.pull(limit: 2)
                try await device.push(.update(1, "x"))
                try await device.remote.compact()
            } catch is RemoteError {
                refused += 1
            }
        }
        #expect(refused > 50, "\(refused) refused, seed \(seed)")
    }
}
