import EntitySync
import SyncPersistence
import Testing

/// A filter selects records by the values that the remote knows, not by unsent local ones.
@Suite(.needsStores) struct SyncFilteredEditTests {
    private static let open = Field("done") == false

    /// A store with an open task 1 and a done task 5 of a list.
    private static func store(_ kind: StoreKind) async throws -> SyncStore {
        let store = try await SyncStore(
            kind,
            Schema {
                Entity("Task") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("done", .bool)
                    Relationship("list", to: "List", inverse: "tasks")
                }
                Entity("List") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("tasks", toMany: "Task", inverse: "list")
                }
            })
        try await store.sync(
            #"[{"id": 1, "tasks": [{"id": 1, "done": false}, {"id": 5, "done": true}]}]"#, into: "List")
        return store
    }

    private static func options(remoteWins: Bool) -> SyncOptions {
        var options = SyncOptions()
        if remoteWins { options.conflictPolicy = .remoteWins }
        return options
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func recordThatAnEditBringsIntoTheFilterIsNotCovered(kind: StoreKind, remoteWins: Bool) async throws {
        for parent in [nil, RecordID("List", 1)] {
            let store = try await Self.store(kind)
            try await store.update("Task", 5, ["done": false], origin: .local)
            let result = try await store.sync(
                #"[{"id": 1, "done": false}]"#, into: "Task", filter: Self.open, parent: parent,
                options: Self.options(remoteWins: remoteWins))
            #expect(result.isUnchanged && result.clashes.isEmpty)
            #expect(try await store.value("Task", 5, "done") == false)
            #expect(try await store.adapter.uploads(of: "Task").map(\.kind) == [.edit])
        }
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func recordThatAnEditTakesOutOfTheFilterIsCovered(kind: StoreKind, remoteWins: Bool) async throws {
        for parent in [nil, RecordID("List", 1)] {
            let store = try await Self.store(kind)
            try await store.update("Task", 1, ["done": true], origin: .local)
            for _ in 0..<2 {
                let result = try await store.sync(
                    "[]", into: "Task", filter: Self.open, parent: parent,
                    options: Self.options(remoteWins: remoteWins))
                if remoteWins { continue }
                #expect(result.clashes.map(\.id) == [RecordID("Task", 1)])
                break
            }
            #expect(try await store.keys("Task") == (remoteWins ? [5] : [1, 5]))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func conflictInsideTheFilterIsListedEachTime(kind: StoreKind) async throws {
        let store = try await Self.store(kind)
        var options = SyncOptions()
        options.conflictPolicy = .leaveOpen
        try await store.update("Task", 1, ["done": true], origin: .local)
        for _ in 0..<2 {
            let result = try await store.sync("[]", into: "Task", filter: Self.open, options: options)
            #expect(result.clashes.map(\.id) == [RecordID("Task", 1)])
        }
        // The remote has the task again, and a locally deleted one is compared by its last known version.
        try await store.adapter.delete("Task", 5, origin: .local)
        let result = try await store.sync(#"[{"id": 1, "done": false}]"#, into: "Task", filter: Self.open)
        #expect(result.clashes.isEmpty)
        #expect(Set(try await store.adapter.uploads(of: "Task").map(\.kind)) == [.edit, .deletion])
    }
}
