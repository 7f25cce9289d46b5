@testable import CoreDataModel
import Foundation
import SyncPersistence
import TestSupport
import Testing

/// The models of 3lvis/Sync's tests, counted.
@Suite(.enabled(if: SharedFiles.arePresent, "the folder of models is not there; set DIFFSYNC_SHARED"))
struct ConformanceTests {
    private static let folder = SharedFiles.folder?.appendingPathComponent("conformance/entity-sync/models")

    static let names: [String] = {
        guard let folder else { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.contains(".xcdatamodel") }.sorted()
    }()

    private func document(_ name: String) throws -> ModelDocument {
        try ModelDocument(contentsOf: try #require(Self.folder).appendingPathComponent(name))
    }

    @Test(arguments: names)
    func everyModelIsASchemaWithNoticesOnlyAboutKeys(name: String) throws {
        let document = try document(name)
        #expect(!document.schema.entities.isEmpty)
        for notice in document.notices {
            let isOfKeys =
                ["the default ", "it has no primary key", "it is kept as"].contains { notice.message.hasPrefix($0) }
            #expect(isOfKeys, "\(notice)")
        }
    }

    @Test(arguments: names)
    func everyFileIsParsedAsByFoundation(name: String) throws {
        let path = try #require(try document(name).path)
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        #expect(try FoundationTree(MarkupReader.read(bytes)) == FoundationTree.read(bytes))
    }

    @Test func entitiesAttributesAndRelationshipsAreComplete() throws {
        let entities = try Self.names.flatMap { try document($0).schema.entities }
        let attributes = entities.flatMap(\.attributes)
        let relationships = entities.flatMap(\.relationships)
        #expect(Self.names.count == 53)
        #expect(entities.count == 128)
        #expect(attributes.count == 262)
        #expect(relationships.count == 137)
        #expect(entities.filter { $0.parent == "Car" }.count == 4)
        let types = Dictionary(grouping: attributes, by: \.type).mapValues(\.count)
        #expect(
            types == [
                .integer: 92, .string: 132, .date: 13, .bytes: 5, .json: 4, .bool: 4, .double: 6, .decimal: 2, .url: 2,
                .uuid: 2,
            ])
        #expect(attributes.filter { $0.remoteKey != nil }.count == 33)
        #expect(attributes.filter { !$0.isExportable }.count == 2)
        #expect(attributes.filter { $0.transformer != nil }.count == 3)
        #expect(
            attributes.filter { !$0.userInfo.isEmpty && $0.type != .json }.map(\.userInfo) == [
                ["sync.isPrimaryKey": "YES"], ["sync.isPrimaryKey": "YES"],
            ])
        #expect(attributes.filter { $0.userInfo == ["sync.isTransformable": "YES"] }.count == 4)
        #expect(relationships.filter(\.isToMany).count == 69)
        #expect(relationships.filter(\.isOrdered).count == 8)
        #expect(relationships.filter { $0.deleteRule == .cascade }.count == 24)
        #expect(relationships.filter { $0.deleteRule == .nullify }.count == 113)
        #expect(relationships.filter { !$0.isOptional }.count == 1)
        #expect(relationships.filter { $0.remoteKey != nil }.count == 12)
        #expect(relationships.filter { !$0.isExportable }.count == 3)
        #expect(relationships.filter { $0.inverse == nil }.isEmpty)
    }

    @Test func keysAreFlaggedNamedOrImplicit() throws {
        let shapes = try Self.names.flatMap { try document($0).schema.shapes }.filter { $0.lineage.count == 1 }
        let keys = shapes.map { shape in shape.keySlots.map { shape.slots[$0].name } }
        #expect(keys.filter { $0 == ["id"] }.count == 47)
        #expect(keys.filter { $0 == ["remoteID"] }.count == 44)
        #expect(keys.filter { $0 == [Schema.implicitKey] }.count == 10)
        #expect(keys.count == 124)
        let primary = try document("PrimaryKey.xcdatamodeld").schema
        #expect(
            primary.shapes.map { "\($0.name).\($0.slots[$0.keySlots[0]].name)" } == [
                "AlternativeID.alternativeID", "Compatibility.custom", "NoID.sync.id", "Note.uniqueID", "SimpleID.id",
                "Tag.randomId", "User.remoteID",
            ])
        #expect(primary.entities[1].attributes[0].remoteKey == "greeting")
    }
}
