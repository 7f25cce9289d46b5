import DifferentialSyncTesting
import Foundation
import SQLitePersistence
import StoreSync
import TestSupport
import Testing

/// A device and a service in processes of their own, connected by pipes, of which one is killed again and again.
///
/// In a release build, each of them is killed 300 times.
@Suite struct KilledProcessTests {
    private let temporary = TemporaryFolder()

    @Test func processesThatAreKilledLoseNothingAndReviveNothing() async throws {
        let seed = SeededGenerator.testSeed(71)
        var generator = SeededGenerator(seed: seed)
        var acknowledged: Int64 = 0
        for kill in 0..<(isFullScale ? 600 : 40) {
            let (service, device) = try start("device", seed)
            let target = Int.random(in: 0...12, using: &generator)
            let first = lines(of: device, target)
            // The other process ends by itself, because its pipe has ended.
            if kill.isMultiple(of: 2) { service.end() } else { device.end() }
            let all = first + String(decoding: device.errors.readDataToEndOfFile(), as: UTF8.self)
            device.wait()
            let complaint = String(decoding: service.errors.readDataToEndOfFile(), as: UTF8.self)
            service.wait()
            #expect(!all.contains("rror") && !complaint.contains("rror"), "seed \(seed): \(all) \(complaint)")
            // The last line may be cut.
            let last = all.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap { Int64($0) }
            acknowledged = max(acknowledged, last.max() ?? 0)
        }
        let (service, device) = try start("settle", seed)
        #expect(String(decoding: device.errors.readDataToEndOfFile(), as: UTF8.self) == "settled\n", "seed \(seed)")
        device.wait()
        service.wait()
        try await check(seed, acknowledged)
    }

    /// Starts both processes, each of which has the only ends of its pipes.
    private func start(_ role: String, _ seed: UInt64) throws -> (service: ChildProcess, device: ChildProcess) {
        let path = try ChildProcess.path(of: "sync-client")
        let (requests, responses) = (Pipe(), Pipe())
        let handles = [requests, responses].flatMap { [$0.fileHandleForReading, $0.fileHandleForWriting] }
        for handle in handles { _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC) }
        let service = try ChildProcess(
            path, ["service", temporary.file("service.db"), "\(seed)"],
            pipes: (requests.fileHandleForReading, responses.fileHandleForWriting))
        let device = try ChildProcess(
            path, [role, temporary.file("device.db"), "\(seed)"],
            pipes: (responses.fileHandleForReading, requests.fileHandleForWriting))
        for handle in handles { try handle.close() }
        return (service, device)
    }

    /// Reads the error output of a process until it has so many lines, or ends.
    private func lines(of process: ChildProcess, _ count: Int) -> String {
        var data = Data()
        while data.count(where: { $0 == UInt8(ascii: "\n") }) < count {
            let part = process.errors.availableData
            if part.isEmpty { break }
            data += part
        }
        return String(decoding: data, as: UTF8.self)
    }

    private func check(_ seed: UInt64, _ acknowledged: Int64) async throws {
        let device = try await SQLiteAdapter.open(at: temporary.file("device.db"), schema: Ledger.schema)
        let service = try await SQLiteAdapter.open(at: temporary.file("service.db"), schema: Ledger.schema)
        let fingerprint = try await device.read { try $0.fingerprint() }
        #expect(try await service.read { try $0.fingerprint() } == fingerprint, "seed \(seed)")
        for store in [device, service] {
            let (items, counts) = try await store.read { transaction in
                let records = try transaction.records(Query("Item"))
                return (
                    Dictionary(uniqueKeysWithValues: records.map { ($0.key, $0["value"]) }),
                    try ["device", "service"].map { try Ledger(of: $0, seed: seed).count(in: transaction) }
                )
            }
            #expect(counts[0] >= acknowledged && acknowledged > 0, "seed \(seed)")
            var expected = Ledger(of: "device", seed: seed).items(after: counts[0])
            expected.merge(Ledger(of: "service", seed: seed).items(after: counts[1])) { one, _ in one }
            #expect(items == expected, "seed \(seed)")
        }
        await device.close()
        await service.close()
    }
}
