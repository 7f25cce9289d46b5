import Foundation
import SQLitePersistence
import StoreSync
import SyncPersistence
import TestSupport

// A service or a device over a file. Both exchange messages through the standard input and output, and can be killed
// and started again at any time. Both change their stores all the time; a device told to settle only synchronizes.
//
// usage: sync-client service FILE SEED
//        sync-client device FILE SEED
//        sync-client settle FILE SEED

signal(SIGPIPE, SIG_IGN)
let arguments = CommandLine.arguments
guard arguments.count == 4, let seed = UInt64(arguments[3]) else {
    FileHandle.standardError.write(Data("usage: sync-client service|device|settle FILE SEED\n".utf8))
    exit(2)
}
let store = try await SQLiteAdapter.open(at: arguments[2], schema: Ledger.schema)
switch arguments[1] {
case "service": try await serve(store, Ledger(of: "service", seed: seed))
case "settle": try await settle(store)
default: try await work(store, Ledger(of: "device", seed: seed))
}

/// Answers requests until the input ends.
func serve(_ store: SQLiteAdapter, _ ledger: Ledger) async throws {
    let service = SyncService(
        store, account: "ann", limits: SyncLimits(pageRecords: 3, pushRecords: 2))
    while let (kind, data) = MessagePipe.read() {
        switch kind {
        case .handshake: MessagePipe.write(kind, try await service.handshake(HandshakeRequest(data: data)).data)
        case .pull: MessagePipe.write(kind, try await service.pull(PullRequest(data: data)).data)
        case .push: MessagePipe.write(kind, try await service.push(PushRequest(data: data)).data)
        case .edit:
            _ = try await store.write { try ledger.change($0) }
            MessagePipe.write(kind, Data())
        }
    }
}

/// Changes the store and synchronizes it, until the service has ended.
///
/// Each change is reported by a line of the error output once it is stored.
func work(_ store: SQLiteAdapter, _ ledger: Ledger) async throws {
    while true {
        for _ in 1...3 {
            let number = try await store.write { try ledger.change($0) }.result
            FileHandle.standardError.write(Data("\(number)\n".utf8))
        }
        if MessagePipe.send(.edit, Data()) == nil { return }
        let outcome = try await store.synchronize(with: PipeRemote(), policies: SyncPolicies(.localWins))
        if outcome.failure != nil { return }
    }
}

/// Synchronizes the store until everything has arrived.
func settle(_ store: SQLiteAdapter) async throws {
    for _ in 1...5 {
        let outcome = try await store.synchronize(with: PipeRemote(), policies: SyncPolicies(.localWins))
        if outcome.isSynced && outcome.pulledCount == 0 && outcome.pushedCount == 0 {
            return FileHandle.standardError.write(Data("settled\n".utf8))
        }
    }
}
