import Foundation
package import SyncPersistence

/// The schema of the servers in tests.
package enum TestSchema {
    /// Notes in lists, with an attribute of each type.
    package static func schema() throws -> Schema {
        try Schema([
            Entity("List") {
                Attribute("name", .string, isPrimaryKey: true)
                Attribute("color", .string)
            },
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("title", .string)
                Attribute("isDone", .bool)
                Attribute("weight", .double)
                Attribute("price", .decimal)
                Attribute("picture", .bytes)
                Attribute("due", .date)
                Attribute("token", .uuid)
                Attribute("page", .url)
                Attribute("extra", .json)
                Relationship("list", to: "List")
            },
        ])
    }

    /// Writes the schema and the secrets of a server into a folder, and returns the flags that name them.
    package static func prepare(_ folder: TemporaryFolder, _ schema: Schema? = nil) throws -> [String] {
        folder.write(try JSONEncoder().encode(schema ?? self.schema()), to: "schema.json")
        folder.write(Data("\(TestTokens.secret)\n".utf8), to: "secrets")
        folder.write(Data("\(TestTokens.operatorToken)\n".utf8), to: "operator")
        return [
            "--schema", folder.file("schema.json"), "--token-secret-file", folder.file("secrets"),
            "--operator-token-file", folder.file("operator"),
        ]
    }
}
