import DifferentialSyncTesting
import StoreSync
import TestSupport
import Testing

/// A service that forgets old deletions while a device downloads.
@Suite struct MovingHorizonTests {
    /// A remote whose other devices delete a tag and add another before each page, and which then forgets all
    /// deletions but the last few.
    private struct BusyRemote: ForwardingRemote {
        let base: SyncService
        let editor: Device
        let count = Locked<Int64>(0)

        func pull(_ request: PullRequest) async throws -> PullResponse {
            let number = count.next()
            if number <= 8 {
                try await editor.edit { changes, schema in
                    changes.delete(RecordID("Tag", .integer(number)))
                    try changes.put(Record("Tag", in: schema, ["id": .integer(100 + number)]))
                }
                let end = try await editor.sync(with: base).known
                try await base.prune(through: (end?.sequence ?? 0) - 4)
            }
            return try await base.pull(request)
        }
    }

    @Test(arguments: [true, false]) func aDownloadEndsWithoutBeginningAgain(isNew: Bool) async throws {
        let (server, _) = try Planner.service()
        let service = SyncService(
            server, account: "ada", limits: SyncLimits(pageRecords: 2), makeName: Planner.names("epoch"))
        let (editor, phone) = (try Device("editor"), try Device("phone"))
        try await editor.edit { changes, schema in
            for id in 1...20 as ClosedRange<Int64> {
                try changes.put(Record("Tag", in: schema, ["id": .integer(id)]))
            }
        }
        try await editor.sync(with: service)
        if !isNew {
            try await phone.sync(with: service)
            // The device was away for too long.
            try await editor.edit { changes, _ in changes.delete(RecordID("Tag", 20)) }
            try await editor.sync(with: service)
            try await service.prune(through: .max)
        }
        let remote = BusyRemote(base: service, editor: editor)
        let outcome = try await phone.sync(with: remote)
        #expect(outcome.isSynced && outcome.trace.events.count <= 20, "\(outcome.trace)")
        let tags = try await server.read { try $0.keys(of: "Tag") }
        #expect(try await phone.store.read { try $0.keys(of: "Tag") } == tags)
    }
}
