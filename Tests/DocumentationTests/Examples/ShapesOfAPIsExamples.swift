import EntitySync
import Testing

/// The examples of *Shapes of APIs*.
struct ShapesOfAPIsExamples {
    @Test func keysFromTheParent() async throws {
        let values = try await awaitedResults {
            let shop = try Schema {
                Entity("Order") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("lines", toMany: "Line", inverse: "order", deleteRule: .cascade)
                }
                Entity("Line") {
                    Attribute("orderID", .integer, isPrimaryKey: true, userInfo: ["sync.parentAttribute": "order.id"])
                    Attribute("number", .integer, isPrimaryKey: true)
                    Attribute("text", .string)
                    Relationship("order", to: "Order", inverse: "lines")
                }
            }
            let orders = InMemoryAdapter(schema: shop)
            try await orders.sync(#"[{"id": 7, "lines": [{"number": 1, "text": "tea"}]}]"#, into: "Order")
            try await orders.fetch("Line", [7, 1])?["text"]  // "tea"
            try await orders.sync(#"[{"number": 2, "text": "milk"}]"#, into: "Line", parent: RecordID("Order", 7))
            try await orders.fetch("Line", [7, 2])?["text"]  // "milk"
        }
        #expect(values.compactMap { $0 as? Value } == ["tea", "milk"])
    }

    @Test func mapsAndTexts() async throws {
        let values = try await awaitedResults {
            let world = try Schema {
                Entity("Country") {
                    Attribute("code", .string, isPrimaryKey: true, userInfo: ["sync.isMapKey": "YES"])
                    Attribute("name", .string)
                    Relationship("translations", toMany: "Translation", inverse: "country", deleteRule: .cascade)
                    Relationship("tags", toMany: "Tag", inverse: "countries")
                }
                Entity("Translation") {
                    Attribute("land", .string, isPrimaryKey: true, userInfo: ["sync.parentAttribute": "country.code"])
                    Attribute("language", .string, isPrimaryKey: true, userInfo: ["sync.isMapKey": "YES"])
                    Attribute("text", .string, userInfo: ["sync.isElement": "YES"])
                    Relationship("country", to: "Country", inverse: "translations")
                }
                Entity("Tag") {
                    Attribute("name", .string, isPrimaryKey: true, userInfo: ["sync.isElement": "YES"])
                    Relationship("countries", toMany: "Country", inverse: "tags")
                }
            }
            let atlas = InMemoryAdapter(schema: world)
            let austria = #"{"name": "Austria", "translations": {"de": "Österreich"}, "tags": ["alps", "eu"]}"#
            try await atlas.sync("{\"AT\": \(austria)}", into: "Country")
            try await atlas.fetch("Translation", ["AT", "de"])?["text"]  // "Österreich"
            var options = ExportOptions()
            options.writesMap = true
            options.properties["Country"] = ["code", "translations", "tags"]
            let json = try await atlas.export("Country", options: options)
            json  // {"AT": {"translations": {"de": "Österreich"}, "tags": ["alps", "eu"]}}
        }
        #expect(values[1] as? Value == "Österreich")
        #expect(values.last as? Value == ["AT": ["translations": ["de": "Österreich"], "tags": ["alps", "eu"]]])
    }

    @Test func constants() async throws {
        let values = try await awaitedResults {
            let repositories = try Schema {
                Entity("Repository") {
                    Attribute("source", .string, isPrimaryKey: true)
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("fork", to: "Repository")
                }
            }
            let store = InMemoryAdapter(schema: repositories)
            var options = SyncOptions()
            options.constants["Repository"] = ["source": "github"]
            try await store.sync(#"[{"id": 1}, {"id": 2, "fork_id": 1}]"#, into: "Repository", options: options)
            try await store.fetch("Repository", ["github", 2])?["fork"]  // ["github", 1]
        }
        #expect(values.last as? Value == ["github", 1])
    }
}
