import DifferentialSyncTesting
import SyncCoordination
import SyncPersistence
import Testing

/// Work of an app's own beside the cycles.
@Suite(.timeLimit(.minutes(5))) struct ChangeProcessorTests {
    private let world: PhotoWorld

    init() throws { world = try PhotoWorld() }

    @Test func onlyMatchingRecordsArePassed() async throws {
        try await world.addPhoto(1)
        try await world.addPhoto(2)
        try await world.setPhoto(2, ["address": "there"])
        var changes = ChangeSet()
        try changes.put(Record("Album", in: PhotoWorld.schema(), ["id": 3]))
        try await world.store.commit(changes)
        let processor = TestProcessor("upload", .newPhotos) { records, _ in .addresses(records) }
        let coordinator = world.coordinator([processor])
        await world.start(coordinator)
        #expect(processor.batches == [[RecordID("Photo", 1)]])
        #expect(try await world.photo(1)?["address"] == "file 1")
        #expect(await coordinator.counters.processed == 1)
        await coordinator.stop()
    }

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

    @Test func inheritingEntitiesMatch() async throws {
        try await world.addPhoto(1, entity: "Panorama")
        let processor = TestProcessor("upload", .newPhotos) { records, _ in .addresses(records) }
        let coordinator = world.coordinator([processor])
        await world.start(coordinator)
        #expect(processor.batches == [[RecordID("Panorama", 1)]])
        #expect(try await world.photo(1)?["address"] == "file 1")
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

    @Test func aRecordThatMatchesAgainIsPassedAgain() async throws {
        try await world.addPhoto(1)
        let processor = TestProcessor("upload", .newPhotos) { records, _ in .addresses(records) }
        let coordinator = world.coordinator([processor])
        await world.start(coordinator)
        await world.sync(coordinator)
        #expect(processor.batches.count == 1)
        try await world.setPhoto(1, ["address": .null])
        await world.pass(.seconds(6), coordinator)
        #expect(processor.batches == [[RecordID("Photo", 1)], [RecordID("Photo", 1)]])
        await coordinator.stop()
    }

    @Test func eachCommitBringsOneChangeWithBothImages() async throws {
        var commits = world.store.commits().makeAsyncIterator()
        try await world.addPhoto(1)
        try await world.setPhoto(1, ["title": "b"])
        let (first, second) = (await commits.next(), await commits.next())
        #expect(first?.changes.count == 1 && first?.changes[0].old == nil)
        #expect(second?.changes.count == 1 && second?.changes[0].old?["title"] == "a")
        #expect(second?.changes[0].new == (try await world.photo(1)))
    }

    @Test func aPhotoIsSentOnceItsFileIsUploaded() async throws {
        try await world.addPhoto(1)
        let gate = AsyncStream<Void>.makeStream()
        let processor = TestProcessor("upload", .unsentPhotos) { records, _ in
            for await _ in gate.stream { break }
            return .addresses(records)
        }
        let coordinator = world.coordinator([processor])
        var events = await coordinator.events().makeAsyncIterator()
        await coordinator.start()
        while let event = await events.next() {
            guard case .cycleEnded(let outcome) = event else { continue }
            #expect(outcome.unready == [RecordID("Photo", 1)] && outcome.pending.isEmpty)
            break
        }
        #expect(try await world.serverCount() == 0)
        gate.continuation.yield()
        while let event = await events.next() { if case .processed = event { break } }
        await world.settle(coordinator)
        await world.sync(coordinator)
        #expect(try await world.photo(1, in: world.server)?["address"] == "file 1")
        #expect(world.remote.requests.count { $0 == "push" } == 1)
        await coordinator.stop()
    }

    @Test func theResultOfOneProcessorIsTheWorkOfAnother() async throws {
        try await world.addPhoto(1)
        let first = TestProcessor("upload", .newPhotos) { records, _ in .addresses(records) }
        let second = TestProcessor("title", ProcessorWork("Photo", where: Field("address") == "file 1")) { records, _ in
            [records[0].id: .update(["address": "checked"])]
        }
        let coordinator = world.coordinator([second, first])
        await world.start(coordinator)
        while try await world.photo(1)?["address"] != "checked" { await world.pass(.seconds(6), coordinator) }
        #expect(second.batches == [[RecordID("Photo", 1)]])
        await world.sync(coordinator)
        #expect(try await world.photo(1, in: world.server)?["address"] == "checked")
        await coordinator.stop()
    }

    @Test func aProcessorMayDeleteARecord() async throws {
        try await world.addPhoto(1)
        let processor = TestProcessor("remove", .newPhotos) { records, _ in [records[0].id: .delete] }
        let coordinator = world.coordinator([processor])
        await world.start(coordinator)
        #expect(try await world.photo(1) == nil)
        await world.sync(coordinator)
        #expect(try await world.serverCount() == 0)
        await coordinator.stop()
    }

    @Test func aProcessorIsSetUpOnceAndLoadsIntoAnEmptyStore() async throws {
        let processor = TestProcessor("upload", .newPhotos) { records, _ in .addresses(records) }
        processor.fail(RemoteError.later())
        let coordinator = world.coordinator([processor])
        await world.start(coordinator)
        #expect(processor.otherCalls == ["setUp"])
        await world.pass(.seconds(3), coordinator)
        #expect(processor.otherCalls == ["setUp", "setUp", "load"])
        try await world.addPhoto(1)
        await world.sync(coordinator)
        #expect(processor.batches.count == 1 && processor.otherCalls.count == 3)
        await coordinator.stop()
    }

    @Test func aLoadThatHasFailedIsMadeAgainThoughTheStoreHasRecords() async throws {
        struct Loader: ChangeProcessor {
            let name = "load"
            let world: PhotoWorld
            let calls = Locked(0)

            func load(in context: ProcessorContext) async throws {
                try await world.addPhoto(1)
                let call = calls.withLock { calls in
                    calls += 1
                    return calls
                }
                if call == 1 { throw RemoteError.later() }
                try await world.addPhoto(2)
            }
        }
        let loader = Loader(world: world)
        let coordinator = world.coordinator([loader])
        await world.start(coordinator)
        await world.sync(coordinator)
        #expect(loader.calls.current == 2)
        #expect(try await world.photo(2) != nil)
        await coordinator.stop()
    }

    @Test func anUploadWithoutItsRecordedEndIsMadeAgainAfterARestart() async throws {
        try await world.addPhoto(1)
        // The remote keeps files by the names of the photos, so that a second upload replaces the first one.
        let files = Locked<[String: Int]>([:])
        @Sendable func upload(_ photos: [Record]) {
            for photo in photos { files.withLock { $0["\(photo.key)", default: 0] += 1 } }
        }
        let ending = TestProcessor("upload", .newPhotos) { photos, _ in
            upload(photos)
            // The process ends here.
            for await _ in AsyncStream<Void>.makeStream().stream {}
            throw CancellationError()
        }
        let first = world.coordinator([ending])
        await first.start()
        while files.current.isEmpty { await Task.yield() }
        await first.stop()
        #expect(try await world.photo(1)?["address"] == .null)
        let second = world.coordinator([
            TestProcessor("upload", .newPhotos) { photos, _ in
                upload(photos)
                return .addresses(photos)
            }
        ])
        await world.start(second)
        #expect(try await world.photo(1)?["address"] == "file 1")
        #expect(try await world.photo(1, in: world.server)?["address"] == "file 1")
        #expect(files.current == ["1": 2])
        await second.stop()
    }

    @Test func changesOfOthersAreReceivedOnceTheProcessorIsSetUp() async throws {
        try await world.addPhoto(1, in: world.server)
        let processor = TestProcessor("show", nil)
        processor.fail(RemoteError.later(), RemoteError.later())
        let coordinator = world.coordinator([processor])
        await world.start(coordinator)
        while processor.receivedIDs.isEmpty { await world.pass(.seconds(300), coordinator) }
        #expect(processor.otherCalls == ["setUp", "setUp", "setUp", "receive"])
        #expect(processor.receivedIDs == [RecordID("Photo", 1)])
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

    @Test func aProcessorThatCannotReceiveChangesStillGetsRecords() async throws {
        try await world.addPhoto(1)
        let processor = TestProcessor("upload", .newPhotos) { records, _ in .addresses(records) }
        let coordinator = world.coordinator([processor])
        await world.start(coordinator)
        processor.fail(RemoteError.gone("none"))
        try await world.addPhoto(2, in: world.server)
        await world.sync(coordinator)
        #expect(try await world.photo(2)?["address"] == "file 2")
        #expect(processor.receivedIDs.isEmpty)
        await coordinator.syncNow()
        await world.settle(coordinator)
        #expect(processor.receivedIDs == [RecordID("Photo", 2)])
        await coordinator.stop()
    }

    @Test func aStopWaitsForTheReceptionOfChanges() async throws {
        let gate = AsyncStream<Void>.makeStream()
        let steps = Locked<[String]>([])
        @Sendable func note(_ step: String) { steps.withLock { $0.append(step) } }
        let processor = TestProcessor(
            "show", nil,
            onReceive: {
                note("begins")
                // A task of its own is not cancelled.
                await Task { for await _ in gate.stream { return } }.value
                note("ends")
            })
        let coordinator = world.coordinator([processor])
        await world.start(coordinator)
        try await world.addPhoto(1, in: world.server)
        await coordinator.syncNow()
        while steps.current.isEmpty && !Task.isCancelled {
            world.clock.advanceToNextDeadline(within: .seconds(1))
            await Task.yield()
        }
        let stop = Task {
            await coordinator.stop()
            note("stopped")
        }
        // A cancelled run has ten seconds to end. Once the coordinator waits for that time, it has begun to stop.
        let end = world.clock.now.advanced(by: .seconds(10))
        while world.clock.nextDeadline != end && !Task.isCancelled { await Task.yield() }
        // A stop that does not wait has ended after some turns.
        for _ in 0..<50 { await Task.yield() }
        #expect(steps.current == ["begins"])
        gate.continuation.yield()
        await stop.value
        #expect(steps.current == ["begins", "ends", "stopped"])
    }

    @Test func aTypedProcessorReceivesElements() async throws {
        struct Photo: Codable, Identifiable, Equatable {
            var id: Int
            var title: String
            var address: String?
        }
        struct Uploader: ElementProcessor {
            let name = "upload"
            let entity = "Photo"
            let filter: Filter? = Field("address").isNull

            func process(_ photos: [Photo], in context: ProcessorContext) async throws -> [Photo.ID: ProcessorOutcome] {
                Dictionary(
                    uniqueKeysWithValues: photos.map { ($0.id, .update(["address": .string("of \($0.title)")])) })
            }
        }
        try await world.addPhoto(1, "sea")
        var changes = ChangeSet()
        try changes.put(Record("Photo", in: PhotoWorld.schema(), ["id": 2]))
        try await world.store.commit(changes)
        let coordinator = world.coordinator([Uploader()])
        var events = await coordinator.events().makeAsyncIterator()
        await world.start(coordinator)
        #expect(try await world.photo(1)?["address"] == "of sea")
        #expect(try await world.photo(2)?["address"] == .null)
        while let event = await events.next() {
            guard case .refused(_, let id, let code, _) = event else { continue }
            #expect(id == RecordID("Photo", 2) && code == "unreadable")
            break
        }
        await coordinator.stop()
    }

    @Test func theFilterAndTheStoreAgreeForEachRecord() async throws {
        try await world.addPhoto(1)
        try await world.addPhoto(2, entity: "Panorama")
        let work = ProcessorWork(
            "Panorama", where: Field("address").isNull && Field("title") == "a", precedesSync: true)
        let coordinator = world.coordinator([TestProcessor("wide", work)])
        await world.start(coordinator)
        #expect(try await world.serverCount() == 1)
        #expect(try await world.store.syncState(of: RecordID("Photo", 2)) == .pending)
        await coordinator.stop()
    }
}
