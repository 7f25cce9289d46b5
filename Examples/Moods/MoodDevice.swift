import ExampleSupport
import Foundation
import SQLitePersistence
import StoreSync
import SyncCoordination

/// The folder of the devices' files, and of the objects that they synchronize over.
struct MoodFolder {
    let path: String

    init(_ path: String) { self.path = path }

    /// Returns the path of a device's file.
    func file(of device: String) -> String { "\(path)/\(device).sqlite" }

    /// The path of the recorded timeline of all devices.
    var timeline: String { "\(path)/timeline.jsonl" }

    /// Adds an event to the timeline.
    ///
    /// A recording that cannot be written stops no device.
    func record(_ event: TimelineEvent) {
        guard let line = try? event.line, let file = fopen(timeline, "a") else { return }
        // One call, so that the lines of two terminals do not mix.
        line.withUnsafeBytes { _ = fwrite($0.baseAddress, 1, $0.count, file) }
        fclose(file)
    }

    /// Returns the remote: a folder of objects, without a server.
    func remote(makeName: @escaping @Sendable () -> String) throws -> ObjectRemote {
        // Small messages, so that a long note is refused.
        ObjectRemote(
            try FolderObjects(path: "\(path)/remote"), account: "moods", limits: SyncLimits(bytes: 10_000),
            makeName: makeName)
    }
}

/// One device: its store in a file of its own, and the way to the remote.
struct MoodDevice {
    let name: String
    let store: SQLiteAdapter
    private let folder: MoodFolder
    private let remote: ObjectRemote
    private let makeName: @Sendable () -> String

    init(_ name: String, in folder: MoodFolder, makeName: @escaping @Sendable () -> String) async throws {
        (self.name, self.folder, self.makeName) = (name, folder, makeName)
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        remote = try folder.remote(makeName: makeName)
        store = try await SQLiteAdapter.open(at: folder.file(of: name), schema: .ofMoods())
    }

    func close() async { await store.close() }

    /// The number of all records, and a digest of their contents.
    var fingerprint: StoreFingerprint? {
        get async throws { try await store.read { try $0.fingerprint() } }
    }
}

extension MoodDevice {
    /// Adds a mood, with its country and continent if they are missing.
    ///
    /// - Returns: The id of the mood, which has the name of the device and the number of the store's commit, or the
    ///   next one that is free.
    @discardableResult
    func add(_ feeling: String, in code: String, note: String? = nil) async throws -> String {
        guard let country = Country.all.first(where: { $0.code == code }) else {
            let codes = Country.all.map(\.code).joined(separator: " ")
            throw MoodsError("there is no country '\(code)': it is one of \(codes)")
        }
        let id = try await store.write { [name] transaction in
            var changes = ChangeSet()
            func addIfMissing(_ entity: String, _ values: [String: Value]) throws {
                let record = try Record(entity, in: transaction.schema, values)
                if try transaction.record(record.id) == nil { changes.put(record) }
            }
            let continent = country.continent
            var number = try transaction.sequence + 1
            // A new file counts from 1, and may have received the moods of a former one.
            while try transaction.record(RecordID("Mood", .string("\(name)-\(number)"))) != nil { number += 1 }
            let id = "\(name)-\(number)"
            try addIfMissing("Continent", ["code": .string(continent.code), "name": .string(continent.name)])
            try addIfMissing(
                "Country", ["code": .string(code), "name": .string(country.name), "continent": .string(continent.code)])
            try addIfMissing(
                "Mood",
                [
                    "id": .string(id), "feeling": .string(feeling), "note": note.map(Value.string) ?? .null,
                    "country": .string(code),
                ])
            try transaction.apply(changes)
            return id
        }.result
        record("adds \(id)")
        return id
    }

    /// Changes the feeling or the note of a mood; nil keeps either.
    func edit(_ id: String, feeling: String? = nil, note: String? = nil) async throws {
        let mood = RecordID("Mood", .string(id))
        let values = ["feeling": feeling, "note": note].compactMapValues { $0.map(Value.string) }
        try await store.write { transaction in
            if try transaction.record(mood) == nil { throw MoodsError("there is no mood '\(id)': 'list' shows all") }
            var changes = ChangeSet()
            changes.update(mood, values)
            try transaction.apply(changes)
        }
        record("edits \(id)")
    }

    /// Deletes a mood, or a country with its moods.
    ///
    /// - Returns: What was deleted.
    @discardableResult
    func delete(_ id: String) async throws -> RecordID {
        let deleted = try await store.write { transaction in
            for id in [RecordID("Mood", .string(id)), RecordID("Country", .string(id))] {
                if try transaction.record(id) == nil { continue }
                var changes = ChangeSet()
                changes.delete(id)
                try transaction.apply(changes)
                return id
            }
            throw MoodsError("there is no mood or country '\(id)': 'list' shows all")
        }.result
        record("deletes \(deleted)")
        return deleted
    }

