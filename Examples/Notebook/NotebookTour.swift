import DifferentialSyncTesting
import SyncPersistence

/// A phone and a tablet share notes through a remote; each of the three keeps what it knows in a store of its own.
struct NotebookTour {
    private var phone: Notebook
    private var tablet: Notebook
    private var line: Line
    private let remoteStore: any PersistenceAdapter
    private let stores: Stores
    private let write: @Sendable (String) -> Void

    init(_ stores: Stores, write: @escaping @Sendable (String) -> Void) async throws {
        self.stores = stores
        self.write = write
        phone = try await Notebook("phone", in: stores)
        tablet = try await Notebook("tablet", in: stores)
        remoteStore = try await stores.open("remote")
        line = Line(remote: try await StoredRemote(remoteStore.collection(of: Note.self, entity: "Note")), write: write)
    }
}

extension NotebookTour {
    /// Runs the tour.
    ///
    /// - Returns: Whether phone, tablet and remote agree at the end.
    mutating func run() async throws -> Bool {
        write("Two devices and a remote, each with a file of its own")
        try await firstContact()
        try await offlineEdits()
        try await lostAnswer()
        try await openConflict()
        let agree = try await check()
        await phone.close()
        await tablet.close()
        await stores.close(remoteStore)
        return agree
    }

    private func step(_ number: Int, _ title: String) {
        write("")
        write("\(number)  \(title)")
    }

    private func show(_ notebook: Notebook) async throws {
        write("   \(notebook.name):")
        for note in try await notebook.notes.elements() { write("     \(note)") }
    }

    private func firstContact() async throws {
        step(1, "First contact: both have notes, and the remote has nothing")
        try await phone.notes.upsert(contentsOf: [
            Note(id: "milk", text: "2 litres"), Note(id: "rent", text: "before Friday"),
        ])
        try await tablet.notes.insert(Note(id: "library", text: "return the books"))
        for notebook in [phone, tablet, phone] { try await line.synchronize(notebook) }
        try await show(phone)
    }

    private func offlineEdits() async throws {
        step(2, "Both are edited offline, one note by both: its fields are merged")
        try await phone.notes.edit("milk") { $0.text = "3 litres" }
        try await tablet.notes.edit("milk") { $0.isDone = true }
        try await tablet.notes.remove("library")
        for notebook in [phone, tablet, phone] { try await line.synchronize(notebook) }
        try await show(phone)
    }

    private mutating func lostAnswer() async throws {
        step(3, "The answer to a push is lost, and the phone is switched off; the tablet deletes what it had added")
        try await phone.notes.insert(Note(id: "plumber", text: "call him"))
        line.losesAnswerToPush = true
        try await line.synchronize(phone)
        line.losesAnswerToPush = false
        try await phone.restart()
        write("   the phone starts again: a push in doubt is \((try await phone.notes.pendingPush)?.id ?? "none")")
        try await line.synchronize(tablet)
        try await tablet.notes.remove("plumber")
        try await line.synchronize(tablet)
        write("   the phone asks first, then goes on and learns of the deletion")
        try await line.synchronize(phone)
        try await show(phone)
    }

    private mutating func openConflict() async throws {
        step(4, "The phone edits what the tablet deletes: the conflict stays open over a restart, until it is settled")
        try await phone.notes.edit("rent") { $0.text = "before Thursday" }
        try await tablet.notes.remove("rent")
        try await line.synchronize(tablet)
        try await line.synchronize(phone)
        try await phone.restart()
        write("   the phone starts again: \(try await phone.notes.conflicts.count) conflict is open")
        try await line.synchronize(phone, policy: .localWins)
        try await line.synchronize(tablet)
    }

    private func check() async throws -> Bool {
        write("")
        let all = try await remoteStore.collection(of: Note.self, entity: "Note").elements().sorted { $0.id < $1.id }
        for notebook in [phone, tablet] {
            if try await notebook.notes.elements().sorted(by: { $0.id < $1.id }) == all { continue }
            write("✗ \(notebook.name) and remote do not agree")
            return false
        }
        write("✓ phone, tablet and remote agree: \(all.count) notes")
        for note in all { write("     \(note)") }
        return true
    }
}
