import DifferentialSyncTesting
import EntitySync
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

/// A sync that fails or is cancelled changes nothing, and concurrent syncs run one after the other.
struct InterruptedSyncTests {
    /// Returns two payloads that differ in a few objects.
    private func payloads(
        _ form: ProofSchema, seed: UInt64
    ) throws -> (schema: Schema, first: [UInt8], second: [UInt8]) {
        let schema = try form.schema
        var payload = ProofPayload(schema, seed: seed)
        let objects = payload.objects(of: form.entity, 33)
        var others = objects
        for _ in 0..<3 { others = payload.edited(others, of: form.entity) }
        others.append(payload.object(of: form.entity, key: 90))
        return (schema, try Value.array(objects).jsonBytes(), try Value.array(others).jsonBytes())
    }

    private func makeStore(_ kind: StoreKind, _ schema: Schema) async throws -> any PersistenceAdapter {
        if kind == .inMemory { return InMemoryAdapter(schema: schema) }
        return try await SQLiteAdapter.inMemory(schema: schema)
    }

    @Test(arguments: StoreKind.allCases, ProofSchema.allCases)
    func syncThatFailsAtAnyRowLeavesTheStoreUnchanged(kind: StoreKind, form: ProofSchema) async throws {
        let seed = environmentSeed ?? 7
        let (schema, first, second) = try payloads(form, seed: seed)
        let whole = try await makeStore(kind, schema)
        try await whole.sync(first, into: form.entity)
        try await whole.sync(second, into: form.entity)
        // A failure leaves the store and its payload memory unchanged, so the next round starts from the same state.
        let store = try await makeStore(kind, schema)
        try await store.sync(first, into: form.entity)
        let before = try await StoreDump(of: store)
        var random = SeededGenerator(seed: seed)
        var failure = FailingAdapter.Failure.beforeCommit(1)
        var count = 0
        var row = 0
        while true {
            let failing = FailingAdapter(store, at: failure)
            do {
                try await failing.sync(second, into: form.entity)
            } catch is SimulatedFailure {}
            if !failing.hasFailed { break }
            count += 1
            let differences = try await StoreDump(of: store).differences(from: before)
            #expect(differences == [], "seed \(seed), \(failure)")
            if differences != [] { return }
            row += Int.random(in: 1...(isFullScale ? 3 : 12), using: &random)
            failure = .row(row)
        }
        #expect(count > 3)
        #expect(try await store.proofContents() == whole.proofContents(), "seed \(seed)")
    }

    @Test(arguments: StoreKind.allCases, ProofSchema.allCases)
    func syncThatIsCancelledAtAnyCheckLeavesTheStoreUnchanged(kind: StoreKind, form: ProofSchema) async throws {
        let seed = environmentSeed ?? 11
        let (schema, first, second) = try payloads(form, seed: seed)
        let store = try await makeStore(kind, schema)
        try await store.sync(first, into: form.entity)
        let before = try await StoreDump(of: store)
        var place = 0
        var cancelled = 0
        while true {
            let (wasReached, result) = await sync(second, into: form.entity, store, cancelledAt: place)
            if case .failure(let error) = result {
                #expect(error is CancellationError, "seed \(seed), place \(place)")
                let differences = try await StoreDump(of: store).differences(from: before)
                #expect(differences == [], "seed \(seed), place \(place)")
                cancelled += 1
            }
            if !wasReached { break }
            place += 1
        }
        #expect(place > 5)
        #expect(cancelled == place, "seed \(seed)")
    }

    /// Syncs in a task that is cancelled at one of the calls that a sync makes to the app.
    private func sync(
        _ json: [UInt8], into entity: String, _ store: any PersistenceAdapter, cancelledAt place: Int
    ) async -> (wasReached: Bool, Result<SyncResult, any Error>) {
        let running = Locked<Task<SyncResult, any Error>?>(nil)
        let calls = Locked(0)
        let visit: @Sendable () -> Void = {
            if calls.next() - 1 == place { running.withLock { $0 }?.cancel() }
        }
        var options = SyncOptions()
        options.progress = { _ in visit() }
        options.willInsert = { object, _, _ in
            visit()
            return object
        }
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let task = Task { [options] in
            for await _ in gate { break }
            return try await store.sync(json, into: entity, options: options)
        }
        running.withLock { $0 = task }
        opening.yield()
        let result = await task.result
        return (calls.current > place, result)
    }

    enum Place: CaseIterable { case inMemory, file, twoAdapters }

    @Test(arguments: Place.allCases, ProofSchema.allCases)
    func twoConcurrentSyncsEndLikeOneAfterTheOther(place: Place, form: ProofSchema) async throws {
        for seed in environmentSeed.map({ [$0] }) ?? Array(0..<(isFullScale ? 6 : 1)) {
            let (schema, first, second) = try payloads(form, seed: seed)
            var ends: [[String: Set<String>]] = []
            for order in [[first, second], [second, first]] {
                let store = InMemoryAdapter(schema: schema)
                for payload in order { try await store.sync(payload, into: form.entity) }
                ends.append(try await store.proofContents())
            }
            let folder = TemporaryFolder()
            let stores: [any PersistenceAdapter]
            switch place {
            case .inMemory:
                let store = InMemoryAdapter(schema: schema)
                stores = [store, store]
            case .file:
                let store = try await SQLiteAdapter.open(at: folder.file(), schema: schema)
                stores = [store, store]
            case .twoAdapters:
                stores = [
                    try await SQLiteAdapter.open(at: folder.file(), schema: schema),
                    try await SQLiteAdapter.open(at: folder.file(), schema: schema),
                ]
            }
            async let one = stores[0].sync(first, into: form.entity)
            async let other = stores[1].sync(second, into: form.entity)
            _ = try await (one, other)
            let contents = try await stores[0].proofContents()
            #expect(ends.contains(contents), "seed \(seed)")
            #expect(try await stores[1].proofContents() == contents, "seed \(seed)")
            for case let file as SQLiteAdapter in stores { await file.close() }
        }
    }
}
