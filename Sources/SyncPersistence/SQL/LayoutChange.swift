/// A change of the schema of a store in an SQL database.
///
/// A store that already has the result of a change is not written. So any number of processes may make the same change at
/// the same time, and the first one makes it.
package enum LayoutChange {
    /// The change to the schema that the store is opened with, by migration steps.
    ///
    /// Entities that were added while the store was open are kept.
    case open(Schema, by: [MigrationStep] = [])
    /// The addition of entities.
    case add([Entity])

    /// Returns the schema after the change, and the names of the entities that were added to an open store.
    ///
    /// - Parameters:
    ///   - old: The schema before the change.
    ///   - added: The names of its entities that were added to an open store.
    /// - Throws: ``PersistenceError`` for an added entity with another definition, and for names in other Unicode scalars;
    ///   ``SchemaError`` if the schema would be invalid.
    package func applied(
        to old: Schema, added: Set<String>
    ) throws -> (schema: Schema, added: Set<String>) {
        switch self {
        case .open(let schema, _):
            try old.requireSpelling(of: schema.entities)
            let renamed = Set(schema.entities.compactMap(\.renamedFrom))
            let kept = old.entities.filter {
                added.contains($0.name) && schema[$0.name] == nil && !renamed.contains($0.name)
            }
            return (try schema.adding(kept), added)
        case .add(let entities):
            let new = entities.map(\.name).filter { old[$0] == nil }
            return (try old.adding(entities), added.union(new))
        }
    }

    /// The steps that drop, convert or fill.
    package var steps: [MigrationStep] {
        switch self {
        case .open(_, let steps): steps
        case .add: []
        }
    }
}
