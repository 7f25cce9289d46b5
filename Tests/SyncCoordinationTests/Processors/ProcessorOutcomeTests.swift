import DifferentialSyncTesting
import SyncCoordination
import SyncPersistence
import TestSupport
import Testing

/// What follows from the outcomes of a processor, from its failures, and from work that does not end.
@Suite(.timeLimit(.minutes(5))) struct ProcessorOutcomeTests {
    private let world: PhotoWorld

    init() throws { world = try PhotoWorld() }

    @Test func aFailedSaveIsReportedAndRepeatedWithoutTheWork() async throws {
        let isFull = Locked(false)
        let store = HookedAdapter(
            world.store, willWrite: { if isFull.current { throw PersistenceError(.full, "the disk is full") } })
        let world = try PhotoWorld(store)
        try await world.addPhoto(1)
        let processor = TestProcessor("upload", .newPhotos) { records, _ in
            isFull.exchange(with: true)
            return .addresses(records)
        }
        let coordinator = world.coordinator([processor])
        var events = await coordinator.events().makeAsyncIterator()
        await world.start(coordinator)
        while let event = await events.next() {
            guard case .failed("upload"?, .store(let error), _?) = event else { continue }
            #expect(error.code == .full)
            break
        }
        #expect(try await world.photo(1)?["address"] == .null)
        isFull.exchange(with: false)
        await world.sync(coordinator)
        #expect(try await world.photo(1)?["address"] == "file 1")
        #expect(processor.batches.count == 1)
        await coordinator.stop()
    }

    @Test func aChangeThatTheSchemaForbidsIsReportedAndDelaysNoOther() async throws {
        try await world.addPhoto(1)
        try await world.addPhoto(2)
        let processor = TestProcessor("upload", .newPhotos) { records, _ in
            var outcomes: [RecordID: ProcessorOutcome] = .addresses(records)
            outcomes[RecordID("Photo", 1)] = .update(["address": 17])
            return outcomes
        }
        let coordinator = world.coordinator([processor])
        var events = await coordinator.events().makeAsyncIterator()
        await world.start(coordinator)
        while let event = await events.next() {
            guard case .unsaved("upload", let id, let error) = event else { continue }
            #expect(id == RecordID("Photo", 1) && error.code == .wrongType)
            break
        }
        #expect(try await world.photo(2)?["address"] == "file 2")
        #expect(try await world.photo(1) != nil)
        await coordinator.stop()
    }

    @Test func aRefusedRecordIsKeptAndTheOthersAreDone() async throws {
        for id in 1...3 { try await world.addPhoto(Int64(id)) }
        let refused = RecordID("Photo", 2)
        let processor = TestProcessor("upload", .newPhotos) { records, _ in
            var outcomes: [RecordID: ProcessorOutcome] = .addresses(records)
            if records.contains(where: { $0.id == refused && $0["title"] == "a" }) {
                outcomes[refused] = .refused(code: "large", reason: "the file is too large")
            }
            return outcomes
        }
        let coordinator = world.coordinator([processor])
        await world.start(coordinator)
        #expect(try await world.photo(2)?["title"] == "a")
        #expect(try await world.photo(3)?["address"] == "file 3")
        await world.sync(coordinator)
        #expect(processor.batches.count == 1)
        #expect(await coordinator.currentStatus == .attention(conflicts: 0, refused: 1))
        try await world.setPhoto(2, ["title": "b"])
        await world.pass(.seconds(6), coordinator)
        #expect(try await world.photo(2)?["address"] == "file 2")
        await coordinator.stop()
    }

    @Test func aFailingProcessorPausesLongerEachTime() async throws {
        try await world.addPhoto(1)
        let processor = TestProcessor("upload", .newPhotos) { _, _ in throw RemoteError.later() }
        let coordinator = world.coordinator([processor])
        await world.start(coordinator)
        for _ in 0..<600 { await world.pass(.seconds(1), coordinator) }
        #expect(processor.batches.count > 6 && processor.batches.count < 13)
        await coordinator.stop()
    }

    @Test func aProcessorWhoseWorkChangesNothingPausesToo() async throws {
        try await world.addPhoto(1)
        let processor = TestProcessor("upload", .newPhotos) { records, call in
            [records[0].id: call.isMultiple(of: 2) ? .done : .update(["title": .string("\(call)")])]
        }
        let coordinator = world.coordinator([processor])
        await world.start(coordinator)
        for _ in 0..<600 { await world.pass(.seconds(1), coordinator) }
        #expect(processor.batches.count > 3 && processor.batches.count < 13)
        await coordinator.stop()
    }

    @Test func eachRecordHasAnOutcomeOfItsOwn() async throws {
        for id in 1...5 { try await world.addPhoto(Int64(id)) }
        let processor = TestProcessor("upload", .newPhotos) { records, call in
            var outcomes: [RecordID: ProcessorOutcome] = .addresses(records)
            if call > 1 { return outcomes }
            outcomes[RecordID("Photo", 2)] = .later(after: 60)
            outcomes[RecordID("Photo", 3)] = .blocked(by: RecordID("Photo", 2))
            outcomes[RecordID("Photo", 4)] = .refused(code: "large", reason: "too large")
            outcomes[RecordID("Photo", 5)] = nil
            return outcomes
        }
        let coordinator = world.coordinator([processor])
        await world.start(coordinator)
        #expect(try await world.photo(1)?["address"] == "file 1")
        #expect(processor.batches.count == 1)
        await world.pass(.seconds(59), coordinator)
        #expect(processor.batches.count == 1)
        await world.pass(.seconds(7), coordinator)
        #expect(processor.batches.last == [2, 3, 5].map { RecordID("Photo", $0) })
        await coordinator.stop()
    }

    @Test func aFailedBatchDoesNotShortenTheDelayOfAnEarlierOne() async throws {
        for id in 1...2 { try await world.addPhoto(Int64(id)) }
        let (first, second) = (RecordID("Photo", 1), RecordID("Photo", 2))
        let processor = TestProcessor("upload", .newPhotos) { records, call in
            if call == 1 { return [first: .later(after: 60)] }
            if call == 2 { throw RemoteError.later() }
            return .addresses(records)
        }
        let coordinator = world.coordinator([processor], settings: .ofSingleRecords)
        await world.start(coordinator)
        for _ in 0..<2 { await world.sync(coordinator) }
        try #require(processor.batches == [[first], [second], [second]])
        await world.pass(.seconds(70), coordinator)
        #expect(processor.batches == [[first], [second], [second], [first]])
        #expect(try await world.photo(1)?["address"] == "file 1")
        await coordinator.stop()
    }

    @Test func aBatchThatFailsEachTimeDoesNotHoldUpAPostponedRecord() async throws {
        for id in 1...2 { try await world.addPhoto(Int64(id)) }
        let processor = TestProcessor("upload", .newPhotos) { records, call in
            if records[0].id == RecordID("Photo", 2) { throw RemoteError.later() }
            return call == 1 ? [records[0].id: .later()] : .addresses(records)
        }
        let coordinator = world.coordinator([processor], settings: .ofSingleRecords)
        await world.start(coordinator)
        for _ in 0..<20 { await world.pass(.seconds(1), coordinator) }
        #expect(try await world.photo(1)?["address"] == "file 1")
        #expect(await coordinator.counters.processed == 1)
        await coordinator.stop()
    }

    @Test func anAuthorizationIsRenewedForAProcessorToo() async throws {
        try await world.addPhoto(1)
        let processor = TestProcessor("upload", .newPhotos) { records, call in
            call == 1 ? [records[0].id: .unauthorized] : .addresses(records)
        }
        let coordinator = world.coordinator([processor], renew: { true })
        await world.start(coordinator)
        #expect(processor.batches.count == 2)
        #expect(try await world.photo(1)?["address"] == "file 1")
        await coordinator.stop()
    }

    @Test func outcomesAreMatchedByIdentifierInAnyOrder() async throws {
        for id in 1...20 { try await world.addPhoto(Int64(id), "same") }
        let processor = TestProcessor("upload", .newPhotos) { records, _ in
            // Another record's outcome, which was not asked for, has no effect.
            var outcomes: [RecordID: ProcessorOutcome] = .addresses(records.reversed())
            outcomes[RecordID("Photo", 99)] = .delete
            return outcomes
        }
        let coordinator = world.coordinator([processor])
        await world.start(coordinator)
        for id in 1...20 as ClosedRange<Int64> {
            #expect(try await world.photo(id)?["address"] == .string("file \(Value.integer(id))"))
        }
        await coordinator.stop()
    }

    @Test func anEditDuringTheWorkStaysPending() async throws {
        try await world.addPhoto(1)
        let processor = TestProcessor("upload", .newPhotos) { [world] records, call in
            if call == 1 { try await world.setPhoto(1, ["title": "b"]) }
            return .addresses(records)
        }
        let coordinator = world.coordinator([processor])
        await world.start(coordinator)
        #expect(processor.batches.count == 2, "the edited version is processed too")
        await world.sync(coordinator)
        #expect(try await world.photo(1, in: world.server)?["title"] == "b")
        await coordinator.stop()
    }

    @Test func aStopCancelsAProcessorAndWaitsForIt() async throws {
        try await world.addPhoto(1)
        let hasEnded = Locked(false)
        let started = AsyncStream<Void>.makeStream()
        let processor = TestProcessor("upload", .newPhotos) { [clock = world.clock] records, call in
            if call > 1 { return .addresses(records) }
            started.continuation.yield()
            defer { hasEnded.exchange(with: true) }
            try await clock.sleep(for: .seconds(1_000))
            return [:]
        }
        let coordinator = world.coordinator([processor])
        await coordinator.start()
        for await _ in started.stream { break }
        await coordinator.stop()
        #expect(hasEnded.current)
        await world.start(coordinator)
        #expect(try await world.photo(1)?["address"] == "file 1")
        await coordinator.stop()
    }

    @Test func aCancelledRunDoesNotShortenTheDelayOfAnEarlierBatch() async throws {
        for id in 1...2 { try await world.addPhoto(Int64(id)) }
        let (first, second) = (RecordID("Photo", 1), RecordID("Photo", 2))
        let started = AsyncStream<Void>.makeStream()
        let processor = TestProcessor("upload", .newPhotos) { [clock = world.clock] records, call in
            if call == 1 { return [first: .later(after: 60)] }
            if call > 2 { return .addresses(records) }
            started.continuation.yield()
            try await clock.sleep(for: .seconds(1_000))
            return [:]
        }
        let coordinator = world.coordinator([processor], settings: .ofSingleRecords)
        await coordinator.start()
        for await _ in started.stream { break }
        await coordinator.stop()
        await world.start(coordinator)
        #expect(processor.batches == [[first], [second], [second]])
        await world.pass(.seconds(50), coordinator)
        #expect(processor.batches.count == 3)
        await world.pass(.seconds(20), coordinator)
        #expect(processor.batches.last == [first])
        #expect(try await world.photo(1)?["address"] == "file 1")
        await coordinator.stop()
    }

    @Test func aProcessorThatNeverEndsIsAbandonedAndItsLateResultIsIgnored() async throws {
        try await world.addPhoto(1)
        let (started, gate) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        let processor = TestProcessor("upload", .newPhotos) { records, call in
            if call > 1 { return .addresses(records) }
            started.continuation.yield()
            // Not cancelled with the run.
            await Task.detached { for await _ in gate.stream { break } }.value
            return [records[0].id: .delete]
        }
        let coordinator = world.coordinator([processor])
        await coordinator.start()
        for await _ in started.stream { break }
        await world.clock.waitForSleepers()
        world.clock.advance(by: .seconds(600))
        await world.settle(coordinator)
        await world.sync(coordinator)
        #expect(try await world.photo(1)?["address"] == "file 1")
        gate.continuation.yield()
        await world.sync(coordinator)
        #expect(try await world.photo(1) != nil)
        await coordinator.stop()
    }
}

extension CoordinatorSettings {
    /// A processor receives one record at a time.
    fileprivate static var ofSingleRecords: CoordinatorSettings {
        var settings = CoordinatorSettings()
        settings.processorBatch = 1
        return settings
    }
}
