import SyncPersistence

extension Schema {
    /// Projects with what belongs to them under each delete rule, and tasks with tags.
    static func planner() throws -> Schema {
        try Schema {
            Entity("Project") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("tasks", toMany: "Task", inverse: "project", deleteRule: .cascade)
                Relationship("notes", toMany: "Note", inverse: "project")
                Relationship("invoices", toMany: "Invoice", inverse: "project", deleteRule: .deny)
                Relationship("cover", to: "Cover", inverse: "project")
            }
            Entity("Task") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("project", to: "Project", inverse: "tasks")
                Relationship("parent", to: "Task", inverse: "parts")
                Relationship("parts", toMany: "Task", inverse: "parent", deleteRule: .cascade)
                Relationship("tags", toMany: "Tag", isOrdered: true, inverse: "tasks")
                Relationship("label", to: "Label")
            }
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("project", to: "Project", inverse: "notes")
            }
            Entity("Invoice") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("project", to: "Project", inverse: "invoices", isOptional: false)
            }
            Entity("Cover") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("project", to: "Project", inverse: "cover")
            }
            for name in ["Tag", "Label"] {
                Entity(name) {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("name", .string)
                    if name == "Tag" { Relationship("tasks", toMany: "Task", inverse: "tags") }
                }
            }
        }
    }
}

extension RelatedRemotes {
    /// The remotes of ``Schema/planner()``.
    convenience init() throws { self.init(try .planner(), links: ["Task.tags"]) }
}
