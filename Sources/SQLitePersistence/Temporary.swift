import SyncPersistence
#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
extension Schema {
    func adding(_ new: [Entity]) throws(SchemaError) -> Schema { try Schema(entities + new.filter { !entities.contains($0) }) }
}
struct SchemaChanges { init(from: Schema, to: Schema) throws {} }
extension Connection {
    func apply(_ changes: SchemaChanges, to old: Layout, for new: Schema) throws -> Layout {
        let layout = Layout(new, names: old.names, digestSeed: old.digestSeed)
        let known = Set(old.schema.roots.map(\.name))
        for root in layout.schema.roots where !known.contains(root.name) {
            for statement in layout.table(of: root).definition(in: layout) { try execute(statement) }
        }
        return layout
    }
}
