import EntitySync
import Foundation
import SyncPersistence
import TestSupport
import Testing

/// Payloads that arrive byte by byte, and values of an app's own types.
struct SyncStreamTests {
    private struct Interruption: Error {}

    /// Bytes, before one of which something happens.
    private struct Stream: AsyncSequence, Sendable {
        let bytes: [UInt8]
        var place = Int.max
        /// Whether the stream ends there, like streams whose task was cancelled.
        var event: @Sendable () throws -> Bool = { false }

        struct Iterator: AsyncIteratorProtocol {
            let stream: Stream
            var position = 0

            mutating func next() async throws -> UInt8? {
                if position == stream.place, try stream.event() { return nil }
                if position >= stream.bytes.count { return nil }
                defer { position += 1 }
                return stream.bytes[position]
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(stream: self) }
    }

    /// Objects, of which 200 arrive in more than one piece.
    private func objects(_ keys: Range<Int>) -> [String] {
        keys.map { #"{"id": \#($0), "text": "\#(String(repeating: "x", count: 300))"}"# }
    }

    private func array(_ keys: Range<Int>) -> [UInt8] { Array("[\(objects(keys).joined(separator: ",\n"))]".utf8) }

    @Test(arguments: StoreKind.allCases, [0, 1, 40, 500])
    func streamsWithChunksOfAnyLengthSyncLikeBytes(kind: StoreKind, count: Int) async throws {
        let (store, other) = (try await SyncStore.office(kind), try await SyncStore.office(kind))
        let bytes = array(0..<count)
        let streamed = try await store.adapter.sync(stream: Stream(bytes: bytes), into: "Badge")
        let read = try await other.adapter.sync(bytes, into: "Badge")
        #expect(streamed["Badge"].inserted == read["Badge"].inserted)
        #expect(streamed["Badge"].deleted == read["Badge"].deleted)
        #expect(try await store.contents() == other.contents())
        #expect(try await store.adapter.sync(stream: Stream(bytes: bytes), into: "Badge").isUnchanged)
    }

    @Test(arguments: StoreKind.allCases)
    func streamsMayHaveObjectsOnTheirOwnLines(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let bytes = Array(objects(0..<500).joined(separator: "\n").utf8)
        try await store.adapter.sync(stream: Stream(bytes: bytes), into: "Badge")
        #expect(try await store.keys("Badge") == (0..<500).map { .integer($0) })
        #expect(try await store.adapter.sync(stream: Stream(bytes: bytes), into: "Badge").isUnchanged)
    }

    @Test(arguments: StoreKind.allCases, [0, 1, 70_000, 140_000])
    func aStreamThatFailsChangesNothing(kind: StoreKind, place: Int) async throws {
        let store = try await SyncStore.office(kind)
        try await store.adapter.sync(array(0..<20), into: "Badge")
        let before = try await store.contents()
        let stream = Stream(bytes: array(0..<500), place: place) { throw Interruption() }
        await #expect(throws: Interruption.self) { try await store.adapter.sync(stream: stream, into: "Badge") }
        #expect(try await store.contents() == before)
        let cut = Stream(bytes: Array(array(0..<500).prefix(place)))
        await #expect(throws: JSONError.self) { try await store.adapter.sync(stream: cut, into: "Badge") }
        #expect(try await store.contents() == before)
    }

    @Test(arguments: StoreKind.allCases)
    func aCancelledStreamChangesNothing(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.adapter.sync(array(0..<20), into: "Badge")
        let before = try await store.contents()
        let lines = objects(0..<500)
        let place = lines.prefix(250).reduce(0) { $0 + $1.utf8.count + 1 }
        let stream = Stream(bytes: Array(lines.joined(separator: "\n").utf8), place: place) {
            withUnsafeCurrentTask { $0?.cancel() }
            return true
        }
        let task = Task { try await store.adapter.sync(stream: stream, into: "Badge") }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await store.contents() == before)
    }

    @Test func streamsLeaveTheirFolderEmptyOrReportThatItIsMissing() async throws {
        let store = try await SyncStore.office(.inMemory)
        let folder = TemporaryFolder()
        func options(_ path: String) -> SyncOptions {
            var options = SyncOptions()
            options.temporaryFolder = path
            return options
        }
        let (here, nowhere) = (options(folder.path), options(folder.path + "/none"))
        try await store.adapter.sync(stream: Stream(bytes: array(0..<500)), into: "Badge", options: here)
        let broken = Stream(bytes: array(0..<500), place: 70_000) { throw Interruption() }
        await #expect(throws: Interruption.self) {
            try await store.adapter.sync(stream: broken, into: "Badge", options: here)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        let error = await #expect(throws: SyncError.self) {
            try await store.adapter.sync(stream: Stream(bytes: []), into: "Badge", options: nowhere)
        }
        #expect(error?.code == .unreadable)
        #expect(error?.message.hasPrefix("no temporary file can be made in '\(folder.path)/none'") == true)
    }

    private struct Badge: Encodable {
        let id: Int
        let text: String
    }

    @Test(arguments: StoreKind.allCases)
    func valuesOfAnAppSyncLikeTheirJSON(kind: StoreKind) async throws {
        let (store, other) = (try await SyncStore.office(kind), try await SyncStore.office(kind))
        let badges = (0..<40).map { Badge(id: $0, text: "badge \($0)") }
        let result = try await store.adapter.sync(encoding: badges, into: "Badge")
        try await other.adapter.sync(JSONEncoder().encode(badges), into: "Badge")
        #expect(result["Badge"].count > 0)
        #expect(try await store.contents() == other.contents())
        #expect(try await store.adapter.sync(encoding: badges, into: "Badge").isUnchanged)
        let one = try await store.adapter.sync(
            encoding: Badge(id: 3, text: "new"), into: "Badge", operations: [.insert, .update])
        #expect(one["Badge"].updated.map(\.id) == [RecordID("Badge", 3)])
    }
}
