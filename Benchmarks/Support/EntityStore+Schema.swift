package import SyncPersistence

extension EntityStore {
    /// What the objects of a ``JSONPayload`` have, of whatever shape they are.
    package static let schema = unfailing {
        try Schema {
            Entity("Item") {
                Attribute("id", .string, isPrimaryKey: true)
                Attribute("title", .string)
                Attribute("createdAt", .date)
                Attribute("revision", .integer)
                Attribute("price", .double)
                Attribute("isActive", .bool)
                Attribute("owner", .string)
                Attribute("email", .string)
                Attribute("latitude", .double)
                Attribute("longitude", .double)
                Attribute("position", .integer)
                Attribute("country", .string)
                Attribute("note", .string)
                Relationship("children", toMany: "Child", inverse: "item", deleteRule: .cascade)
            }
            Entity("Child") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("text", .string)
                Attribute("position", .integer)
                Attribute("isDone", .bool)
                Relationship("item", to: "Item", inverse: "children")
            }
        }
    }
}
