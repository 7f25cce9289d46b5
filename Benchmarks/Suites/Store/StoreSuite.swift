import BenchmarkSupport
import Foundation
import SQLitePersistence
import StoreSync
import SyncPersistence

/// Whole stores with a service, both over SQLite in one process.
enum StoreSuite {
    static let name = "store"
    static let changes = "100 changes of a store, half at each end"
    static let poll = "poll of a store without changes"
    static let devices = "poll by one of 1,000 known devices"
    static let download = "first download of items with 3 children"
    static let upload = "upload of items with 3 children"
    static let flight = "push in flight of 1 kB records, bytes stored"

    /// The sizes are numbers of records for cycles, and numbers of items for transfers.
    static func run(_ runner: inout Runner, sizes: [Int]) {
        for count in sizes where (1_000...1_000_000).contains(count) {
            let wanted = [changes, poll].filter { runner.wants(suite: name, workload: $0) }
            if !wanted.isEmpty { runCycles(&runner, wanted, count: count) }
            if count <= 100_000 {
                if runner.wants(suite: name, workload: devices) { runner.run(manyDevices(count: count)) }
                if runner.wants(suite: name, workload: download) { runner.run(downloads(count: count)) }
                if runner.wants(suite: name, workload: upload) { runner.run(uploads(count: count)) }
                if count == 10_000, runner.wants(suite: name, workload: flight) {
                    runner.run(FlightSize.line(count: 20_000))
                }
            }
        }
    }

    static let targets: [Target] =
        [
            .grows(atMost: 1.5, cycle, in: changes, from: 10_000, to: 1_000_000),
            .grows(atMost: 1.5, Tally.deviceStatements, of: cycle, in: changes, from: 10_000, to: 1_000_000),
            .grows(atMost: 1.5, Tally.serviceStatements, of: cycle, in: changes, from: 10_000, to: 1_000_000),
            .grows(atMost: 1.5, Tally.bytes, of: cycle, in: changes, from: 10_000, to: 1_000_000),
            .grows(atMost: 1.5, cycle, in: poll, from: 10_000, to: 1_000_000),
            .grows(atMost: 1, Tally.deviceStatements, of: cycle, in: poll, from: 10_000, to: 1_000_000),
            .grows(atMost: 1, Tally.serviceStatements, of: cycle, in: poll, from: 10_000, to: 1_000_000),
        ]
        + [10_000, 1_000_000].map { .atMost(1, Tally.bytesByAllowed, of: cycle, in: changes, count: $0) }
        + [
            .atMost(1, Tally.rowsPerDevice, of: service, in: devices, count: 10_000),
            .atMost(1.5, times: importer, "first download", in: download, count: 100_000),
            .peakMemory(
                atMost: 64_000_000, beyondCachesOf: caches, "first download", in: download, count: 100_000),
            .atMost(2, times: changeSets, "upload", in: upload, count: 100_000),
            .peakMemory(atMost: 64_000_000, beyondCachesOf: caches, "upload", in: upload, count: 100_000),
            .atMost(1.1, times: "without a push", "push in flight", in: flight, count: 20_000),
        ]

    /// The sizes of the caches of the device's and the service's connection, in bytes.
    private static let caches = 2.0 * 1_024 * Double(SQLiteAdapter.Options().cacheSize)

    static let cycle = "whole-store cycle"
    static let service = "handshake and pull at the service"
    static let importer = "EntitySync's import"
    /// The store of a service keeps a history, so this is the lower bound of its upload.
    static let changeSets = "change sets at both ends"
    static let changeSetsWithoutHistory = "the same, without a history"
}
