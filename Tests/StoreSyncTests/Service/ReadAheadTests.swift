import Testing

@testable import StoreSync

/// How many records a page or a push reads at once.
@Suite struct ReadAheadTests {
    @Test func readsGrowByTheSizesSeen() {
        var ahead = ReadAhead(limit: 100_000)
        #expect(ahead.count == 100)
        ahead.plan(after: 100, of: 1_000)
        #expect(ahead.count == 800)
        ahead.plan(after: 900, of: 90_000)
        #expect(ahead.count == 100)
        ahead.plan(after: 1_000, of: 100_000)
        #expect(ahead.count == 1)
    }

    @Test func rowsWithoutRecordsNeverOverflowTheCount() {
        var ahead = ReadAhead(limit: .max)
        for _ in 0..<100 { ahead.plan(after: 0, of: 0) }
        #expect(ahead.count == 1 << 20)
    }
}
