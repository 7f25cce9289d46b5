import Foundation
import SQLitePersistence
import SyncCoordination
import SyncPersistence
import TestSupport

// A program that changes a store over a file, while a coordinator synchronizes that with a folder. Several processes
// can have one file, and each can be killed and started again at any time.
//
// A line of the output is the number of a stored change, or an event of the coordinator.
//
// usage: coordinator-client FILE FOLDER END SEED

let arguments = CommandLine.arguments
guard arguments.count == 5, let seed = UInt64(arguments[4]) else {
    FileHandle.standardError.write(Data("usage: coordinator-client FILE FOLDER END SEED\n".utf8))
    exit(2)
}

/// Writes a line of the output at once.
@Sendable func report(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

let store = try await SQLiteAdapter.open(at: arguments[1], schema: Ledger.schema)
let remote = ObjectRemote(
    try FolderObjects(path: arguments[2]), account: "ann", limits: SyncLimits(pageRecords: 3, pushRecords: 2),
    maximumSegments: 16)
var settings = CoordinatorSettings()
settings.quiet = .milliseconds(5)
settings.longestQuiet = .milliseconds(20)
settings.retries = RetrySchedule(first: .milliseconds(20), longest: .milliseconds(200))
settings.busyRetries = RetrySchedule(first: .milliseconds(20), longest: .milliseconds(200))
settings.pollInterval = .seconds(1)
let coordinator = SyncCoordinator(
    of: store, with: remote, policies: SyncPolicies(.localWins), settings: settings, log: { report($0) })
let ledger = Ledger(of: arguments[3], seed: seed)
await coordinator.start()
while true {
    for _ in 1...3 { report("\(try await store.write { try ledger.change($0) }.result)") }
    await coordinator.syncNow()
    await coordinator.waitUntilIdle()
}
