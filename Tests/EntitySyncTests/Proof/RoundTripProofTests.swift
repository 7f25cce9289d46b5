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

/// An export that is synced into an empty store gives an equal store.
struct RoundTripProofTests {
    private func schema(seed: UInt64) throws -> Schema { try Schema(RoundTripSchema(seed: seed).entities) }

    /// Fills a store with random records and links, without values that JSON cannot express.
    private func fill(_ store: any PersistenceAdapter, seed: UInt64) async throws {
        let schema = store.schema
        var random = RandomRecords(of: schema, seed: seed)
        let records = random.records(14).map(RoundTripProofTests.sayable)
        var changes = ChangeSet()
        for record in records { changes.put(record) }
        for operation in random.links(among: records) { changes.add(operation) }
        // Members in the order of their owners would hide a fault in it.
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
        try await store.commit(givingKeysOfOwners(in: store))
    }

    /// Gives lines the part of their key that follows from their owner.
    private func givingKeysOfOwners(in store: any PersistenceAdapter) async throws -> ChangeSet {
        try await store.read { transaction in
            var changes = ChangeSet()
            for shape in transaction.schema.shapes where shape.name.hasPrefix("L") {
                let lines = try transaction.records(Query(shape.name))
                var keys = Set(lines.map(\.key))
                for var line in lines where !line["owner"].isNull {
                    let owner = line["owner"]
                    let part = if case .array(let parts) = owner { parts[0] } else { owner }
                    if line["up"] == part { continue }
                    changes.delete(line.id)
                    line["up"] = part
                    if keys.insert(line.key).inserted { changes.put(line) }
                }
            }
            return changes
        }
    }

    /// Returns a record without NaN and infinities, and with dates whose years have four digits.
    private static func sayable(_ record: Record) -> Record {
        var record = record
        for position in record.values.indices {
            switch record.values[position] {
            case .double(let number) where !number.isFinite: record.values[position] = .null
            // SQLite does not keep the sign of a zero.
            case .double(0): record.values[position] = .double(0)
            case .date(let date):
                let time = min(max(date.timeIntervalSinceReferenceDate, -60_000_000_000), 250_000_000_000)
                // Text has no sign of a zero.
                record.values[position] = .date(Date(timeIntervalSinceReferenceDate: time == 0 ? 0 : time))
            default: break
            }
        }
        return record
    }

    /// Returns the differences between two stores: of all records of the first, or of those that the second has.
    private func differences(
        _ one: any PersistenceAdapter, _ other: any PersistenceAdapter, ofAll isWhole: Bool = true
    ) async throws -> [String] {
        var lines: [String] = []
        let (here, there) = try await (readAll(one), readAll(other))
        let ids = isWhole ? Set(here.keys).union(there.keys) : Set(there.keys)
        for id in ids.sorted(by: { $0.description < $1.description }) {
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

    private static let seeds = environmentSeed.map { [$0] } ?? Array(0..<UInt64(isFullScale ? 60 : 12))

    /// Names of each style in turn.
    private static func options(seed: UInt64) -> ExportOptions {
        var options = ExportOptions(names: seed % 2 == 0 ? .camelCase : .snakeCase)
        options.transformers = RoundTripSchema.transformers
        return options
    }

    private static let syncOptions = {
        var options = SyncOptions()
        options.transformers = RoundTripSchema.transformers
        return options
    }()

    /// Calls `body` with a filled store of one kind, and an empty store of the other kind.
    private func withStores(
        _ kind: StoreKind, seed: UInt64,
        _ body: (_ store: any PersistenceAdapter, _ copy: ProofStore) async throws -> Void
    ) async throws {
        let schema = try schema(seed: seed)
        let store = try await ProofStore(kind == .inMemory ? .sqlite : .inMemory, usesMemory: true, schema)
        try await fill(store.adapter, seed: seed)
        let copy = try await ProofStore(kind, usesMemory: true, schema)
        try await body(store.adapter, copy)
        await store.close()
        await copy.close()
    }

    @Test(arguments: StoreKind.allCases, seeds)
    func exportWithNestedObjectsReadsBack(kind: StoreKind, seed: UInt64) async throws {
        try await withStores(kind, seed: seed) { store, copy in
            let options = Self.options(seed: seed)
            for root in store.schema.shapes where root.lineage.count == 1 {
                let json = try await store.exportJSON(root.name, options: options)
                // Text and value are equal.
                let value = try await store.export(root.name, options: options)
                #expect(try value.jsonBytes() == json, "seed \(seed)")
                let result = try await copy.adapter.sync(json, into: root.name, options: Self.syncOptions)
                #expect(result.reports.isEmpty, "seed \(seed)")
            }
            let differences = try await differences(store, copy.adapter)
            #expect(differences == [], "seed \(seed)")
        }
    }

    @Test(arguments: StoreKind.allCases, seeds)
    func exportWithKeysReadsBackInAnyOrder(kind: StoreKind, seed: UInt64) async throws {
        try await withStores(kind, seed: seed) { store, copy in
            var options = Self.options(seed: seed)
            options.relationships = .ids
            // What is named by a key may be of an entity that comes later: it is waited for.
            var waiting = Self.syncOptions
            waiting.keepsPendingLinks = true
            for root in store.schema.shapes where root.lineage.count == 1 {
                let json = try await store.exportJSON(root.name, options: options)
                let result = try await copy.adapter.sync(json, into: root.name, options: waiting)
                #expect(result.reports.isEmpty, "seed \(seed)")
            }
            let differences = try await differences(store, copy.adapter)
            #expect(differences == [], "seed \(seed)")
        }
    }

    @Test(arguments: seeds)
    func exportOfOneRecordAndItsRelationshipsReadsBack(seed: UInt64) async throws {
        let schema = try schema(seed: seed)
        let store = InMemoryAdapter(schema: schema)
        try await fill(store, seed: seed)
        let records = try await store.read { transaction in
            try schema.shapes.filter { $0.lineage.count == 1 }.flatMap { try transaction.records(Query($0.name)) }
        }
        for record in records.prefix(isFullScale ? .max : 4) {
            let copy = InMemoryAdapter(schema: schema)
            let json = try await store.export(record.id, options: Self.options(seed: seed))
            // Where texts stand in maps, any object is a map of them.
            let result =
                record.shape.root.hasPrefix("L")
                ? try await copy.insertOrUpdate(#require(json), into: record.entity, options: Self.syncOptions).result
                : try await copy.sync(#require(json), into: record.shape.root, options: Self.syncOptions)
            #expect(result.reports.isEmpty, "seed \(seed), \(record.id)")
            #expect(try await copy.fetch(record.entity, record.key) != nil, "seed \(seed), \(record.id)")
            let differences = try await differences(store, copy, ofAll: false)
            #expect(differences == [], "seed \(seed), \(record.id)")
        }
    }
}
