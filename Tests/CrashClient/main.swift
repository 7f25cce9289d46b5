import DifferentialSync
import DifferentialSyncTesting
import Foundation
import SQLitePersistence
import SyncPersistence

// Edits and synchronizes two devices without end, until it is killed; or, told to settle, synchronizes them until they
// agree. What it is about to do, and what it has done, it tells line by line.
//
// Told to transfer, it moves amounts between accounts by four tasks, beside another process that does the same.
//
// usage: crash-client FOLDER RUN SEED [settle | transfer]

let arguments = CommandLine.arguments
guard arguments.count >= 4, let run = Int(arguments[2]), let seed = UInt64(arguments[3]) else {
    tell("usage: crash-client FOLDER RUN SEED [settle | transfer]")
    exit(2)
}
if arguments.dropFirst(4).first == "transfer" {
    let store = try await SQLiteAdapter.open(at: "\(arguments[1])/accounts.sqlite", schema: Transfers.schema)
    tell("opened")
    let wrong = try await Transfers(store: store).run(tasks: ["e", "f", "g", "h"], count: run, seed: seed)
    tell("wrong sums: \(wrong)")
    exit(0)
}
let world = try await World(folder: arguments[1], run: run)
if arguments.dropFirst(4).first == "settle" {
    try await world.settle()
    tell("settled")
} else {
    try await world.actUntilKilled(seed: seed)
}

/// Two devices and their remote, each in a file of its own.
struct World {
    let devices: [Device]
    let remote: StoredRemote<Note, String>
    let run: Int

    init(folder: String, run: Int) async throws {
        let server = try await open("\(folder)/remote.sqlite")
        remote = try await StoredRemote(server.collection(of: Note.self, entity: "Note"))
        devices = try await [
            Device(name: "a", notes: open("\(folder)/a.sqlite").collection(of: Note.self, entity: "Note")),
            Device(name: "b", notes: open("\(folder)/b.sqlite").collection(of: Note.self, entity: "Note")),
        ]
        self.run = run
    }

    func actUntilKilled(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        while true { try await act(using: &generator) }
    }

    /// One edit or one cycle of one device.
    private func act(using generator: inout SeededGenerator) async throws {
        let device = devices[Int.random(in: 0..<2, using: &generator)]
        let number = UInt32.random(in: 0...UInt32.max, using: &generator)
        // Of the notes that a device alone edits, what is to be there is known without asking about conflicts.
        let own = try await device.notes.elements().filter { $0.id.hasPrefix(device.name) }
        // A few notes are edited by both.
        let shared = "s\(number % 4)"
        switch Int.random(in: 0..<14, using: &generator) {
        case 0..<3:
            try await synchronize(device, "\(run).\(number)")
        case 3..<5 where !own.isEmpty:
            try await remove(own[Int.random(in: own.indices, using: &generator)].id, on: device)
        case 10..<13:
            try await put(Note(id: shared, text: "\(run).\(number)"), on: device)
        case 13:
            try await remove(shared, on: device)
        case 5..<8 where !own.isEmpty:
            let note = own[Int.random(in: own.indices, using: &generator)]
            try await put(Note(id: note.id, text: "\(run).\(number)"), on: device)
        default:
            try await put(Note(id: "\(device.name)\(run).\(number)", text: "\(number)"), on: device)
        }
    }

    private func put(_ note: Note, on device: Device) async throws {
        tell("try put \(device.name) \(note.id) \(note.text)")
        _ = try await device.notes.upsert(note)
        tell("done")
    }

    private func remove(_ id: String, on device: Device) async throws {
        tell("try remove \(device.name) \(id)")
        _ = try await device.notes.remove(id)
        tell("done")
    }

    private func synchronize(_ device: Device, _ name: String) async throws {
        tell("sync \(device.name)")
        try await device.notes.synchronize(with: remote, pushID: "\(device.name).\(name)", policy: .localWins)
        tell("synced \(device.name)")
    }

    /// Synchronizes until nothing is left to be.
    func settle() async throws {
        for round in 0..<3 {
            for device in devices { try await synchronize(device, "settling.\(run).\(round)") }
        }
    }
}

/// One device.
struct Device {
    let name: String
    let notes: PersistentCollection<Note, String>
}

/// What the devices keep.
struct Note: Codable, Identifiable, Equatable, Sendable {
    let id: String
    var text: String
}

func open(_ path: String) async throws -> SQLiteAdapter {
    var options = SQLiteAdapter.Options()
    // A killed process takes no commit with it in either case, and this one is killed hundreds of times.
    options.isDurable = false
    return try await SQLiteAdapter.open(at: path, schema: Schema([]), options: options)
}

func tell(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}
