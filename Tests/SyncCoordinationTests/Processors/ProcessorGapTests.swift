import DifferentialSyncTesting
import SyncCoordination
import SyncPersistence
import TestSupport
import Testing

/// The faults of earlier designs of change processors, each with the test that it does not return.
@Suite struct ProcessorGapTests {
    private let world: PhotoWorld

    init() throws { world = try PhotoWorld() }

    @Test func emptyBatchesNeverReachAProcessor() async throws {
        let processor = TestProcessor("upload", .newPhotos) { records, _ in .addresses(records) }
        let coordinator = world.coordinator([processor])
        await world.start(coordinator)
        var changes = ChangeSet()
        try changes.put(Record("Album", in: PhotoWorld.schema(), ["id": 3]))
        try await world.store.commit(changes)
        await world.pass(.seconds(6), coordinator)
        await world.sync(coordinator)
        #expect(processor.batches.isEmpty)
        await coordinator.stop()
    }

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

    @Test func updatesOfOthersAreMergedAndPassedToProcessors() async throws {
        try await world.addPhoto(1)
        let processor = TestProcessor("show", nil)
        let coordinator = world.coordinator([processor])
        await world.start(coordinator)
        try await world.setPhoto(1, ["address": "theirs"], in: world.server)
        try await world.addPhoto(2, in: world.server)
        try await world.setPhoto(1, ["title": "mine"])
        processor.fail(RemoteError.later())
        await world.sync(coordinator)
        while processor.receivedIDs.count < 2 {
            await world.clock.waitForSleepers()
            world.clock.advance(by: .seconds(3))
            await Task.yield()
        }
        #expect(
            processor.receivedIDs.sorted { $0.description < $1.description } == [
                RecordID("Photo", 1), RecordID("Photo", 2),
            ])
        #expect(try await world.photo(1)?["address"] == "theirs")
        #expect(try await world.photo(1)?["title"] == "mine")
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

    @Test func anyTaskMayCallACoordinator() async throws {
        let processor = TestProcessor("upload", .newPhotos) { records, _ in .addresses(records) }
        let (running, most) = (Locked(0), Locked(0))
        let counting = TestProcessor("count", ProcessorWork("Photo", where: !Field("address").isNull)) { _, _ in
            let count = running.next()
            most.withLock { $0 = max($0, count) }
            await Task.yield()
            running.withLock { $0 -= 1 }
            return [:]
        }
        let coordinator = world.coordinator([processor, counting])
        // The compiler checks that the state of the actor is reached on the actor alone.
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    await coordinator.start()
                    try? await world.addPhoto(Int64(number))
                    await coordinator.syncNow()
                    world.activity.continuation.yield(number.isMultiple(of: 2))
                    if number.isMultiple(of: 10) { await coordinator.suspend() }
                    await coordinator.resume()
                }
            }
        }
        world.activity.continuation.yield(true)
        await world.sync(coordinator)
        await world.sync(coordinator)
        #expect(try await world.serverCount() == 100)
        #expect(most.current == 1 && processor.batches.joined().count == 100)
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

    @Test func aLostResponseCreatesNoSecondRecord() async throws {
        for id in 1...3 { try await world.addPhoto(Int64(id)) }
        world.remote.loseResponses(2)
        let first = world.coordinator()
        await world.start(first)
        #expect(try await world.serverCount() == 3)
        #expect(try await world.store.syncState(of: RecordID("Photo", 1)) == .inFlight)
        // The process ends, and the next one resumes from the store.
        await first.stop()
        let second = world.coordinator()
        await world.start(second)
        #expect(try await world.serverCount() == 3)
        #expect(try await world.store.syncState(of: RecordID("Photo", 1)) == .synced)
        await second.stop()
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

    @Test func anEditDuringACycleIsSentByTheNext() async throws {
        try await world.addPhoto(1)
        world.remote.hold()
        let coordinator = world.coordinator()
        await coordinator.start()
        await world.remote.waitForRequests(1)
        try await world.setPhoto(1, ["title": "b"])
        world.remote.release()
        await world.sync(coordinator)
        #expect(try await world.photo(1, in: world.server)?["title"] == "b")
        #expect(try await world.store.syncState(of: RecordID("Photo", 1)) == .synced)
        await coordinator.stop()
    }

    @Test func inheritingEntitiesMatch() async throws {
        try await world.addPhoto(1, entity: "Panorama")
        let processor = TestProcessor("upload", .newPhotos) { records, _ in .addresses(records) }
        let coordinator = world.coordinator([processor])
        await world.start(coordinator)
        #expect(processor.batches == [[RecordID("Panorama", 1)]])
        #expect(try await world.photo(1)?["address"] == "file 1")
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

    @Test func newRecordsArriveAfterThoseThatTheyReferTo() async throws {
        let world = try PhotoWorld(limits: SyncLimits(pushRecords: 1))
        var changes = ChangeSet()
        for id in 1...5 as ClosedRange<Int64> {
            let values: [String: Value] = ["id": .integer(id), "title": "a", "album": .integer(id)]
            changes.put(try Record("Photo", in: PhotoWorld.schema(), values))
        }
        for id in 1...5 as ClosedRange<Int64> {
            changes.put(try Record("Album", in: PhotoWorld.schema(), ["id": .integer(id)]))
        }
        try await world.store.commit(changes)
        let coordinator = world.coordinator()
        await world.start(coordinator)
        #expect(try await world.serverCount() == 5)
        #expect(world.remote.requests.count { $0 == "push" } == 10, "no record was sent twice")
        #expect(world.remote.cycleCount == 1)
        await coordinator.stop()
    }

    @Test(.timeLimit(.minutes(5))) func progressAndCountersAreReported() async throws {
        let world = try PhotoWorld(limits: SyncLimits(pageRecords: 10))
        for id in 0..<40 { try await world.addPhoto(Int64(id), in: world.server) }
        let coordinator = world.coordinator()
        // The second page waits, after the handshake and the first one.
        world.remote.hold(after: 2)
        var statuses = await coordinator.statuses().makeAsyncIterator()
        await coordinator.start()
        while let status = await statuses.next(), status != .syncing(fraction: 0.25) {}
        #expect(await coordinator.currentStatus == .syncing(fraction: 0.25))
        world.remote.release()
        await world.settle(coordinator)
        #expect(await coordinator.counters.pulled == 40)
        #expect(world.lines.current.contains { $0.contains("40 pulled") })
        await coordinator.stop()
    }

    @Test func tenThousandRecordsArriveInBoundedBatches() async throws {
        var changes = ChangeSet()
        for id in 0..<10_000 {
            try changes.put(Record("Photo", in: PhotoWorld.schema(), ["id": .integer(Int64(id)), "title": "a"]))
        }
        try await world.store.commit(changes)
        let processor = TestProcessor("upload", .newPhotos) { records, _ in .addresses(records) }
        let coordinator = world.coordinator([processor])
        await world.start(coordinator)
        await world.sync(coordinator)
        #expect(processor.batches.count == 100 && processor.batches.allSatisfy { $0.count == 100 })
        #expect(await coordinator.counters.processed == 10_000)
        #expect(try await world.serverCount() == 10_000)
        await coordinator.stop()
    }
}
