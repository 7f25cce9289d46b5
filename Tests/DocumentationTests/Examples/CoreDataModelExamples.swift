import CoreDataModel
import Foundation
import SQLitePersistence
import Testing

struct CoreDataModelExamples {
    let file = TemporaryFile()
    var path: String { file.path }

    let folder = Document.root.appendingPathComponent("Examples/Model/Data")

    @Test func aModelIsASchema() throws {
        let schema = try Schema(contentsOf: folder.appendingPathComponent("Library.xcdatamodeld"))
        #expect(schema.entities.map(\.name) == ["Author", "Book", "Item"])
    }

    @Test func aModelHasNotices() async throws {
        let model = try ModelDocument(contentsOf: folder.appendingPathComponent("Library.xcdatamodeld"))
        let store = try await SQLiteAdapter.open(at: path, schema: model.schema)
        for notice in model.notices { print(notice) }  // what is passed over, and where
        #expect(model.notices.count == 3)
        var changes = ChangeSet()
        try changes.put(Record("Author", in: store.schema, ["id": 1, "name": "Ada"]))
        try changes.put(Record("Book", in: store.schema, ["barcode": "a", "author": 1]))
        try await store.commit(changes)
        let titles = try await store.read { try $0.records(Query("Item")).map { $0["title"] } }
        #expect(titles == ["untitled"])
        await store.close()
    }
    @Test func aModelCanBeText() throws {
        let entity = "<entity name='Note'><attribute name='id' attributeType='Integer 64'/></entity>"
        let xml = "<model>\(entity)</model>"
        let model = try ModelDocument(xml: xml.utf8)
        #expect(model.schema.entities.map(\.name) == ["Note"])
        #expect(model.path == nil)
    }

    @Test func faultsAreShownAtTheirPlaces() throws {
        let path = "Broken.xcdatamodel/contents"
        let error = try #require(throws: ModelError.self) {
            try ModelDocument(contentsOf: folder.appendingPathComponent("Broken.xcdatamodel"))
        }
        for fault in error.findings {
            print("\(path):\(fault.line ?? 1):\(fault.column ?? 1): error: \(fault.message)")
        }
        #expect(error.findings.count > 1)
    }
}
