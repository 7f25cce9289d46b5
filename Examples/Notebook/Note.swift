import DifferentialSync

/// A note, as an app has it: no superclass, no schema.
struct Note: Codable, Identifiable, Equatable, Sendable {
    let id: String
    var text: String
    var isDone = false
}

extension Note: CustomStringConvertible {
    /// Such as `[x] milk: 2 litres`.
    var description: String { "[\(isDone ? "x" : " ")] \(id): \(text)" }
}

extension Note {
    /// Notes are merged field by field.
    ///
    /// Where both devices changed one field, what reached the remote first stands; where one edited what the other
    /// deleted, the user is to say.
    static let policy = ConflictPolicy<Note>.mergingFields(
        [MergeField("text", \.text), MergeField("isDone", \.isDone)],
        otherwise: ConflictPolicy { conflict in
            switch conflict.kind {
            case .bothAdded, .bothEdited: .remote
            case .editedHereDeletedThere, .deletedHereEditedThere: .open
            }
        })
}
