import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Payloads with more objects than a sync keeps as they are, in memory and in a stream.
struct LongPayloadTests {
    /// Bytes that arrive one by one.
    private struct Stream: AsyncSequence, Sendable {
        let bytes: [UInt8]

        struct Iterator: AsyncIteratorProtocol {
            var bytes: IndexingIterator<[UInt8]>

            mutating func next() async throws -> UInt8? { bytes.next() }
        }

        func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes.makeIterator()) }
    }

    /// 3,000 objects, of which one may be another.
    private func array(replacing position: Int = -1, with other: String = "") -> [UInt8] {
        let objects = (0..<3_000).map { number in
            number == position ? other : #"{"id": \#(number), "text": "badge \#(number)"}"#
        }
        return Array("[\(objects.joined(separator: ",\n"))]".utf8)
    }

    @Test(arguments: StoreKind.allCases)
    func longPayloadsEndLikeStreams(kind: StoreKind) async throws {
        let (store, other) = (try await SyncStore.office(kind), try await SyncStore.office(kind))
        let bytes = array(replacing: 1_700, with: #"{"id": 1700, "text": "old", "text": "new"}"#)
        let result = try await store.adapter.sync(bytes, into: "Badge")
        let streamed = try await other.adapter.sync(stream: Stream(bytes: bytes), into: "Badge")
        #expect(result["Badge"].inserted.count > 2_900)
        #expect(result["Badge"].inserted == streamed["Badge"].inserted)
        #expect(result.reports == streamed.reports && !result.reports.isEmpty)
        #expect(try await store.contents() == other.contents())
        #expect(try await store.value("Badge", 2_999, "text") == "badge 2999")
        #expect(try await store.adapter.sync(bytes, into: "Badge").isUnchanged)
    }

    @Test(arguments: StoreKind.allCases, [0, 127, 128, 1_500, 2_999])
    func anErrorAnywhereChangesNothingAndHasItsPlace(kind: StoreKind, position: Int) async throws {
        let (store, other) = (try await SyncStore.office(kind), try await SyncStore.office(kind))
        let before = try await store.contents()
        let bytes = array(replacing: position, with: #"{"id": \#(position), "text": 1e}"#)
        let error = await #expect(throws: JSONError.self) { try await store.adapter.sync(bytes, into: "Badge") }
        let streamed = await #expect(throws: JSONError.self) {
            try await other.adapter.sync(stream: Stream(bytes: bytes), into: "Badge")
        }
        #expect(error == streamed)
        #expect(try await store.contents() == before)
    }
}
