import DifferentialSyncTesting
import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// The same payload changes nothing the second time, whatever the store held before.
///
/// Random payloads contradict themselves.
///
/// The export of a store after such a payload does not.
struct RepetitionProofTests {
    private static let seeds = environmentSeed.map { [$0] } ?? Array(0..<UInt64(isFullScale ? 12 : 1))

    private func options(_ store: ProofStore) -> SyncOptions {
        var options = SyncOptions()
        options.usesPayloadMemory = store.usesMemory
        return options
    }

    @Test(arguments: ProofSchema.allCases, seeds)
    func repeatedPayloadChangesNothing(form: ProofSchema, seed: UInt64) async throws {
        let schema = try form.schema
        for (kind, usesMemory) in [(StoreKind.inMemory, false), (.inMemory, true), (.sqlite, false), (.sqlite, true)] {
            var payload = ProofPayload(schema, seed: seed)
            let store = try await ProofStore(kind, usesMemory: usesMemory, schema)
            let options = options(store)
            let objects = try Value.array(payload.objects(of: form.entity)).jsonBytes()
            try await store.adapter.sync(objects, into: form.entity, options: options)
            let export = try await store.adapter.exportJSON(
                form.entity, options: ExportOptions(names: .camelCase))
            let own = try await store.adapter.sync(export, into: form.entity, options: options)
            #expect(own.isUnchanged, "seed \(seed), \(store): \(own.lines)")
            #expect(own.reports.isEmpty, "seed \(seed), \(store)")

            // The store holds something else, partly with local changes.
            let other = try await ProofStore(kind, usesMemory: usesMemory, schema)
            let others = try Value.array(payload.objects(of: form.entity)).jsonBytes()
            try await other.adapter.sync(others, into: form.entity, options: options)
            for _ in 0..<6 { _ = try? await other.adapter.commit(payload.changes()) }
            let first = try await other.adapter.sync(export, into: form.entity, options: options)
            #expect(!first.isUnchanged)
            let again = try await other.adapter.sync(export, into: form.entity, options: options)
            #expect(again.isUnchanged, "seed \(seed), \(store): \(again.lines)")
            await store.close()
            await other.close()
        }
    }
}
