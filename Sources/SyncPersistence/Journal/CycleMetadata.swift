/// The names of the metadata that contains the state of an entity's cycles.
enum CycleMetadata {
    /// The prefix of the names of all entities.
    static let prefix = "cycle."

    static func version(of entity: String) -> String { "cycle.\(entity).version" }
    static func account(of entity: String) -> String { "cycle.\(entity).account" }
    static func push(of entity: String) -> String { "cycle.\(entity).push" }
    static func members(of entity: String) -> String { "cycle.\(entity).members" }
    static func unreadable(of entity: String) -> String { "cycle.\(entity).unreadable" }
    static func turn(of entity: String) -> String { "cycle.\(entity).turn" }
    static func openings(of entity: String) -> String { "cycle.\(entity).openings" }
    static func deletedLinks(of entity: String) -> String { "cycle.\(entity).deletedLinks" }

    /// The turn of a collection of links that was opened, and has had no cycle.
    static let openedTurn = "0"

    static func pushNames(of entity: String) -> String { "cycle.\(entity).pushNames" }

    /// Returns the only one of these names that an entity without cycles may have.
    static func inheritedAccount(of entity: String) -> String { "cycle.\(entity).inheritedAccount" }

    /// Returns all names that only an entity with cycles has.
    static func names(of entity: String) -> [String] {
        [
            version(of: entity), account(of: entity), push(of: entity), members(of: entity), unreadable(of: entity),
            turn(of: entity), pushNames(of: entity), deletedLinks(of: entity),
            openings(of: entity),
        ]
    }
}
