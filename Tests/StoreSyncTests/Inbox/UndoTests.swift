import DifferentialSync
import StoreSync
import Testing

/// Resolutions of conflicts that are taken back.
@Suite struct UndoTests: PlannerSuite {
    let shared: SharedPlanner

    init() throws { shared = try SharedPlanner() }

    private func syncAll() async throws {
        for device in [phone, laptop, phone] { try await device.sync(with: service) }
    }

    /// Both devices have a project with two tasks.
    private func share() async throws {
        try await phone.edit { changes, schema in
            try changes.put(Record("Project", in: schema, ["id": 1, "name": "garden"]))
            for id in [Value.integer(1), 2] {
                try changes.put(Record("Task", in: schema, ["id": id, "title": "dig", "project": 1]))
            }
            try changes.put(Record("Tag", in: schema, ["id": 1, "name": "spring"]))
            changes.link(RecordID("Task", 1), "tags", to: 1)
        }
        try await syncAll()
    }

    /// The conflict of two titles of a task, on the laptop.
    private func conflictOfTitles() async throws -> StoreConflict {
        try await share()
        try await phone.edit { changes, _ in changes.update(RecordID("Task", 1), ["title": "dig deep"]) }
        try await laptop.edit { changes, _ in
            changes.update(RecordID("Task", 1), ["title": "dig wide", "isDone": true])
        }
        try await syncAll()
        return try #require(try await laptop.store.openConflicts.first)
    }

    /// Everything that the laptop stores.
    private func state() async throws -> (StoreSyncState, StoreFingerprint?) {
        (try await laptop.store.syncState, try await laptop.store.read { try $0.fingerprint() })
    }

    /// Resolves a conflict and takes that back, which must leave no trace.
    private func checkUndo(of conflict: StoreConflict, _ location: SourceLocation = #_sourceLocation) async throws {
        let before = try await state()
        let merged = conflict.versions.local ?? conflict.versions.remote ?? conflict.versions.base
        let resolutions: [Resolution<Record>] = [
            .local, .remote, .base, .delete, .open, .merged(try #require(merged)),
        ]
        for resolution in resolutions {
            let resolved = try await laptop.store.resolve(conflict, with: resolution)
            #expect(resolved.conflict == conflict, sourceLocation: location)
            let isOpen = try await laptop.store.openConflicts.contains(conflict)
            #expect(isOpen == (resolution == .open), "\(resolution)", sourceLocation: location)
            try await laptop.store.undo(resolved)
            #expect(try await state() == before, "\(resolution)", sourceLocation: location)
        }
        // The conflict is still one that can be resolved and sent.
        try await laptop.sync(with: service)
        #expect(try await laptop.store.openConflicts == [conflict], sourceLocation: location)
        try await laptop.store.resolve(conflict, with: .local)
        #expect(try await laptop.sync(with: service).isSynced, sourceLocation: location)
        try await phone.sync(with: service)
        let known = try await phone.store.read { try $0.fingerprint() }
        #expect(try await state().1 == known, sourceLocation: location)
    }

    @Test func everyResolutionOfAFieldCanBeTakenBack() async throws {
        try await checkUndo(of: try await conflictOfTitles())
    }

    @Test func theResolutionOfADeletionHereCanBeTakenBack() async throws {
        try await share()
        try await phone.edit { changes, _ in changes.update(RecordID("Task", 1), ["title": "dig deep"]) }
        try await laptop.edit { changes, _ in changes.delete(RecordID("Task", 1)) }
        try await syncAll()
        try await checkUndo(of: try #require(try await laptop.store.openConflicts.first))
    }

    @Test func theResolutionOfADeletionThereCanBeTakenBackWithWhatItHasReached() async throws {
        try await share()
        try await phone.edit { changes, _ in changes.delete(RecordID("Project", 1)) }
        try await laptop.edit { changes, _ in changes.update(RecordID("Task", 2), ["title": "sow"]) }
        try await syncAll()
        for conflict in try await laptop.store.openConflicts {
            let before = try await state()
            for resolution in [Resolution<Record>.remote, .local] {
                let resolved = try await laptop.store.resolve(conflict, with: resolution)
                try await laptop.store.undo(resolved)
                #expect(try await state() == before, "\(conflict.id) \(resolution)")
            }
        }
        #expect(try await laptop.store.openConflicts.isEmpty == false)
    }

    @Test func aResolutionThatWasSentCannotBeTakenBack() async throws {
        let conflict = try await conflictOfTitles()
        let resolved = try await laptop.store.resolve(conflict, with: .local)
        var remote = ScriptedRemote(service)
        remote.losesAnswers = true
        try await laptop.sync(with: remote)
        for _ in 1...2 {
            let before = try await state()
            await #expect(throws: ConflictError(.sent, key: Value.integer(1))) {
                try await laptop.store.undo(resolved)
            }
            #expect(try await state() == before)
            try await laptop.sync(with: service)
        }
        #expect(
            ConflictError(.sent, key: 1).description
                == "the resolution of the record with the key 1 was sent: edit the record instead")
    }

    @Test func aRecordThatWasEditedSinceKeepsTheEdit() async throws {
        let resolved = try await laptop.store.resolve(try await conflictOfTitles(), with: .local)
        try await laptop.edit { changes, _ in changes.update(RecordID("Task", 1), ["title": "dig again"]) }
        await #expect(throws: ConflictError(.changed, key: Value.integer(1))) {
            try await laptop.store.undo(resolved)
        }
        #expect(try await laptop.value("Task", 1, "title") == "dig again")
        await #expect(throws: ConflictError.self) { try await laptop.store.undo(resolved) }
    }
}
