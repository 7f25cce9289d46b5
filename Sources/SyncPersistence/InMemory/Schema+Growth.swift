extension Schema {
    /// This schema with more entities; those that are there already, as they are given, stay as they are.
    ///
    /// - Throws: ``SchemaError`` if it would not be sound; ``PersistenceError`` if an entity of that name is there with
    ///   another definition, or if records of one that is there would have to look different.
    func grown(by more: [Entity]) throws -> Schema {
        let known = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
        let changed = more.filter { entity in known[entity.name].map { $0 != entity } ?? false }
        if !changed.isEmpty {
            throw PersistenceError(
                .schemaChange,
                "the store has \(changed.map { "'\($0.name)'" }.joined(separator: ", ")) with another definition: "
                    + "only new entities can be added")
        }
        let schema = try Schema(entities + more.filter { known[$0.name] == nil })
        for shape in shapes + internalShapes where schema[shape.name] != shape {
            let added = Set(schema[shape.name]?.slots.map(\.name) ?? []).subtracting(shape.slots.map(\.name))
            throw PersistenceError(
                .schemaChange,
                "the new entities need more room in the records of '\(shape.name)'"
                    + (added.isEmpty ? "" : ", for \(added.sorted().joined(separator: ", "))")
                    + ": give the store the whole schema from the beginning")
        }
        return schema
    }
}
