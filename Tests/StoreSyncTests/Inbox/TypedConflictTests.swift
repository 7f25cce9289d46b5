import DifferentialSync
import StoreSync
import Testing

/// Conflicts of a whole store as elements of an app's own type.
@Suite struct TypedConflictTests {
    /// A type with all that a task has, and keys that its record does not store.
    struct Task: Codable, Identifiable, Equatable, Sendable {
        var id: Int
        var title: String
        var priority: Int
        var tags: [String] = []
    }

    /// A type that reads a part of a task.
    struct Title: Codable, Identifiable, Equatable, Sendable {
        var id: Int
        var title: String
    }

    private let phone: Device
    private let laptop: Device
    private let service: SyncService

    init() throws {
        func store() throws -> InMemoryAdapter {
            InMemoryAdapter(
                schema: try Schema([
                    Entity("Task") {
                        Attribute("id", .integer, isPrimaryKey: true)
                        Attribute("title", .string)
                        Attribute("priority", .integer)
                        Relationship("tags", toMany: "Tag", inverse: "tasks")
                    },
                    Entity("Tag") {
                        Attribute("id", .string, isPrimaryKey: true)
                        Attribute("color", .string)
                        Relationship("tasks", toMany: "Task", inverse: "tags")
                    },
                    Entity("Note") {
                        Attribute("id", .integer, isPrimaryKey: true)
                        Attribute("title", .string)
                    },
                    Entity("Memo", parent: "Note") { Attribute("room", .string) },
                ]))
        }
        (phone, laptop) = (try Device("phone", store()), try Device("laptop", store()))
        service = SyncService(try store(), account: "ada", makeName: Planner.names("epoch"))
    }

    private func tasks(_ device: Device) async throws -> PersistentCollection<Task, Int> {
        try await device.store.collection(of: Task.self, entity: "Task")
    }

    private func titles() async throws -> PersistentCollection<Title, Int> {
        try await phone.store.collection(of: Title.self, entity: "Task")
    }

    private func syncBoth() async throws {
        for device in [laptop, phone] { try await device.sync(with: service) }
    }

    /// Returns the conflict of the phone about a task of both devices, which each of them has changed.
    private func clash(
        tags: [String] = ["spring"], here: (PersistentCollection<Task, Int>) async throws -> Void,
        there: (PersistentCollection<Task, Int>) async throws -> Void
    ) async throws -> StoreConflict {
        try await laptop.edit { changes, schema in
            for name in ["home", "spring"] { try changes.put(Record("Tag", in: schema, ["id": .string(name)])) }
        }
        try await tasks(laptop).insert(Task(id: 1, title: "dig", priority: 1, tags: tags))
        try await syncBoth()
        try await here(tasks(phone))
        try await there(tasks(laptop))
        try await syncBoth()
        return try await onlyConflict()
    }

    private func onlyConflict() async throws -> StoreConflict {
        let conflicts = try await phone.store.openConflicts
        #expect(conflicts.count == 1)
        return try #require(conflicts.first)
    }

    /// Returns a conflict about the title of a task, whose priority the phone has changed too.
    private func clashOfTitles() async throws -> StoreConflict {
        try await clash { tasks in
            try await tasks.edit(1) { ($0.title, $0.priority) = ("dig wide", 2) }
        } there: { tasks in
            try await tasks.edit(1) { $0.title = "dig deep" }
        }
    }

    /// Checks the task of both devices, after they have synchronized.
    private func expectBoth(_ expected: Task?) async throws {
        try await phone.sync(with: service)
        try await syncBoth()
        for device in [phone, laptop] {
            #expect(try await tasks(device).element(1) == expected)
            #expect(try await device.store.syncState.isSettled)
        }
    }

    @Test func theVersionsAreElements() async throws {
        let conflict = try await clashOfTitles()
        let versions = try #require(try await conflict.elements(of: tasks(phone)))
        #expect(versions.base == Task(id: 1, title: "dig", priority: 1))
        #expect(versions.local == Task(id: 1, title: "dig wide", priority: 2))
        #expect(versions.remote == Task(id: 1, title: "dig deep", priority: 1))
        #expect(conflict.fields == ["title"])
    }

