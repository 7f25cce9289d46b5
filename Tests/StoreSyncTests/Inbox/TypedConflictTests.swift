import DifferentialSync
import StoreSync
import Testing

/// Conflicts of a whole store as elements of an app's own type.
@Suite struct TypedConflictTests {
    typealias Task = TypedPlanner.Task
    typealias Title = TypedPlanner.Title

    private let planner: TypedPlanner
    private let phone: Device
    private let laptop: Device
    private let service: SyncService

    init() throws {
        planner = try TypedPlanner()
        (phone, laptop, service) = (planner.phone, planner.laptop, planner.service)
    }

    /// Returns the conflict of the phone about a task of both devices, which each of them has changed.
    private func clash(
        tags: [String] = ["spring"], here: (PersistentCollection<Task, Int>) async throws -> Void,
        there: (PersistentCollection<Task, Int>) async throws -> Void
    ) async throws -> StoreConflict {
        try await planner.share(tags: tags)
        try await here(planner.tasks(phone))
        try await there(planner.tasks(laptop))
        try await planner.syncBoth()
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
        try await planner.syncBoth()
        for device in [phone, laptop] {
            #expect(try await planner.tasks(device).element(1) == expected)
            #expect(try await device.store.syncState.isSettled)
        }
    }

    @Test func theVersionsAreElements() async throws {
        let conflict = try await clashOfTitles()
        let versions = try #require(try await conflict.elements(of: planner.tasks(phone)))
        #expect(versions.base == Task(id: 1, title: "dig", priority: 1))
        #expect(versions.local == Task(id: 1, title: "dig wide", priority: 2))
        #expect(versions.remote == Task(id: 1, title: "dig deep", priority: 1))
        #expect(conflict.fields == ["title"])
    }

    @Test(arguments: [Resolution<Title>.local, .remote, .base, .merged(Title(id: 1, title: "both"))])
    func editsOfUnreadAttributesAreKeptWhateverTheResolution(resolution: Resolution<Title>) async throws {
        let conflict = try await clashOfTitles()
        try await planner.titles().resolve(conflict, with: resolution)
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
        try await planner.titles().resolve(conflict, with: resolution)
        let (title, priority) = resolution == .local ? ("dig wide", 2) : ("dig deep", 3)
        try await expectBoth(Task(id: 1, title: title, priority: priority, tags: ["spring"]))
    }

    @Test func anOpenResolutionChangesNothing() async throws {
        let conflict = try await clashOfTitles()
        try await planner.titles().resolve(conflict, with: .open)
        #expect(try await phone.store.openConflicts == [conflict])
    }

    @Test func aResolutionCanBeTakenBack() async throws {
        let conflict = try await clashOfTitles()
        let resolved = try await planner.titles().resolve(conflict, with: .merged(Title(id: 1, title: "both")))
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
        let versions = try #require(try await conflict.elements(of: planner.titles()))
        #expect(versions.local == nil && versions.remote == Title(id: 1, title: "dig deep"))
        try await planner.titles().resolve(conflict, with: resolution)
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
        let versions = try #require(try await conflict.elements(of: planner.titles()))
        #expect(versions.local == Title(id: 1, title: "dig wide") && versions.remote == nil)
        try await planner.titles().resolve(conflict, with: resolution)
        switch resolution {
        case .local: try await expectBoth(Task(id: 1, title: "dig wide", priority: 5))
        case .merged: try await expectBoth(Task(id: 1, title: "both", priority: 5))
        default: try await expectBoth(nil)
        }
    }

    @Test func aConflictThatHasChangedMeanwhileIsNotResolved() async throws {
        let conflict = try await clashOfTitles()
        let titles = try await planner.titles()
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
        let tasks = try await planner.tasks(phone)
        #expect(throws: PersistenceError.self) { try conflict.elements(of: tasks) }
        let error = try await #require(throws: PersistenceError.self) {
            try await tasks.resolve(conflict, with: .local)
        }
        #expect(error.code == .unreadable && error.id == RecordID("Task", 1))
        #expect(try await phone.store.openConflicts == [conflict])
        // Another type reads both sides.
        try await planner.titles().resolve(conflict, with: .remote)
        #expect(try await phone.value("Task", 1, "title") == "dig deep")
        #expect(try await phone.value("Task", 1, "priority") == Value.null)
    }

    @Test func aConflictOfAnotherEntityIsNoneOfTheCollection() async throws {
        let conflict = try await clash { _ in
            try await phone.edit { changes, _ in changes.update(RecordID("Tag", "home"), ["color": "red"]) }
        } there: { _ in
            try await laptop.edit { changes, _ in changes.update(RecordID("Tag", "home"), ["color": "blue"]) }
        }
        let titles = try await planner.titles()
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
        try await planner.syncBoth()
        for (device, title) in [(phone, Value.string("wash up")), (laptop, Value.string("wash all"))] {
            try await device.edit { changes, _ in changes.update(RecordID("Memo", 1), ["title": title]) }
        }
        try await planner.syncBoth()
        let notes = try await phone.store.collection(of: Title.self, entity: "Note")
        let conflict = try await onlyConflict()
        #expect(try conflict.elements(of: notes)?.remote == Title(id: 1, title: "wash all"))
        try await notes.resolve(conflict, with: .merged(Title(id: 1, title: "wash it")))
        try await phone.sync(with: service)
        try await planner.syncBoth()
        for device in [phone, laptop] {
            let memo = try #require(try await device.record("Note", 1))
            #expect(memo.entity == "Memo" && memo["title"] == "wash it" && memo["room"] == "kitchen")
        }
    }

    @Test func anElementWithAnotherKeyIsAnErrorThatChangesNothing() async throws {
        let conflict = try await clashOfTitles()
        let titles = try await planner.titles()
        let error = try await #require(throws: KeyError.self) {
            try await titles.resolve(conflict, with: .merged(Title(id: 2, title: "both")))
        }
        #expect(error.code == .changed)
        #expect(try await phone.store.openConflicts == [conflict])
        #expect(try await titles.element(2) == nil)
    }

    @Test func keysOfRelatedRecordsAreNotPartOfTheConflict() async throws {
        let conflict = try await clashOfTitles()
        let tasks = try await planner.tasks(phone)
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
        let titles = try await planner.titles()
        let versions = try #require(try await titles.conflicts.first)
        let error = try await #require(throws: CycleError.self) {
            try await titles.resolve(1, with: .local, of: versions)
        }
        #expect(error.code == .wholeStore && error.description.contains("'resolve(_:with:)'"))
        #expect(try await phone.store.openConflicts == [conflict])
    }
}
