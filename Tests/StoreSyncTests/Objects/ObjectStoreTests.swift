import DifferentialSyncTesting
import Foundation
import StoreSync
import SyncPersistence
import TestSupport
import Testing

/// What every store of objects does, in memory and in a folder.
@Suite struct ObjectStoreTests {
    let temporary = TemporaryFolder()

    private func stores() throws -> [any ObjectStore] {
        [InMemoryObjects(), try FolderObjects(path: temporary.path + "/a/b")]
    }

    @Test func anObjectIsOnlyReplacedUnderItsTag() async throws {
        for store in try stores() {
            #expect(try await store.read("a") == nil)
            #expect(try await store.write("a", Data([1]), ifTag: "x") == nil)
            let first = try #require(try await store.write("a", Data([1]), ifTag: nil))
            #expect(try await store.read("a") == StoredObject(bytes: Data([1]), tag: first))
            #expect(try await store.write("a", Data([2]), ifTag: nil) == nil)
            let second = try #require(try await store.write("a", Data([2, 3]), ifTag: first))
            #expect(first != second)
            #expect(try await store.write("a", Data([4]), ifTag: first) == nil)
            #expect(try await store.read("a")?.bytes == Data([2, 3]))
            try await store.delete("a")
            try await store.delete("a")
            #expect(try await store.read("a") == nil)
            #expect(try await store.write("a", Data(), ifTag: second) == nil)
            _ = try #require(try await store.write("a", Data(), ifTag: nil))
            #expect(try await store.read("a")?.bytes == Data())
        }
    }

    @Test func everyNameIsAnObjectOfItsOwn() async throws {
        let names = [
            "a", "a-b", "a/b", "../a", "..", ".", ".lock", ".new", "%41", "\u{E9}", "a\u{0}b", "a b",
        ]
        for store in try stores() {
            for (index, name) in names.enumerated() {
                #expect(try await store.write(name, Data([UInt8(index)]), ifTag: nil) != nil, "\(name)")
            }
            for (index, name) in names.enumerated() {
                #expect(try await store.read(name)?.bytes == Data([UInt8(index)]), "\(name)")
            }
            let all = try await store.list(prefix: "").map { Array($0.utf8) }
            #expect(Set(all) == Set(names.map { Array($0.utf8) }))
            #expect(try await Set(store.list(prefix: "a")) == ["a", "a-b", "a/b", "a\u{0}b", "a b"])
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == ["a"])
    }

    @Test func concurrentWritersReplaceOneAfterTheOther() async throws {
        for store in try stores() {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<10 {
                            while true {
                                let old = try await store.read("count")
                                let count = old.flatMap { Int(String(decoding: $0.bytes, as: UTF8.self)) } ?? 0
                                let new = Data("\(count + 1)".utf8)
                                if try await store.write("count", new, ifTag: old?.tag) != nil { break }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await store.read("count")?.bytes == Data("40".utf8))
        }
    }

    @Test func twoStoresOfOneFolderShareItsLock() async throws {
        let path = temporary.path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let store = try FolderObjects(path: path)
                    for _ in 0..<8 {
                        while true {
                            let old = try await store.read("list")
                            if try await store.write("list", (old?.bytes ?? Data()) + [7], ifTag: old?.tag) != nil {
                                break
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await FolderObjects(path: path).read("list")?.bytes == Data(repeating: 7, count: 32))
    }

    @Test func whatAKilledWriterLeavesBehindDoesNotCount() async throws {
        let store = try FolderObjects(path: temporary.path)
        let tag = try await store.write("a", Data([1]), ifTag: nil)
        temporary.write(Data("half of an obj".utf8), to: ".new")
        temporary.write(Data("x".utf8), to: "notes.txt")
        #expect(try await store.list(prefix: "") == ["a"])
        #expect(try await store.write("a", Data([2]), ifTag: tag) != nil)
        #expect(try await store.read("a")?.bytes == Data([2]))
        try FileManager.default.removeItem(atPath: temporary.file(".lock"))
        #expect(try await store.write("b", Data([3]), ifTag: nil) != nil)
    }

    @Test func aLargeObjectIsReadAsAWhole() async throws {
        let store = try FolderObjects(path: temporary.path)
        let bytes = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        _ = try await store.write("large", bytes, ifTag: nil)
        #expect(try await store.read("large")?.bytes == bytes)
    }

    @Test func aFolderThatCannotBeUsedIsAnError() async throws {
        temporary.write(Data(), to: "file")
        #expect(throws: ObjectFolderError.self) { try FolderObjects(path: temporary.file("file")) }
        let store = try FolderObjects(path: temporary.file("folder"))
        try FileManager.default.removeItem(atPath: temporary.file("folder"))
        let error = await #expect(throws: ObjectFolderError.self) { try await store.write("a", Data(), ifTag: nil) }
        #expect(error?.description == "'\(temporary.file("folder"))/.lock' cannot be opened: No such file or directory")
        await #expect(throws: ObjectFolderError.self) { try await store.list(prefix: "") }
        #expect(try await store.read("a") == nil)
    }

    @Test func processesThatAreKilledLoseNothingInASharedFolder() async throws {
        let seed = SeededGenerator.testSeed(51)
        var generator = SeededGenerator(seed: seed)
        let path = try ChildProcess.path(of: "object-client")
        // The program that prints the stack of a crash would keep the pipes open.
        let environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        let (devices, count) = (["phone", "tablet"], isFullScale ? 300 : 25)
        var last = [0, 0]
        var kills = 0
        while last.contains(where: { $0 < count }), kills < 20 * count {
            let clients = try devices.map {
                try ChildProcess(
                    path, [temporary.path, $0, "\(count)"], environment: environment, mergesErrors: true)
            }
            let target = Int.random(in: 1...8, using: &generator)
            for (index, client) in clients.enumerated() where index == kills % 2 {
                var lines = 0
                while lines < target {
                    let data = client.output.availableData
                    if data.isEmpty { break }
                    lines += data.count { $0 == UInt8(ascii: "\n") }
                }
            }
            clients.forEach { $0.end() }
            for (index, client) in clients.enumerated() {
                let rest = client.finish().output
                #expect(!rest.contains("rror"), "\(rest)")
                let number =
                    try await ObjectRemote(FolderObjects(path: temporary.path), account: "ann")
                    .lastPush(of: devices[index])?.name.number ?? 0
                #expect(Int(number) >= last[index], "seed \(seed)")
                last[index] = Int(number)
            }
            kills += 1
        }
        var reader = HandDrivenDevice("reader", ObjectRemote(try FolderObjects(path: temporary.path), account: "ann"))
        try await reader.greet()
        try await reader.pull()
        #expect(reader.records.count == 2 * count, "seed \(seed)")
        for device in devices {
            for number in 1...count {
                let id = RecordID(device, .integer(Int64(number)))
                #expect(reader.records[id]?["text"] == .string("\(device) \(number)"), "seed \(seed)")
            }
        }
    }
}
