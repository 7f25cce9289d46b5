import DifferentialSync
import DifferentialSyncTesting
import SQLitePersistence
import SyncPersistence

/// The files that a killed program has left.
struct StoredWorld {
    private let folder: String
    private let stores: [String: SQLiteAdapter]
    private let remote: StoredRemote<Note, String>
    private let remoteNotes: PersistentCollection<Note, String>

    init(_ folder: String) async throws {
        var stores: [String: SQLiteAdapter] = [:]
        for name in ["a", "b", "remote"] {
            stores[name] = try await SQLiteAdapter.open(at: "\(folder)/\(name).sqlite", schema: Schema([]))
        }
        self.folder = folder
        self.stores = stores
        remoteNotes = try await stores["remote"]!.collection(of: Note.self, entity: "Note")
        remote = try await StoredRemote(remoteNotes)
    }

    func close() async {
        for store in stores.values { await store.close() }
    }

    /// What is wrong with the files, or with what is in them.
    func faults(_ expected: inout ExpectedNotes) async throws -> [String] {
        var faults: [String] = []
        for name in stores.keys {
            let check = try OtherProgram("\(folder)/\(name).sqlite").texts("PRAGMA integrity_check")
            if check != ["ok"] { faults += check.map { "\(name): \($0)" } }
        }
        for name in ["a", "b"] {
            let notes: PersistentCollection<Note, String> = try await stores[name]!.collection(
                of: Note.self, entity: "Note")
            let snapshot = try await notes.snapshot()
            // Client, shadow, what is unresolved and a push under way fit together, or this throws.
            let collection = try JournaledCollection(restoring: snapshot)
            if try await notes.localDiff?.counts != collection.localDiff?.counts {
                faults.append("\(name): the journal is not the difference of client and shadow")
            }
            faults += expected.faults(on: name, snapshot.client)
            if let version = snapshot.version, try await remote.version == version {
                let elements = Array(try await remoteNotes.elements())
                if keyed(snapshot.shadow) != keyed(elements) {
                    faults.append("\(name): the shadow of version \(version.commit) is not what the remote has")
                }
            }
        }
        return faults
    }

    /// Where devices and remote are not what was done.
    func disagreements(_ expected: inout ExpectedNotes) async throws -> [String] {
        var faults = try await faults(&expected)
        faults += expected.sharedFaults(Array(try await remoteNotes.elements()))
        let elements = keyed(Array(try await remoteNotes.elements()))
        for name in ["a", "b"] {
            let notes: PersistentCollection<Note, String> = try await stores[name]!.collection(
                of: Note.self, entity: "Note")
            if keyed(Array(try await notes.elements())) != elements { faults.append("\(name) and the remote differ") }
            if try await notes.localDiff != nil { faults.append("\(name) has something left to push") }
        }
        return faults
    }

    private func keyed(_ notes: [Note]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: notes.map { ($0.id, $0.text) })
    }
}
