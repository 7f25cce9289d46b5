import Dispatch
import Foundation
import TestSupport
import Testing

@testable import SyncPersistence

struct InMemoryAdapterTests {
    private let store = InMemoryAdapter(schema: Staff.schema)

    private struct Refusal: Error {}

    private func put(_ records: [Record]) async throws {
        try await store.write { transaction in
            for record in records { _ = try transaction.storage.put(record) }
        }
    }

    private func people(_ range: Range<Int64>) -> [Record] {
        range.map { Record(Staff.person, ["id": .integer($0), "boss": 1]) }
    }

    @Test func writesAreReadBackAndAThrowingBodyIsRolledBack() async throws {
        try await put(people(0..<5))
        let before = store.state.current
        await #expect(throws: Refusal.self) {
            try await store.write { transaction in
                for number in 0..<3 as Range<Int64> {
                    _ = try transaction.storage.remove(.integer(number), in: Staff.person)
                }
                _ = try transaction.storage.put(Record(Staff.person, ["id": 4, "boss": 2]))
                try transaction.storage.insert(Record(Staff.person, ["id": 0, "string": "again"]))
                try transaction.storage.insert(Record(Staff.company, ["id": "c"]))
                #expect(try transaction.keys(of: "Person") == [3, 4, 0])
                throw Refusal()
            }
        }
        #expect(store.state.current == before)
        let keys = try await store.read { try $0.keys(of: "Person") }
        #expect(keys == [0, 1, 2, 3, 4])
        await #expect(throws: Refusal.self) { try await store.read { _ in throw Refusal() } }
        let result = try await store.write { _ in 42 }.result
        #expect(result == 42)
    }

    @Test func readerKeepsItsSnapshotAndBlocksNoWriter() async throws {
        try await put(people(0..<3))
        let (started, start) = AsyncStream<Void>.makeStream()
        let go = DispatchSemaphore(value: 0)
        async let reader = store.read { transaction in
            let before = try transaction.records(Query("Person"))
            start.finish()
            go.wait()
            return (before, try transaction.records(Query("Person")), try transaction.record(RecordID("Person", 9)))
        }
        for await _ in started {}
        // All of these end while the reader is still reading.
        try await put(people(2..<10))
        try await store.write { _ = try $0.storage.remove(0, in: Staff.person) }
        let now = try await store.read { try $0.count(Query("Person")) }
        #expect(now == 9)
        go.signal()
        let (before, after, added) = try await reader
        #expect(before.map(\.key) == [0, 1, 2])
        #expect(after == before)
        #expect(added == nil)
    }

    @Test func writerChangesTheTableInPlaceUnlessAReaderHoldsIt() async throws {
        try await put(people(0..<1000))
        func address() -> Int? {
            store.state.current?[Staff.person].rows.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
        }
        func change(_ text: Value) async throws {
            try await put([Record(Staff.person, ["id": 500, "string": text])])
        }
        let first = address()
        _ = try await store.read { try $0.count(Query("Person", where: Field("string") == "x")) }
        try await change("a")
        #expect(address() == first)
        let snapshot = store.state.current
        try await change("b")
        #expect(address() != first)
        let second = address()
        try await change("c")
        #expect(address() == second)
        #expect(snapshot?[Staff.person].record(500)?["string"] == "a")
    }

    @Test func writesOfManyTasksRunOneAfterAnotherInTaskOrder() async throws {
        let log = Locked<[Step]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<25 {
                        try await store.write { transaction in
                            var person =
                                try transaction.record(RecordID("Person", 1)) ?? Record(Staff.person, ["id": 1])
                            let count = if case .integer(let count) = person["integer"] { count } else { 0 as Int64 }
                            person["integer"] = .integer(count + 1)
                            _ = try transaction.storage.put(person)
                            log.withLock { $0.append(Step(task: task, number: number, count: count)) }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let steps = log.current
        #expect(steps.map(\.count) == Array(0..<200))
        for task in 0..<8 { #expect(steps.filter { $0.task == task }.map(\.number) == Array(0..<25)) }
    }

    private struct Step: Sendable {
        let task: Int
        let number: Int
        let count: Int64
    }

    @Test func readersSeeEarlierWritesWhileOthersWrite() async throws {
        // Both records always hold the same.
        try await put(people(0..<2))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<25 {
                        let value = Value.string("\(task) \(number)")
                        if task % 2 == 0 {
                            try await store.write { transaction in
                                for id in [0, 1] as [Value] {
                                    _ = try transaction.storage.put(Record(Staff.person, ["id": id, "string": value]))
                                }
                            }
                        } else {
                            let records = try await store.read { try $0.records(Query("Person")) }
                            #expect(records.count == 2)
                            #expect(records[0]["string"] == records[1]["string"])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        for number in 0..<100 as Range<Int64> {
            try await put([Record(Staff.person, ["id": 1, "integer": .integer(number)])])
            let read = try await store.read { try $0.record(RecordID("Person", 1))?["integer"] }
            #expect(read == .integer(number))
        }
    }

    @Test func taskCancelledBeforeItsTurnDoesNothing() async throws {
        let (started, start) = AsyncStream<Void>.makeStream()
        let go = DispatchSemaphore(value: 0)
        async let first = store.write { _ in
            start.finish()
            go.wait()
        }
        for await _ in started {}
        let second = Task { try await store.write { try $0.storage.insert(Record(Staff.person, ["id": 1])) }.commit }
        let third = Task { try await store.read { try $0.count(Query("Person")) } }
        let fourth = Task { try await store.add([Entity("Cat")]) }
        second.cancel()
        third.cancel()
        fourth.cancel()
        go.signal()
        _ = try await first
        await #expect(throws: CancellationError.self) { try await second.value }
        await #expect(throws: CancellationError.self) { try await third.value }
        await #expect(throws: CancellationError.self) { try await fourth.value }
        let count = try await store.read { try $0.count(Query("Person")) }
        #expect(count == 0)
        #expect(store.schema == Staff.schema)
    }
}
