import SyncCoordination
import SyncPersistence
import Testing

/// Which records a processor is processing.
@Suite struct WorkTrackerTests {
    private let schema = try! Schema {
        Entity("Photo") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("title", .string)
        }
    }

    private func photo(_ id: Int64, _ title: String = "a") throws -> Record {
        try Record("Photo", in: schema, ["id": .integer(id), "title": .string(title)])
    }

    private func photos(_ ids: Int64...) throws -> [Record] { try ids.map { try photo($0) } }

    @Test func newRecordsAreTakenInTheirOrder() throws {
        var tracker = WorkTracker()
        #expect(try tracker.take(photos(2, 1)) == photos(2, 1))
        #expect(tracker.count == 2)
    }

    @Test func recordsInProgressAreNotTakenAgain() throws {
        var tracker = WorkTracker()
        _ = try tracker.take(photos(1, 2))
        #expect(try tracker.take(photos(1, 2)).isEmpty)
        #expect(try tracker.take(photos(3, 1, 2, 4)) == photos(3, 4))
    }

    @Test func finishedRecordsAreTakenAgain() throws {
        var tracker = WorkTracker()
        _ = try tracker.take(photos(1, 2, 3))
        for record in try photos(1, 3) { tracker.finish(record) }
        #expect(try tracker.take(photos(1, 2, 3, 4)) == photos(1, 3, 4))
    }

    @Test func anEditedRecordInProgressIsNotTakenTwiceAtOnce() throws {
        var tracker = WorkTracker()
        _ = try tracker.take(photos(1))
        #expect(try tracker.take([photo(1, "b")]).isEmpty)
        tracker.finish(try photo(1))
        #expect(try tracker.take([photo(1, "b")]) == [photo(1, "b")])
    }

    @Test func postponedAndRefusedRecordsAreTakenOnceTheyAreEdited() throws {
        var tracker = WorkTracker()
        _ = try tracker.take(photos(1, 2))
        tracker.finish(try photo(1), .postponed)
        tracker.finish(try photo(2), .refused)
        #expect(try tracker.take(photos(1, 2)).isEmpty)
        #expect(try tracker.take([photo(1, "b"), photo(2, "b")]) == [photo(1, "b"), photo(2, "b")])
    }

    @Test func anEditDoesNotShortenADelay() throws {
        var tracker = WorkTracker()
        _ = try tracker.take(photos(1))
        tracker.finish(try photo(1), .delayed)
        #expect(try tracker.take([photo(1, "b")]).isEmpty)
        tracker.release(postponed: false)
        #expect(try tracker.take([photo(1, "b")]).isEmpty)
        tracker.release(postponed: true)
        #expect(try tracker.take([photo(1, "b")]) == [photo(1, "b")])
    }

    @Test func aRetryReleasesPostponedRecordsAndNoRefusedOnes() throws {
        var tracker = WorkTracker()
        _ = try tracker.take(photos(1, 2, 3))
        tracker.finish(try photo(1), .postponed)
        tracker.finish(try photo(2), .refused)
        tracker.release(postponed: false)
        #expect(try tracker.take(photos(1, 2, 3)) == photos(3))
        tracker.release(postponed: true)
        #expect(try tracker.take(photos(1, 2, 3)) == photos(1, 3))
        #expect(tracker.count(of: .refused) == 1)
    }

    @Test func noMoreRecordsAreTakenThanTheLimit() throws {
        var tracker = WorkTracker()
        #expect(try tracker.take(photos(1, 2, 3), limit: 2) == photos(1, 2))
        #expect(try tracker.take(photos(1, 2, 3), limit: 2) == photos(3))
        #expect(tracker.take([], limit: 2).isEmpty)
    }

    @Test func recordsThatMatchNoLongerAreForgotten() throws {
        var tracker = WorkTracker()
        _ = try tracker.take(photos(1, 2))
        for record in try photos(1, 2) { tracker.finish(record, .refused) }
        tracker.keep(only: try photos(2))
        #expect(tracker.count == 1)
    }
}
