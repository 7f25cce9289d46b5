import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

struct RandomSchemaTests {
    static let schemas: [Schema] = (0..<500).compactMap { try? RandomSchema(seed: $0).schema }

    @Test(arguments: 0..<10)
    func randomSchemaIsValid(group: UInt64) throws {
        for seed in (group * 50)..<(group * 50 + 50) {
            do {
                _ = try RandomSchema(seed: SeededGenerator.testSeed(seed)).schema
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
    }

    @Test func seedDeterminesTheRandomSchema() throws {
        #expect(RandomSchema(seed: 3).entities == RandomSchema(seed: 3).entities)
        #expect(RandomSchema(seed: 3).entities != RandomSchema(seed: 4).entities)
    }

    @Test func randomSchemasCoverEverySchemaFeature() {
        let entities = Self.schemas.flatMap(\.entities)
        let shapes = Self.schemas.flatMap(\.shapes)
        #expect(Set(entities.flatMap(\.attributes).map(\.type)) == Set(AttributeType.allCases))
        #expect(Set(entities.flatMap(\.relationships).map(\.deleteRule)) == Set(DeleteRule.allCases))
        #expect(Set(shapes.map(\.keySlots.count)) == [1, 2])
        #expect(shapes.contains { $0.keySlots == [0] && $0.slots[0].name == Schema.implicitKey })
        #expect(shapes.contains { $0.keySlots.count == 2 && $0.keySlots != [0, 1] })
        #expect(shapes.contains { $0.lineage.count > 2 })
        #expect(shapes.contains { $0.isAbstract })
        #expect(
            Set(shapes.flatMap(\.relationships).map { form($0) }) == [
                "reference", "exclusive reference", "symmetric reference", "inverse", "ordered inverse", "source",
                "ordered source", "target", "ordered target", "both", "ordered both",
            ])
    }

    private func form(_ relationship: ShapeRelationship) -> String {
        let order = relationship.definition.isOrdered ? "ordered " : ""
        switch relationship.storage {
        case .reference(_, true, true): return "symmetric reference"
        case .reference(_, true, false): return "exclusive reference"
        case .reference: return "reference"
        case .inverse(_, let position): return position == nil ? "inverse" : "ordered inverse"
        case .links(_, let end): return "\(order)\(end)"
        }
    }
}

struct RandomRecordsTests {
    @Test(arguments: 0..<50)
    func randomValuesFitTheirSlotsAndOtherTypesAreRefused(seed: UInt64) throws {
        let schema = try RandomSchema(seed: SeededGenerator.testSeed(seed)).schema
        var values = RandomValues(seed: seed)
        var generator = SeededGenerator(seed: seed)
        for shape in schema.shapes + schema.internalShapes {
            for _ in 0..<10 {
                let sound = shape.slots.map { values.value(for: $0) }
                #expect(zip(shape.slots, sound).allSatisfy { $0.admits($1) })
                #expect(shape.firstInvalidSlot(sound) == nil)
            }
            for _ in 0..<20 {
                let any = shape.slots.map { slot -> Value in
                    if generator.happens(0.9) { return values.value(for: slot) }
                    if generator.happens(0.5) { return .null }
                    return values.value(of: AttributeType.allCases.randomElement(using: &generator) ?? .bool)
                }
                #expect(
                    shape.firstInvalidSlot(any) == zip(shape.slots, any).map { $0.admits($1) }.firstIndex(of: false))
            }
        }
    }

    @Test(arguments: 0..<100)
    func randomRecordsReferOnlyToEachOther(seed: UInt64) throws {
        let schema = try RandomSchema(seed: SeededGenerator.testSeed(seed)).schema
        var random = RandomRecords(of: schema, seed: seed)
        let records = random.records(40)
        let byID = Dictionary(grouping: records) { RecordID($0.shape.root, $0.key) }
        #expect(byID.values.allSatisfy { $0.count == 1 })
        for record in records {
            #expect(record.shape.firstInvalidSlot(record.values) == nil)
            for relationship in record.shape.relationships {
                guard case .reference(let slot, let isExclusive, let isSymmetric) = relationship.storage,
                    !record[slot].isNull
                else { continue }
                let destination = relationship.definition.destination
                let root = try #require(schema[destination]).root
                let other = try #require(byID[RecordID(root, record[slot])]?.first)
                #expect(other.shape.inherits(destination))
                if isSymmetric { #expect(other[slot] == record.key) }
                if isExclusive {
                    let rivals = records.filter { $0.shape.inherits(relationship.declaredBy) && $0[slot] == other.key }
                    #expect(rivals.count == 1)
                }
            }
        }
    }

    @Test func mostRandomSchemasYieldRecordsAndLinks() throws {
        var counts = [0, 0]
        for schema in RandomSchemaTests.schemas {
            var random = RandomRecords(of: schema, seed: 1)
            let records = random.records(20)
            if !records.isEmpty { counts[0] += 1 }
            if !random.links(among: records).isEmpty { counts[1] += 1 }
        }
        #expect(counts[0] > 400)
        #expect(counts[1] > 150)
    }
}
