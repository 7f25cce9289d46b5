import DifferentialSync
import SQLitePersistence
import StoreSync
import TestSupport
import Testing

/// Devices and a service over SQLite files.
@Suite struct FileTests {
    @Test func devicesContinueAfterTheirFilesWereClosed() async throws {
        let folder = TemporaryFolder()
        func open(_ name: String) async throws -> SQLiteAdapter {
            try await SQLiteAdapter.open(at: folder.file(name), schema: Planner.schema())
        }
        let server = try await open("server.db")
        let service = SyncService(server, account: "ada", makeName: Planner.names("epoch"))
        var (phone, laptop) = (try await open("phone.db"), try await open("laptop.db"))
        for round in 1...3 {
            try await Device("phone", phone).edit { changes, schema in
                let id = Value.integer(Int64(round))
                try changes.put(Record("Project", in: schema, ["id": id, "name": "project"]))
                try changes.put(Record("Task", in: schema, ["id": id, "title": "task", "project": id]))
                try changes.put(Record("Tag", in: schema, ["id": id]))
                changes.link(RecordID("Task", id), "tags", to: id)
            }
            #expect(try await Device("phone \(round)", phone).sync(with: service).isSynced)
            #expect(try await Device("laptop \(round)", laptop).sync(with: service).isSynced)
            await phone.close()
            await laptop.close()
            (phone, laptop) = (try await open("phone.db"), try await open("laptop.db"))
        }
        try await expectEqualContents(of: [phone, laptop, server])
        #expect(try await phone.read { try $0.fingerprint() }?.count == 12)
    }
}