    @Test(arguments: [Resolution<Title>.local, .remote, .base, .merged(Title(id: 1, title: "both"))])
    func editsOfUnreadAttributesAreKeptWhateverTheResolution(resolution: Resolution<Title>) async throws {
        let conflict = try await clashOfTitles()
        try await titles().resolve(conflict, with: resolution)
        #expect(try await phone.store.openConflicts.isEmpty)
        let title =
            switch resolution {
            case .local: "dig wide"
            case .remote: "dig deep"
            case .base: "dig"
            default: "both"
            }
        try await expectBoth(Task(id: 1, title: title, priority: 2, tags: ["spring"]))
    }

    @Test(arguments: [Resolution<Title>.local, .remote])
    func aChoiceOfASideDecidesAboutUnreadAttributesThatBothHaveChanged(resolution: Resolution<Title>) async throws {
        let conflict = try await clash { tasks in
            try await tasks.edit(1) { ($0.title, $0.priority) = ("dig wide", 2) }
        } there: { tasks in
            try await tasks.edit(1) { ($0.title, $0.priority) = ("dig deep", 3) }
        }
        #expect(Set(conflict.fields) == ["title", "priority"])
        try await titles().resolve(conflict, with: resolution)
        let (title, priority) = resolution == .local ? ("dig wide", 2) : ("dig deep", 3)
        try await expectBoth(Task(id: 1, title: title, priority: priority, tags: ["spring"]))
    }

    @Test func anOpenResolutionChangesNothing() async throws {
        let conflict = try await clashOfTitles()
        try await titles().resolve(conflict, with: .open)
        #expect(try await phone.store.openConflicts == [conflict])
    }

    @Test func aResolutionCanBeTakenBack() async throws {
        let conflict = try await clashOfTitles()
        let resolved = try await titles().resolve(conflict, with: .merged(Title(id: 1, title: "both")))
        #expect(try await phone.value("Task", 1, "title") == "both")
        try await phone.store.undo(resolved)
        #expect(try await phone.store.openConflicts == [conflict])
    }

    @Test(arguments: [Resolution<Title>.local, .remote, .delete, .merged(Title(id: 1, title: "both"))])
    func aDeletionHereIsResolvedByElements(resolution: Resolution<Title>) async throws {
        let conflict = try await clash(tags: []) { tasks in
            try await tasks.remove(1)
        } there: { tasks in
            try await tasks.edit(1) { ($0.title, $0.priority) = ("dig deep", 5) }
        }
        let versions = try #require(try await conflict.elements(of: titles()))
        #expect(versions.local == nil && versions.remote == Title(id: 1, title: "dig deep"))
        try await titles().resolve(conflict, with: resolution)
        switch resolution {
        case .remote: try await expectBoth(Task(id: 1, title: "dig deep", priority: 5))
        case .merged: try await expectBoth(Task(id: 1, title: "both", priority: 5))
        default: try await expectBoth(nil)
        }
    }

    @Test(arguments: [Resolution<Title>.local, .remote, .delete, .merged(Title(id: 1, title: "both"))])
    func aDeletionThereIsResolvedByElements(resolution: Resolution<Title>) async throws {
        let conflict = try await clash(tags: []) { tasks in
            try await tasks.edit(1) { ($0.title, $0.priority) = ("dig wide", 5) }
        } there: { tasks in
            try await tasks.remove(1)
        }
        let versions = try #require(try await conflict.elements(of: titles()))
        #expect(versions.local == Title(id: 1, title: "dig wide") && versions.remote == nil)
        try await titles().resolve(conflict, with: resolution)
        switch resolution {
        case .local: try await expectBoth(Task(id: 1, title: "dig wide", priority: 5))
        case .merged: try await expectBoth(Task(id: 1, title: "both", priority: 5))
        default: try await expectBoth(nil)
        }
    }

    @Test func aConflictThatHasChangedMeanwhileIsNotResolved() async throws {
        let conflict = try await clashOfTitles()
        let titles = try await titles()
        try await titles.edit(1) { $0.title = "dig on" }
        let error = try await #require(throws: ConflictError.self) {
            try await titles.resolve(conflict, with: .remote)
        }
        #expect(error.code == .changed)
        #expect(try await titles.element(1)?.title == "dig on")

