import SyncPersistence

/// Schemas that have relationships of all forms between them.
enum ProofSchema: String, CaseIterable, Sendable {
    case office, tree, pets, parts

    /// The entity of most payloads.
    var entity: String {
        switch self {
        case .office: "User"
        case .tree: "Node"
        case .pets: "Owner"
        case .parts: "Part"
        }
    }

    var schema: Schema {
        get throws {
            switch self {
            case .office: try Schema(ProofSchema.officeEntities)
            case .tree: try Schema([ProofSchema.node])
            case .pets: try Schema(ProofSchema.petEntities)
            case .parts: try Schema(ProofSchema.partEntities)
            }
        }
    }

    private static func entity(_ name: String, _ relationships: [Relationship]) -> Entity {
        Entity(
            name,
            attributes: [
                Attribute("id", .integer, isPrimaryKey: true), Attribute("text", .string),
                Attribute("number", .integer),
            ],
            relationships: relationships)
    }

    private static let officeEntities = [
        entity(
            "User",
            [
                Relationship("notes", toMany: "Note", inverse: "author", deleteRule: .cascade),
                Relationship("letters", toMany: "Letter", inverse: "author"),
                Relationship("tags", toMany: "Tag", inverse: "users"),
                Relationship("tasks", toMany: "Task", isOrdered: true, inverse: "user"),
                Relationship("badges", toMany: "Badge"),
                Relationship("ranks", toMany: "Badge", isOrdered: true),
                Relationship("company", to: "Company", inverse: "users"),
                Relationship("desk", to: "Desk", inverse: "user"),
                Relationship("pen", to: "Badge"),
            ]),
        entity(
            "Note",
            [
                Relationship("author", to: "User", inverse: "notes"),
                Relationship("comments", toMany: "Comment", inverse: "note", deleteRule: .cascade),
            ]),
        entity("Comment", [Relationship("note", to: "Note", inverse: "comments", isOptional: false)]),
        entity("Letter", [Relationship("author", to: "User", inverse: "letters")]),
        entity("Tag", [Relationship("users", toMany: "User", inverse: "tags")]),
        entity("Task", [Relationship("user", to: "User", inverse: "tasks")]),
        entity("Badge", []),
        entity("Company", [Relationship("users", toMany: "User", inverse: "company")]),
        entity("Desk", [Relationship("user", to: "User", inverse: "desk")]),
    ]

    private static let node = entity(
        "Node",
        [
            Relationship("parent", to: "Node", inverse: "children"),
            Relationship("children", toMany: "Node", inverse: "parent", deleteRule: .cascade),
            Relationship("friends", toMany: "Node", inverse: "friends"),
            Relationship("follows", toMany: "Node", inverse: "followers"),
            Relationship("followers", toMany: "Node", inverse: "follows"),
            Relationship("twin", to: "Node", inverse: "twin"),
        ])

    private static let petEntities = [
        entity(
            "Owner",
            [
                Relationship("pets", toMany: "Animal", inverse: "owner"),
                Relationship("cats", toMany: "Cat", inverse: "keeper"),
                Relationship("favourite", to: "Animal"),
            ]),
        Entity(
            "Animal",
            attributes: [Attribute("id", .integer, isPrimaryKey: true), Attribute("text", .string)],
            relationships: [Relationship("owner", to: "Owner", inverse: "pets")],
            userInfo: ["sync.discriminator": "type"]),
        Entity(
            "Cat", parent: "Animal", attributes: [Attribute("number", .integer)],
            relationships: [Relationship("keeper", to: "Owner", inverse: "cats")]),
        Entity(
            "Dog", parent: "Animal", attributes: [Attribute("tricks", .integer)],
            relationships: [Relationship("puppies", toMany: "Animal", isOrdered: true)]),
    ]

    /// With keys of two parts, and keys that the store generates.
    private static let partEntities = [
        Entity(
            "Part",
            attributes: [
                Attribute("id", .integer, isPrimaryKey: true), Attribute("kind", .string, isPrimaryKey: true),
                Attribute("text", .string, isOptional: false, default: ""),
            ],
            relationships: [
                Relationship("screws", toMany: "Screw", isOrdered: true, inverse: "part"),
                Relationship("spares", toMany: "Part", inverse: "usedBy"),
                Relationship("usedBy", toMany: "Part", inverse: "spares"),
                Relationship("label", to: "Label"),
            ]),
        Entity(
            "Screw",
            attributes: [
                Attribute("id", .integer, userInfo: ["sync.isPrimaryKey": "YES"]), Attribute("text", .string),
            ],
            relationships: [Relationship("part", to: "Part", inverse: "screws")]),
        Entity("Label", attributes: [Attribute("text", .string)]),
    ]
}
