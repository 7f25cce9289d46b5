/// The names of the metadata that contains the state of an entity's cycles.
enum CycleMetadata {
    /// The prefix of the names of all entities.
    static let prefix = "cycle."

    /// Returns the name of the remote's version at the last agreement.
    static func version(of entity: String) -> String { "cycle.\(entity).version" }
    /// Returns the name of the account that the entity was last synchronized with.
    static func account(of entity: String) -> String { "cycle.\(entity).account" }
    /// Returns the name of the push that was sent and has no response yet.
    static func push(of entity: String) -> String { "cycle.\(entity).push" }
    /// Returns the name of the members that the type read at the last agreement.
    static func members(of entity: String) -> String { "cycle.\(entity).members" }
    /// Returns the name of the keys whose elements could not be read when they were pulled.
    static func unreadable(of entity: String) -> String { "cycle.\(entity).unreadable" }
    /// Returns the name of the number by which a cycle detects that another one has overtaken it.
    static func turn(of entity: String) -> String { "cycle.\(entity).turn" }
    /// Returns the name of the number of openings since unreadable keys last changed.
    static func openings(of entity: String) -> String { "cycle.\(entity).openings" }
    /// Returns the name of the keys whose elements were left out because of a local change of another entity's record.
    static func leftOut(of entity: String) -> String { "cycle.\(entity).leftOut" }
    /// Returns the name of the unsent links that deletions of the remote have deleted.
    static func deletedLinks(of entity: String) -> String { "cycle.\(entity).deletedLinks" }

    /// The turn of a collection of links that was opened, and has had no cycle.
    static let openedTurn = "0"

    /// Returns the name of what the next push is called by.
    static func pushNames(of entity: String) -> String { "cycle.\(entity).pushNames" }

    /// Returns the only one of these names that an entity without cycles may have.
    static func inheritedAccount(of entity: String) -> String { "cycle.\(entity).inheritedAccount" }

    /// Returns all names that only an entity with cycles has.
    static func names(of entity: String) -> [String] {
        [
            version(of: entity), account(of: entity), push(of: entity), members(of: entity), unreadable(of: entity),
            turn(of: entity), pushNames(of: entity), deletedLinks(of: entity),
            openings(of: entity), leftOut(of: entity),
        ]
    }
}