    /// Resolves the open conflict of a record.
    func resolve(_ id: String, with resolution: Resolution<Record>) async throws {
        guard let conflict = try await store.openConflicts.first(where: { $0.id.key == .string(id) }) else {
            throw MoodsError("'\(id)' has no conflict: 'conflicts' shows the open ones")
        }
        try await store.resolve(conflict, with: resolution)
        record("resolves \(conflict.id)")
    }

    /// Records what the device does by itself.
    private func record(_ text: String) { folder.record(TimelineEvent(name, .note, text)) }

    /// Synchronizes with the remote, and shows each message and what is left.
    @discardableResult
    func synchronize(write: @escaping @Sendable (String) -> Void) async throws -> StoreOutcome {
        write("   \(name) synchronizes")
        let outcome = try await store.synchronize(
            with: TracedRemote(
                remote: remote, device: name, write: { write("     \($0)") }, record: { [folder] in folder.record($0) }),
            makeName: makeName)
        for conflict in outcome.conflicts where conflict.isOpen {
            for line in try await lines(of: conflict) { write("     \(line)") }
        }
        for refused in outcome.refused { write("     ✗ \(refused.id) is refused: \(refused.reason)") }
        for id in outcome.waiting { write("     … \(id) waits for another record") }
        record(
            outcome.isSynced
                ? "in step with the remote"
                : "\(outcome.conflicts.count(where: \.isOpen)) open conflicts, \(outcome.refused.count) refused")
        if let failure = outcome.failure { throw MoodsError("the remote did not answer: \(failure)") }
        if outcome.isSynced { write("     ✓ in step with the remote") }
        return outcome
    }
}

extension MoodDevice {
    /// Synchronizes by itself until the task is cancelled: after edits, those of other terminals too, and when others
    /// may have changed something.
    ///
    /// - Parameters:
    ///   - quiet: How long further edits are waited for.
    ///   - ticks: Says when another terminal may have edited the store; nil for each second.
    ///   - clock: Measures delays.
    ///   - write: Called with each line to show.
    func watch(
        quiet: Duration = .milliseconds(300), ticks: AsyncStream<Void>? = nil,
        clock: any Clock<Duration> = ContinuousClock(), write: @Sendable (String) -> Void
    ) async {
        var settings = CoordinatorSettings()
        settings.quiet = quiet
        // A folder tells nobody of a change.
        settings.pollInterval = .seconds(2)
        let coordinator = SyncCoordinator(
            of: store, with: remote, settings: settings,
            wakeUps: { ticks ?? AsyncStream { (try? await clock.sleep(for: .seconds(1))).map { _ in } } }, clock: clock,
            makeName: makeName)
        let events = await coordinator.events()
        await coordinator.start()
        for await event in events {
            guard let text = event.movement else { continue }
            write("   \(name): \(text)")
            record(text)
        }
        await coordinator.stop()
    }
}

extension SyncEvent {
    /// The event in words; nil if nothing has moved.
    fileprivate var movement: String? {
        switch self {
        case .cycleBegan: return nil
        case .cycleEnded(let outcome):
            let counts = [
                (outcome.pushedCount, "sent"), (outcome.pulledCount, "received"),
                (outcome.conflicts.count(where: \.isOpen), "in conflict"), (outcome.refused.count, "refused"),
            ]
            let texts = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
            return texts.isEmpty ? nil : texts.joined(separator: ", ")
        default: return description
        }
    }
}

extension MoodDevice {
    /// The records as a tree: continents, their countries, and the moods in them.
    func lines() async throws -> [String] {
        try await store.read { transaction in
            var lines: [String] = []
            func add(_ records: [Record], _ indentation: String, _ children: (Record) throws -> Void = { _ in }) throws
            {
                for record in records {
                    lines.append(indentation + record.line)
                    try children(record)
                }
            }
            func related(_ record: Record, _ name: String) throws -> [Record] {
                try transaction.relatedRecords(record.id, name).sorted { $0.id.description < $1.id.description }
            }
            try add(transaction.records(Query("Continent", sort: [Query.SortKey("code")])), "") { continent in
                try add(related(continent, "countries"), "  ") { country in
                    try add(related(country, "moods"), "    ")
                }
            }
            return lines
        }
    }
}

extension MoodDevice {
    /// An open conflict for a person: the record, and the versions of both sides.
    ///
    /// A country that the other side has deleted would take its moods along, so they are named.
    func lines(of conflict: StoreConflict) async throws -> [String] {
        let versions = conflict.versions
        let isNeeded = versions.base != nil && versions.base == versions.local && versions.remote == nil
        let reason = isNeeded ? "deleted there, and needed here" : "changed on both sides"
        var theirs = versions.remote?.line ?? "deleted"
        if versions.remote == nil, conflict.id.entity == "Country" {
            let records = try await store.read { try $0.relatedRecords(conflict.id, "moods") }
            let moods = records.map(\.id.description).sorted()
            if !moods.isEmpty { theirs += ", with \(moods.joined(separator: ", "))" }
        }
        let mine = versions.local?.line ?? "deleted"
        return ["! \(conflict.id): \(reason)", "    mine:   \(mine)", "    theirs: \(theirs)"]
    }
}
