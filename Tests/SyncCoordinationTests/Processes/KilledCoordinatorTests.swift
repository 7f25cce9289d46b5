import DifferentialSyncTesting
import Foundation
import SQLitePersistence
import SyncCoordination
import SyncPersistence
import TestSupport
import Testing

/// Processes with a coordinator each, of which one is killed again and again.
///
/// Two of them have one file, and a third one has another. They synchronize over a folder.
///
/// With `DIFFSYNC_FULL_SCALE=1` there are 300 kills.
@Suite struct KilledCoordinatorTests {
    private let temporary = TemporaryFolder()

    /// The files of the three processes, and the ends of their ledgers.
    private static let roles = [("shared.db", "device"), ("shared.db", "device"), ("other.db", "service")]

    @Test func coordinatorsOfOneFileThatAreKilledLoseNothingAndReviveNothing() async throws {
        let isLong = ProcessInfo.processInfo.environment["DIFFSYNC_FULL_SCALE"] == "1"
        let seed = SeededGenerator.testSeed(83)
        var generator = SeededGenerator(seed: seed)
        var processes: [ChildProcess] = []
        for role in Self.roles.indices { processes.append(try start(role, seed)) }
        var acknowledged = ["device": Int64(0), "service": 0]
        var output = ""
        for _ in 0..<(isLong ? 300 : 20) {
            let role = Int.random(in: Self.roles.indices, using: &generator)
            let first = lines(of: processes[role], Int.random(in: 0...20, using: &generator))
            processes[role].end()
            let text = first + rest(of: processes[role])
            let end = Self.roles[role].1
            acknowledged[end] = max(acknowledged[end] ?? 0, lastNumber(in: text))
            output += text
            processes[role] = try start(role, seed)
        }
        for process in processes {
            process.end()
            output += rest(of: process)
        }
        #expect(!output.contains("rror"), "seed \(seed): \(output)")
        #expect(output.contains("cycle ended"), "seed \(seed)")
        try await settle(seed)
        try await check(seed, acknowledged)
    }

    private func start(_ role: Int, _ seed: UInt64) throws -> ChildProcess {
        let (file, end) = Self.roles[role]
        return try ChildProcess(
            ChildProcess.path(of: "coordinator-client"),
            [temporary.file(file), temporary.file("remote"), end, "\(seed)"], mergesErrors: true)
    }

    /// Reads the output of a process until it has so many lines, or ends.
    private func lines(of process: ChildProcess, _ count: Int) -> String {
        var data = Data()
        while data.count(where: { $0 == UInt8(ascii: "\n") }) < count {
            let part = process.output.availableData
            if part.isEmpty { break }
            data += part
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// Reads the output of a killed process to its end.
    private func rest(of process: ChildProcess) -> String {
        defer { process.wait() }
        return String(decoding: process.output.readDataToEndOfFile(), as: UTF8.self)
    }

    /// Returns the largest number of a line; the last one may be cut.
    private func lastNumber(in text: String) -> Int64 {
        text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap { Int64($0) }.max() ?? 0
    }

    private func open(_ file: String) async throws -> SQLiteAdapter {
        try await SQLiteAdapter.open(at: temporary.file(file), schema: Ledger.schema)
    }

    /// Synchronizes both files until nothing changes any more.
    private func settle(_ seed: UInt64) async throws {
        let remote = ObjectRemote(try FolderObjects(path: temporary.file("remote")), account: "ann")
        for round in 0..<3 {
            for file in ["shared.db", "other.db"] {
                let store = try await open(file)
                let coordinator = SyncCoordinator(of: store, with: remote, policies: SyncPolicies(.localWins))
                // A killed process may still hold a lock of the file.
                var isDone = false
                for _ in 0..<3 where !isDone { isDone = await coordinator.syncOnce(within: .seconds(300)) }
                let events = try await store.read { try $0.recordedEvents }.map(\.text)
                #expect(isDone, "seed \(seed): \(events)")
                if round == 2 { #expect(await coordinator.counters.pulled == 0, "seed \(seed)") }
                await store.close()
            }
        }
    }

    private func check(_ seed: UInt64, _ acknowledged: [String: Int64]) async throws {
        let (shared, other) = (try await open("shared.db"), try await open("other.db"))
        #expect(
            try await shared.read { try $0.fingerprint() } == other.read { try $0.fingerprint() }, "seed \(seed)")
        for store in [shared, other] {
            let (items, counts) = try await store.read { transaction in
                let records = try transaction.records(Query("Item"))
                return (
                    Dictionary(uniqueKeysWithValues: records.map { ($0.key, $0["value"]) }),
                    try ["device", "service"].map { try Ledger(of: $0, seed: seed).count(in: transaction) }
                )
            }
            #expect(counts[0] >= acknowledged["device"] ?? 0 && counts[0] > 0, "seed \(seed)")
            #expect(counts[1] >= acknowledged["service"] ?? 0 && counts[1] > 0, "seed \(seed)")
            var expected = Ledger(of: "device", seed: seed).items(after: counts[0])
            expected.merge(Ledger(of: "service", seed: seed).items(after: counts[1])) { one, _ in one }
            #expect(items == expected, "seed \(seed)")
        }
        await shared.close()
        await other.close()
    }
}
