import SyncPersistence

/// A change of a store's schema.
///
/// A store that already has the result of a change is not written. So any number of processes may make the same change at
/// the same time, and the first one makes it.
enum LayoutChange {
    /// The change to the schema that the store is opened with, by migration steps.
    ///
    /// Entities that were added while the store was open are kept.
    case open(Schema, by: [MigrationStep] = [])
    /// The addition of entities.
    case add([Entity])

    /// Returns the schema after the change, and the names of the entities that were added to an open store.
    func applied(to old: Layout) throws -> (schema: Schema, added: Set<String>) {
        switch self {
        case .open(let schema, _):
            let renamed = Set(schema.entities.compactMap(\.renamedFrom))
            let kept = old.schema.entities.filter {
                old.added.contains($0.name) && schema[$0.name] == nil && !renamed.contains($0.name)
            }
            return (try schema.adding(kept), old.added)
        case .add(let entities):
            let added = entities.map(\.name).filter { old.schema[$0] == nil }
            return (try old.schema.adding(entities), old.added.union(added))
        }
    }

    /// The steps that drop, convert or fill.
    var steps: [MigrationStep] {
        switch self {
        case .open(_, let steps): steps
        case .add: []
        }
    }
}
