import EntitySync
import SyncPersistence
import Testing

/// A sync whose task is cancelled leaves the store unchanged.
struct SyncCancellationTests {
    /// Syncs in a task that is cancelled when the progress matches a condition.
    private func sync(
        _ json: Value, into entity: String, _ store: SyncStore, _ operations: SyncOperations = .all,
        options: SyncOptions = SyncOptions(), inserting: Locked<Int> = Locked(0),
        cancelledAt isReached: @escaping @Sendable (SyncProgress) -> Bool
    ) async -> Result<SyncResult, any Error> {
        let running = Locked<Task<SyncResult, any Error>?>(nil)
        var options = options
        options.progress = { progress in
            if isReached(progress) { running.withLock { $0 }?.cancel() }
        }
        options.willInsert = { object, _, _ in
            inserting.withLock { $0 += 1 }
            return object
        }
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let task = Task { [options] in
            for await _ in gate { break }
            return try await store.adapter.sync(json, into: entity, operations: operations, options: options)
        }
        running.withLock { $0 = task }
        opening.yield()
        return await task.result
    }

    private func objects(_ keys: ClosedRange<Int64>, _ text: String) -> Value {
        .array(keys.map { ["id": .integer($0), "text": .string(text)] })
    }

    private func isCancellation(_ result: Result<SyncResult, any Error>) -> Bool {
        if case .failure(let error) = result { error is CancellationError } else { false }
    }

    @Test(arguments: StoreKind.allCases)
    func syncThatIsCancelledBeforeItBeginsChangesNothing(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let before = try await store.contents()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.sync("[]", into: "User")
        }
        #expect(isCancellation(await task.result))
        #expect(try await store.contents() == before)
    }

    @Test(arguments: StoreKind.allCases, [SyncPhase.inserting, .updating])
    func syncCanBeCancelledInEachPhase(kind: StoreKind, phase: SyncPhase) async throws {
        let store = try await SyncStore.office(kind)
        try await store.adapter.sync(objects(1...1_500, "old"), into: "Badge")
        let before = try await store.contents()
        for completed in [0, 1_000] {
            let result = await sync(objects(1...2_700, "new"), into: "Badge", store) {
                $0.phase == phase && $0.completed == completed
            }
            #expect(isCancellation(result), "\(completed)")
            #expect(try await store.contents() == before)
        }
        let last = await sync(objects(1...2_700, "new"), into: "Badge", store) {
            $0.phase == phase && $0.completed == $0.total
        }
        #expect(isCancellation(last))
        #expect(try await store.contents() == before)
        #expect(try await store.adapter.sync(objects(1...2_700, "new"), into: "Badge")["Badge"].count == 2_700)
    }

    @Test(arguments: StoreKind.allCases, [1_000, 2_000])
    func syncCanBeCancelledWhileNewRowsAreWritten(kind: StoreKind, completed: Int) async throws {
        let store = try await SyncStore(kind, .office())
        let before = try await store.contents()
        let result = await sync(objects(1...2_700, "new"), into: "Badge", store) {
            $0.phase == .inserting && $0.completed == completed
        }
        #expect(isCancellation(result))
        #expect(try await store.contents() == before)
        #expect(try await store.adapter.sync(objects(1...2_700, "new"), into: "Badge")["Badge"].inserted.count == 2_700)
    }

    @Test(arguments: StoreKind.allCases)
    func syncCanBeCancelledBeforeItDeletesRecords(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let before = try await store.contents()
        let result = await sync([], into: "Badge", store) { $0.phase == .updating }
        #expect(isCancellation(result))
        #expect(try await store.contents() == before)
    }

    @Test(arguments: StoreKind.allCases)
    func syncCanBeCancelledWithinOneObject(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let before = try await store.contents()
        let json: Value = [["id": 1, "badges": objects(1...3_000, "new")]]
        let inserted = Locked(0)
        let result = await sync(json, into: "User", store, FormRow.operations, inserting: inserted) {
            $0.phase == .updating
        }
        #expect(isCancellation(result))
        #expect(inserted.withLock { $0 } <= 1_000)
        #expect(try await store.contents() == before)
    }

    @Test(arguments: StoreKind.allCases)
    func syncCanBeCancelledWithinAnOmittedObject(kind: StoreKind) async throws {
        let store = try await SyncStore(
            kind,
            Schema {
                Entity("User") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("notes", toMany: "Note", inverse: "user")
                }
                Entity("Note") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("user", to: "User", inverse: "notes")
                    Relationship("comments", toMany: "Comment", inverse: "note")
                }
                Entity("Comment") {
                    Attribute("id", .integer, isPrimaryKey: true, transformer: "count")
                    Relationship("note", to: "Note", inverse: "comments")
                }
            })
        let read = Locked(0)
        var options = SyncOptions()
        options.transformers["count"] = AttributeTransformer { key in
            read.withLock { $0 += 1 }
            return key
        }
        // The note has no key.
        let json: Value = [["id": 1, "notes": [["comments": objects(1...3_000, "new")]]]]
        let result = await sync(json, into: "User", store, options: options) { $0.phase == .inserting }
        #expect(isCancellation(result))
        #expect((1...1_000).contains(read.current))
        #expect(try await store.contents().isEmpty)
    }

    @Test func progressCoversEachPhaseFromBeginningToEnd() async throws {
        let store = try await SyncStore(.inMemory, .office())
        let heard = Locked<[SyncProgress]>([])
        var options = SyncOptions()
        options.progress = { progress in heard.withLock { $0.append(progress) } }
        try await store.adapter.sync(objects(1...2_500, "a"), into: "Badge", options: options)
        try await store.adapter.sync(objects(2_001...3_000, "b"), into: "Badge", options: options)
        let all = heard.withLock { $0 }
        func completed(_ phase: SyncPhase, of total: Int) -> [Int] {
            all.filter { $0.phase == phase && $0.total == total }.map(\.completed)
        }
        #expect(completed(.inserting, of: 2_500) == [0, 1_000, 2_000, 2_500])
        #expect(completed(.updating, of: 500) == [0, 500])
        #expect(completed(.inserting, of: 500) == [0, 500])
        #expect(all.filter { $0.phase == .inserting && $0.total == 2_500 }.map(\.fraction) == [0, 0.4, 0.8, 1])
        #expect(all.allSatisfy { 0...1 ~= $0.fraction })
        #expect(completed(.comparing, of: 2_500) == [0, 1_000, 2_000, 2_500])
        // 2,000 records are not in the second payload.
        #expect(completed(.finishing, of: 2_000) == [0, 1_000, 2_000])
    }

    @Test func progressOfTextIsReportedInBytesPhaseByPhase() async throws {
        let store = try await SyncStore(.inMemory, .office())
        let heard = Locked<[SyncProgress]>([])
        var options = SyncOptions()
        options.progress = { progress in heard.withLock { $0.append(progress) } }
        let json = try objects(1...2_500, "a").jsonBytes()
        try await store.adapter.sync(json, into: "Badge", options: options)
        let all = heard.withLock { $0 }
        let comparing = all.filter { $0.phase == .comparing }
        #expect(comparing.allSatisfy { $0.total == json.count })
        #expect(comparing.first?.completed == 0)
        #expect(comparing.last?.completed == json.count)
        #expect(comparing.count == 4)
        #expect(comparing.map(\.completed) == comparing.map(\.completed).sorted())
        var phases: [SyncPhase] = []
        for progress in all where progress.phase != phases.last { phases.append(progress.phase) }
        #expect(phases == SyncPhase.allCases)
    }
}
