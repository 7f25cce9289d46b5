import DifferentialSyncTesting
import SyncPersistence

/// Where the stores of the tour come from, and how they are closed.
struct Stores {
    /// Opens the store of a name, or makes it.
    let open: (String) async throws -> any PersistenceAdapter

    /// Closes a store that was opened.
    let close: (any PersistenceAdapter) async -> Void
}

/// One device: its notes, in a store of its own.
struct Notebook {
    let name: String
    private(set) var notes: PersistentCollection<Note, String>
    private let stores: Stores

    init(_ name: String, in stores: Stores) async throws {
        self.name = name
        self.stores = stores
        notes = try await stores.open(name).collection(of: Note.self, entity: "Note")
    }

    /// The program ends, and starts again: nothing is left but what is stored.
    mutating func restart() async throws {
        await stores.close(notes.store)
        notes = try await stores.open(name).collection(of: Note.self, entity: "Note")
    }

    func close() async { await stores.close(notes.store) }

    /// A name for the next push that no other one has: the device's, and the number of its store's last commit.
    var pushID: String {
        get async throws { "\(name), commit \(try await notes.store.read { try $0.sequence })" }
    }
}

/// The way to the remote, which shows each message and can lose an answer.
struct Line {
    let remote: StoredRemote<Note, String>
    let write: @Sendable (String) -> Void
    var losesAnswerToPush = false

    func synchronize(_ notebook: Notebook, policy: ConflictPolicy<Note> = Note.policy) async throws {
        let faulty = FaultyRemote(remote) { [write, losesAnswerToPush] request in
            switch request {
            case .status(let id): write("     → have you taken '\(id)'?")
            case .pull(let version): write("     → what is new\(version.map { " since '\($0.commit)'" } ?? "")?")
            case .push(let push): write("     → push '\(push.id)': \(push.changes.counts)")
            }
            if case .push = request, losesAnswerToPush { return .answerLost }
            return .delivered
        }
        write("   \(notebook.name) synchronizes")
        do {
            let outcome = try await notebook.notes.synchronize(
                with: faulty, pushID: notebook.pushID, policy: policy)
            if outcome.isSynced { write("     \(outcome.counts)") }
            for conflict in try await notebook.notes.conflicts {
                write("     ! left open: \((conflict.local ?? conflict.remote)?.id ?? ""), \(conflict.kind)")
            }
        } catch let error as LostMessage {
            write("     ✗ \(error)")
        }
    }
}
