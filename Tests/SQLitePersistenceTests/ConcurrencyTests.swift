import DifferentialSyncTesting
import Foundation
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

@testable import crash_client

struct ConcurrencyTests {
    static let seed = SeededGenerator.testSeed(8)

    @Test func concurrentTransfersInTwoProcessesStayAtomicAndObserved() async throws {
        let folder = TemporaryFolder()
        let path = folder.file("accounts.sqlite")
        let transfers = Transfers(store: try await SQLiteAdapter.open(at: path, schema: Transfers.schema))
        try await transfers.begin()
        let observers = [transfers.store.commits(), transfers.store.commits()]

        let (count, folderPath) = (100, folder.path)
        async let other = Task.detached {
            try CrashClient.run(folderPath, count, Self.seed + 100, task: "transfer")
        }.value
        let wrong = try await transfers.run(tasks: ["a", "b", "c", "d"], count: count, seed: Self.seed)
        let lines = try await other

        #expect(wrong == [], "seed \(Self.seed)")
        #expect(lines == ["opened", "wrong sums: []"], "seed \(Self.seed)")
        #expect(try await transfers.total() == Transfers.sum)
        let counts = try await transfers.counts()
        #expect(counts == Dictionary(uniqueKeysWithValues: "abcdefgh".map { ("\($0)", Int64(count)) }))

        let last = try await transfers.store.read { try $0.sequence }
        #expect(last == 1 + 8 * Int64(count), "each commit of either process has a number of its own")
        await transfers.store.close()
        for observer in observers {
            var sequences: [Int64] = []
            for await commit in observer { sequences.append(commit.sequence) }
            #expect(sequences.count == 4 * count)
            #expect(sequences == sequences.sorted() && Set(sequences).count == sequences.count)
        }
    }
}
