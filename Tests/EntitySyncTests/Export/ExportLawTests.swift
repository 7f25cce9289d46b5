import DifferentialSyncTesting
import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// What was exported says all of what is stored, and nothing else.
struct ExportLawTests {
    static let options = ExportOptions(names: .camelCase)

    /// Seeds of so many runs, or the one that is to be run again.
    static func seeds(_ range: Range<UInt64>) -> [UInt64] { environmentSeed.map { [$0] } ?? Array(range) }

    /// Fills a set of changes with random records and links.
    private func fill(_ changes: inout ChangeSet, _ schema: Schema, seed: UInt64) {
        var random = RandomRecords(of: schema, seed: seed)
        let records = random.records(12)
        for record in records { changes.put(record) }
        for operation in random.links(among: records) { changes.add(operation) }
        // Members that are stored in their owners' order would show no fault of it.
        for record in records {
            for relationship in record.shape.relationships where relationship.definition.isOrdered {
                guard case .inverse(let slot, _) = relationship.storage else { continue }
                let members = records.filter {
                    $0.shape.inherits(relationship.definition.destination) && $0[slot] == record.key
                }
                changes.setLinks(record.id, relationship.definition.name, to: members.reversed().map(\.key))
            }
        }
    }

    /// Where records that were read from documents differ from those of a store.
    private func differences(_ read: NaiveImport, _ store: any PersistenceAdapter) async throws -> [String] {
        try await store.read { transaction in
            var lines: [String] = []
            for (id, found) in read.records {
                guard let record = try transaction.record(id) else {
                    lines.append("\(id) is not stored")
                    continue
                }
                if record.entity != found.entity { lines.append("\(id) is a \(record.entity), not a \(found.entity)") }
                for slot in record.shape.slots {
                    guard case .attribute = slot.content, !slot.isInternal else { continue }
                    if record[slot.name] != found.values[slot.name] { lines.append("\(id).\(slot.name)") }
                }
                for relationship in record.shape.relationships {
                    let definition = relationship.definition
                    let stored = try transaction.related(record.id, definition.name)
                    let other = read.links[.init(record: id, relationship: definition.name)] ?? []
                    let isSame = definition.isOrdered ? stored == other : Set(stored) == Set(other)
                    if !isSame || stored.count != other.count {
                        lines.append("\(id).\(definition.name): stored \(stored), read \(other)")
                    }
                }
            }
            return lines
        }
    }

    @Test("all that is stored is read back", arguments: seeds(0..<60))
    func roundTrip(seed: UInt64) async throws {
        let schema = try Schema(ConnectedSchema(seed: seed).entities)
        try await withStores(of: schema, { fill(&$0, schema, seed: seed) }) { store in
            var read = NaiveImport(schema)
            var count = 0
            for root in schema.shapes where root.lineage.count == 1 {
                let document = try await store.export(root.name, options: Self.options)
                let bytes = try await store.exportJSON(root.name, options: Self.options, format: [.indented])
                #expect(try Value(json: bytes) == document)
                #expect(try document.jsonBytes([.indented]) == bytes)
                let sorted = try await store.exportJSON(root.name, options: Self.options, format: [.sortedNames])
                #expect(try document.jsonBytes([.sortedNames]) == sorted)
                read.read(all: document, of: root.name)
                count += try await store.read { try $0.count(Query(root.name)) }
            }
            #expect(read.records.count == count)
            let differences = try await differences(read, store)
            #expect(differences.isEmpty, "seed \(seed)")
        }
    }

    @Test("all that one record leads to is read back", arguments: seeds(1_000..<1_030))
    func oneRecord(seed: UInt64) async throws {
        let schema = try Schema(ConnectedSchema(seed: seed).entities)
        try await withStores(of: schema, { fill(&$0, schema, seed: seed) }) { store in
            let records = try await store.read { transaction in
                try schema.shapes.filter { $0.lineage.count == 1 }.flatMap { try transaction.records(Query($0.name)) }
            }
            for record in records {
                var read = NaiveImport(schema)
                let document = try #require(try await store.export(record.id, options: Self.options))
                read.read(document, of: record.entity)
                let differences = try await differences(read, store)
                #expect(differences.isEmpty, "seed \(seed), \(record.id)")
            }
        }
    }
}
