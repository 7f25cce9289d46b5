import DifferentialSync
import DifferentialSyncTesting
import StoreSync
import SyncPersistence

/// The schemas of simulated stores.
enum SimulatedSchemas {
    /// A tree, cascade, nullify and deny, many-to-many, an ordered relationship and a one-to-one.
    static func work() throws -> Schema {
        try Schema {
            Entity("Folder") {
                Attribute("id", .string, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("parent", to: "Folder", inverse: "children")
                Relationship("children", toMany: "Folder", inverse: "parent", deleteRule: .cascade)
                Relationship("tasks", toMany: "Task", isOrdered: true, inverse: "folder", deleteRule: .cascade)
            }
            Entity("Task") {
                Attribute("id", .string, isPrimaryKey: true)
                Attribute("title", .string)
                Attribute("rank", .integer)
                Relationship("folder", to: "Folder", inverse: "tasks")
                Relationship("tags", toMany: "Tag", inverse: "tasks")
                Relationship("owner", to: "Person", inverse: "tasks")
                Relationship("project", to: "Project", inverse: "tasks")
            }
            Entity("Tag") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("tasks", toMany: "Task", inverse: "tags")
            }
            Entity("Person") {
                Attribute("id", .uuid, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("tasks", toMany: "Task", inverse: "owner")
                Relationship("badge", to: "Badge", inverse: "holder", deleteRule: .cascade)
            }
            Entity("Badge") {
                Attribute("id", .string, isPrimaryKey: true)
                Attribute("code", .string)
                Relationship("holder", to: "Person", inverse: "badge", isOptional: false)
            }
            Entity("Project") {
                Attribute("id", .string, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("tasks", toMany: "Task", inverse: "project", deleteRule: .deny)
            }
        }
    }

    /// An entity that is added to a schema later.
    static let growth = [
        Entity("Note") {
            Attribute("id", .string, isPrimaryKey: true)
            Attribute("text", .string)
        }
    ]

    /// A part without references to other records, and one whose records refer to others outside of it.
    static let scopes = [
        SyncScope("people", entities: ["Tag", "Person", "Badge"], where: ["Tag": Field("name") < "3"]),
        SyncScope("some", where: ["Folder": Field("name") < "3", "Project": Field("name") < "4"]),
    ]

    /// Records without relationships.
    static func notes() throws -> Schema { try Schema(growth) }

    /// The policies of which each script has one.
    static var policies: [SyncPolicies] {
        [
            SyncPolicies(.keepEdits(otherwise: .remoteWins)), SyncPolicies(.localWins), SyncPolicies(.remoteWins),
            SyncPolicies(.leaveOpen),
        ]
    }
}
