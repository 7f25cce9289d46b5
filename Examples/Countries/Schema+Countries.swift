import SyncPersistence

extension Schema {
    /// Countries with their subdivisions, of which some are parts of others.
    static func ofCountries() throws -> Schema {
        try Schema {
            Entity("Country") {
                Attribute("code", .string, isPrimaryKey: true)
                Attribute("name", .string, isOptional: false)
                Attribute("numericCode", .string)
                Attribute("isIndependent", .bool)
                Attribute("lastChange", .date)
                Relationship("subdivisions", toMany: "Subdivision", inverse: "country", deleteRule: .cascade)
            }
            Entity("Subdivision") {
                Attribute("code", .string, isPrimaryKey: true)
                Attribute("name", .string, isOptional: false)
                Attribute("category", .string)
                Relationship("country", to: "Country", inverse: "subdivisions")
                Relationship("parent", to: "Subdivision", inverse: "parts")
                Relationship("parts", toMany: "Subdivision", inverse: "parent", isExportable: false)
            }
        }
    }
}
