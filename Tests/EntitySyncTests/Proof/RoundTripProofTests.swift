import DifferentialSyncTesting
import EntitySync
import SyncPersistence
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What was exported and synced into an empty store is what the first one holds.
struct RoundTripProofTests {
    /// A schema that follows from a seed, with attributes of all types, and names that are the same in JSON.
    private func schema(seed: UInt64) throws -> Schema {
        var entities = ConnectedSchema(seed: seed).entities
        for position in entities.indices where entities[position].parent == nil {
            entities[position].attributes += AttributeType.allCases.map { Attribute("of\($0.rawValue)", $0) }
        }
        return try Schema(entities)
    }

    /// A store with random records and links; what JSON has no words for is left out.
    private func filledStore(_ schema: Schema, seed: UInt64) async throws -> any PersistenceAdapter {
        let store = InMemoryAdapter(schema: schema)
        var random = RandomRecords(of: schema, seed: seed)
        let records = random.records(14).map(RoundTripProofTests.sayable)
        var changes = ChangeSet()
        for record in records { changes.put(record) }
        for operation in random.links(among: records) { changes.add(operation) }
        for record in records {
            for relationship in record.shape.relationships where relationship.definition.isOrdered {
                guard case .inverse(let slot, _) = relationship.storage else { continue }
                let members = records.filter {
                    $0.shape.inherits(relationship.definition.destination) && $0[slot] == record.key
                }
                changes.setLinks(record.id, relationship.definition.name, to: members.reversed().map(\.key))
            }
        }
        try await store.commit(changes)
        return store
    }

    /// A record without numbers that are none, and with dates that text has words for: to the microsecond, of four-digit
    /// years.
    private static func sayable(_ record: Record) -> Record {
        var record = record
        for position in record.values.indices {
            switch record.values[position] {
            case .double(let number) where !number.isFinite: record.values[position] = .null
            // SQLite keeps no sign of a zero.
            case .double(0): record.values[position] = .double(0)
            case .date(let date):
                let time = min(max(date.timeIntervalSince1970, -60_000_000_000), 250_000_000_000)
                record.values[position] = .date(Date(timeIntervalSince1970: (time * 8).rounded() / 8))
            default: break
            }
        }
        return record
    }

    /// What differs between two stores.
    private func differences(_ one: any PersistenceAdapter, _ other: any PersistenceAdapter) async throws -> [String] {
        var lines: [String] = []
        let (here, there) = try await (readAll(one), readAll(other))
        for id in Set(here.keys).union(there.keys).sorted(by: { $0.description < $1.description }) {
            let (left, right) = (here[id] ?? [], there[id] ?? [])
            for (before, after) in zip(left, right) where before != after {
                lines.append("\(id): \(before), then \(after)")
            }
            if left.count != right.count { lines.append("\(id): \(left.count), then \(right.count)") }
        }
        return lines
    }

    /// All records with their values and links.
    private func readAll(_ store: any PersistenceAdapter) async throws -> [RecordID: [String]] {
        try await store.read { transaction in
            var all: [RecordID: [String]] = [:]
            for root in transaction.schema.shapes where root.lineage.count == 1 {
                for record in try transaction.records(Query(root.name)) {
                    var lines = [record.entity]
                    for slot in record.shape.slots where !slot.isInternal {
                        if case .attribute = slot.content { lines.append("\(slot.name): \(record[slot.name])") }
                    }
                    for relationship in record.shape.relationships {
                        let definition = relationship.definition
                        var keys = try transaction.related(record.id, definition.name)
                        if !definition.isOrdered { keys.sort(by: Value.areInIncreasingOrder) }
                        lines.append("\(definition.name): \(keys)")
                    }
                    all[RecordID(root.name, record.key)] = lines
                }
            }
            return all
        }
    }

    private static let seeds = environmentSeed.map { [$0] } ?? Array(0..<UInt64(isFullScale ? 300 : 12))

    @Test("with objects in objects", arguments: StoreKind.allCases, seeds)
    func objects(kind: StoreKind, seed: UInt64) async throws {
        let schema = try schema(seed: seed)
        let store = try await filledStore(schema, seed: seed)
        let copy = try await ProofStore(kind, usesNotes: true, schema)
        let options = ExportOptions(names: .camelCase)
        for root in schema.shapes where root.lineage.count == 1 {
            let json = try await store.exportJSON(root.name, options: options)
            let result = try await copy.adapter.sync(json, into: root.name)
            #expect(result.reports.isEmpty, "seed \(seed)")
        }
        let differences = try await differences(store, copy.adapter)
        #expect(differences == [], "seed \(seed)")
        await copy.close()
    }

    @Test("with keys, which may come before what they name", arguments: StoreKind.allCases, seeds)
    func keys(kind: StoreKind, seed: UInt64) async throws {
        let schema = try schema(seed: seed)
        let store = try await filledStore(schema, seed: seed)
        let copy = try await ProofStore(kind, usesNotes: true, schema)
        var options = ExportOptions(names: .camelCase)
        options.relationships = .ids
        // What is named by a key may be of an entity that comes later: once more then.
        for isLast in [false, true] {
            for root in schema.shapes where root.lineage.count == 1 {
                let json = try await store.exportJSON(root.name, options: options)
                let result = try await copy.adapter.sync(json, into: root.name)
                #expect(result.reports.allSatisfy { !isLast && $0.kind == .unknownReference }, "seed \(seed)")
            }
        }
        let differences = try await differences(store, copy.adapter)
        #expect(differences == [], "seed \(seed)")
        await copy.close()
    }
}
