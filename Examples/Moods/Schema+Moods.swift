import SyncPersistence

extension Schema {
    /// Continents, countries, and the moods of people who are there.
    static func ofMoods() throws -> Schema {
        try Schema {
            Entity("Continent") {
                Attribute("code", .string, isPrimaryKey: true)
                Attribute("name", .string, isOptional: false)
                Relationship("countries", toMany: "Country", inverse: "continent")
            }
            Entity("Country") {
                Attribute("code", .string, isPrimaryKey: true)
                Attribute("name", .string, isOptional: false)
                Relationship("continent", to: "Continent", inverse: "countries")
                Relationship("moods", toMany: "Mood", inverse: "country", deleteRule: .cascade)
            }
            Entity("Mood") {
                Attribute("id", .string, isPrimaryKey: true)
                Attribute("feeling", .string, isOptional: false)
                Attribute("note", .string)
                Relationship("country", to: "Country", inverse: "moods", isOptional: false)
            }
        }
    }
}

/// A country that moods can be added in, with its continent.
struct Country: Sendable {
    let code: String
    let name: String
    let continent: (code: String, name: String)

    static let all = [
        Country("BR", "Brazil", ("SA", "South America")), Country("DE", "Germany", ("EU", "Europe")),
        Country("IS", "Iceland", ("EU", "Europe")), Country("JP", "Japan", ("AS", "Asia")),
        Country("KE", "Kenya", ("AF", "Africa")), Country("NZ", "New Zealand", ("OC", "Oceania")),
    ]

    private init(_ code: String, _ name: String, _ continent: (code: String, name: String)) {
        (self.code, self.name, self.continent) = (code, name, continent)
    }
}

extension Record {
    /// The record in a line for a person, such as `Mood phone-1: calm, "after the rain"`.
    var line: String {
        func text(_ name: String) -> String? {
            guard case .string(let text) = self[name] else { return nil }
            return text.count > 40 ? "\(text.prefix(30))… (\(text.count) characters)" : text
        }
        let note = shape.name == "Mood" ? text("note").map { ", \"\($0)\"" } ?? "" : ""
        return "\(id): \(text(shape.name == "Mood" ? "feeling" : "name") ?? "")\(note)"
    }
}
