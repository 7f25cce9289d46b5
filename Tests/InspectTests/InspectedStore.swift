import DifferentialSyncTesting
import ExampleSupport
import Foundation
import SQLitePersistence
import StoreSync
import SyncCoordination
import TestSupport

@testable import inspect

/// A store in a file, whose synchronization the tests stop at different places.
struct InspectedStore {
    static let schema = try! Schema {
        Entity("Folder") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("name", .string)
            Relationship("notes", toMany: "Note", inverse: "folder", deleteRule: .cascade)
        }
        Entity("Note") {
            Attribute("id", .string, isPrimaryKey: true)
            Attribute("text", .string)
            Relationship("folder", to: "Folder", inverse: "notes")
        }
    }

    let files = TemporaryFolder()
    private let server = InMemoryAdapter(schema: schema)
    private let makeName = countedNames("name")

    /// The path of the file.
    var path: String { files.file("phone.sqlite") }

    /// Opens the file, runs a body, and closes the file.
    func open(_ body: (SQLiteAdapter) async throws -> Void) async throws {
        let store = try await SQLiteAdapter.open(at: path, schema: Self.schema)
        try await body(store)
        await store.close()
    }

    /// Changes the note of a key in a store.
    func write(_ text: String, to key: String, in store: some PersistenceAdapter) async throws {
        var changes = ChangeSet()
        try changes.put(Record("Note", in: Self.schema, ["id": .string(key), "text": .string(text)]))
        try await store.commit(changes)
    }

    /// Synchronizes a store with a service that refuses empty texts.
    func synchronize(_ store: some PersistenceAdapter) async throws {
        try await store.synchronize(with: service, makeName: makeName)
    }

    /// Synchronizes a store as ``synchronize(_:)`` does, by a coordinator at a given time.
    func coordinate(_ store: some PersistenceAdapter, at date: Date) async {
        _ = await SyncCoordinator(
            of: store, with: service, clock: VirtualClock(), date: { date }, makeName: makeName
        ).syncOnce(within: .seconds(300))
    }

    /// Sends the changes of a store without ever receiving the response.
    func loseResponse(to store: some PersistenceAdapter) async throws {
        try await store.synchronize(with: LosingRemote(base: service), makeName: makeName)
    }

    private var service: SyncService {
        let review = Review { change, _ in
            change.new?["text"] == "" ? .refuse(code: "empty", reason: "write <something>") : .accept
        }
        return SyncService(server, account: "ada", review: review, makeName: makeName)
    }

    /// Runs the program.
    static func inspect(_ words: String...) async -> (exitCode: Int32, output: [String], errors: [String]) {
        await inspect(words)
    }

    /// Runs the program.
    static func inspect(_ words: [String]) async -> (exitCode: Int32, output: [String], errors: [String]) {
        let (output, errors) = (Locked<[String]>([]), Locked<[String]>([]))
        let program = Program(
            output: ProgramOutput(
                write: { line in output.withLock { $0.append(line) } },
                writeError: { line in errors.withLock { $0.append(line) } }))
        let exitCode = await program.run(words)
        return (exitCode, output.withLock { $0 }, errors.withLock { $0 })
    }
}

/// A remote whose responses to pushes get lost.
private struct LosingRemote: ForwardingRemote {
    let base: SyncService

    func push(_ request: PushRequest) async throws -> PushResponse {
        _ = try await base.push(request)
        throw RemoteError.later()
    }
}