        let present = try await onlyConflict()
        #expect(try present.elements(of: titles)?.local?.title == "dig on")
        try await titles.resolve(present, with: .remote)
        let other = try await #require(throws: ConflictError.self) {
            try await titles.resolve(present, with: .local)
        }
        #expect(other.code == .unknown)
        try await expectBoth(Task(id: 1, title: "dig deep", priority: 2, tags: ["spring"]))
    }

    @Test func aSideThatCannotBeReadIsAnErrorAndStaysInConflict() async throws {
        let conflict = try await clash { tasks in
            try await tasks.edit(1) { $0.title = "dig wide" }
        } there: { _ in
            try await laptop.edit { changes, _ in
                changes.update(RecordID("Task", 1), ["title": "dig deep", "priority": .null])
            }
        }
        let tasks = try await tasks(phone)
        #expect(throws: PersistenceError.self) { try conflict.elements(of: tasks) }
        let error = try await #require(throws: PersistenceError.self) {
            try await tasks.resolve(conflict, with: .local)
        }
        #expect(error.code == .unreadable && error.id == RecordID("Task", 1))
        #expect(try await phone.store.openConflicts == [conflict])
        // Another type reads both sides.
        try await titles().resolve(conflict, with: .remote)
        #expect(try await phone.value("Task", 1, "title") == "dig deep")
        #expect(try await phone.value("Task", 1, "priority") == Value.null)
    }

    @Test func aConflictOfAnotherEntityIsNoneOfTheCollection() async throws {
        let conflict = try await clash { _ in
            try await phone.edit { changes, _ in changes.update(RecordID("Tag", "home"), ["color": "red"]) }
        } there: { _ in
            try await laptop.edit { changes, _ in changes.update(RecordID("Tag", "home"), ["color": "blue"]) }
        }
        let titles = try await titles()
        #expect(try conflict.elements(of: titles) == nil)
        let error = try await #require(throws: PersistenceError.self) {
            try await titles.resolve(conflict, with: .local)
        }
        #expect(error.code == .mismatch && error.id == RecordID("Tag", "home"))
        #expect(try await phone.store.openConflicts == [conflict])
    }

    @Test func aConflictOfAnInheritingEntityIsOneOfTheCollection() async throws {
        try await laptop.edit { changes, schema in
            try changes.put(Record("Memo", in: schema, ["id": 1, "title": "wash", "room": "kitchen"]))
        }
        try await syncBoth()
        for (device, title) in [(phone, Value.string("wash up")), (laptop, Value.string("wash all"))] {
            try await device.edit { changes, _ in changes.update(RecordID("Memo", 1), ["title": title]) }
        }
        try await syncBoth()
        let notes = try await phone.store.collection(of: Title.self, entity: "Note")
        let conflict = try await onlyConflict()
        #expect(try conflict.elements(of: notes)?.remote == Title(id: 1, title: "wash all"))
        try await notes.resolve(conflict, with: .merged(Title(id: 1, title: "wash it")))
        try await phone.sync(with: service)
        try await syncBoth()
        for device in [phone, laptop] {
            let memo = try #require(try await device.record("Note", 1))
            #expect(memo.entity == "Memo" && memo["title"] == "wash it" && memo["room"] == "kitchen")
        }
    }

    @Test func anElementWithAnotherKeyIsAnErrorThatChangesNothing() async throws {
        let conflict = try await clashOfTitles()
        let titles = try await titles()
        let error = try await #require(throws: KeyError.self) {
            try await titles.resolve(conflict, with: .merged(Title(id: 2, title: "both")))
        }
        #expect(error.code == .changed)
        #expect(try await phone.store.openConflicts == [conflict])
        #expect(try await titles.element(2) == nil)
    }

    @Test func keysOfRelatedRecordsAreNotPartOfTheConflict() async throws {
        let conflict = try await clashOfTitles()
        let tasks = try await tasks(phone)
        var task = try #require(try conflict.elements(of: tasks)?.local)
        #expect(task.tags.isEmpty)
        task.title = "both"
        let retagged = Task(id: 1, title: "both", priority: 2, tags: ["home"])
        let error = try await #require(throws: PersistenceError.self) {
            try await tasks.resolve(conflict, with: .merged(retagged))
        }
        #expect(error.code == .wrongType && error.property == "tags")
        try await tasks.resolve(conflict, with: .merged(task))
        try await expectBoth(Task(id: 1, title: "both", priority: 2, tags: ["spring"]))
    }

    @Test func theConflictIsNotOneOfACycleOfTheCollection() async throws {
        let conflict = try await clashOfTitles()
        let titles = try await titles()
        let versions = try #require(try await titles.conflicts.first)
        let error = try await #require(throws: CycleError.self) {
            try await titles.resolve(1, with: .local, of: versions)
        }
        #expect(error.code == .wholeStore && error.description.contains("'resolve(_:with:)'"))
        #expect(try await phone.store.openConflicts == [conflict])
    }
}
