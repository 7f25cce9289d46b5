import DifferentialSyncTesting
import StoreSync
import SyncPersistence
import Testing

/// What a device counts and reads for a page of one change.
@Suite struct PullCostTests {
    /// A storage that adds up the rows that it counts and passes.
    private final class CountingStorage: ForwardingStorage {
        private let rows: Locked<Int>

        init(_ base: any RecordStorage, _ rows: Locked<Int>) {
            self.rows = rows
            super.init(base)
        }

        override func count(_ query: Query) throws -> Int {
            let count = try super.count(query)
            rows.withLock { $0 += count }
            return count
        }

        override func forEach(_ query: Query, _ body: (Record) throws -> Bool) throws {
            try super.forEach(query) { record in
                rows.withLock { $0 += 1 }
                return try body(record)
            }
        }
    }

    private func cost(records: Int) async throws -> Int {
        let rows = Locked(0)
        let store = ForwardingAdapter(InMemoryAdapter(schema: try Planner.schema())) { CountingStorage($0, rows) }
        let (phone, (_, service)) = (try Device("phone", store), try Planner.service())
        let laptop = try Device("laptop")
        try await laptop.edit { changes, schema in
            for id in 0..<records { try changes.put(Record("Tag", in: schema, ["id": .integer(Int64(id))])) }
        }
        for device in [laptop, phone, phone] { #expect(try await device.sync(with: service).isSynced) }
        try await laptop.edit { changes, _ in changes.update(RecordID("Tag", 1), ["name": "x"]) }
        try await laptop.sync(with: service)
        rows.withLock { $0 = 0 }
        #expect(try await phone.sync(with: service).isVerified == true)
        return rows.current
    }

    @Test func aPageOfOneChangeCostsTheSameWhateverTheStoreHas() async throws {
        #expect(try await cost(records: 10) == cost(records: 1_000))
    }
}
