public import SyncPersistence

extension Schema {
    /// The errors that prevent a sync or export of entities of the schema.
    ///
    /// These are attributes that match the same names, invalid date formats, invalid choices and sources, lists of
    /// objects without a key, and properties with the same export key. A sync of an entity with one of the first four
    /// problems throws it. Each sync reports a list of objects without a key that may have several owners. An export
    /// with the default options throws for conflicting keys. A test of the schema finds all problems early:
    ///
    /// ```swift
    /// #expect(schema.syncProblems.isEmpty)
    /// ```
    ///
    /// - Complexity: O(number of attributes, where inherited ones count for each entity)
    public var syncProblems: [SyncError] {
        // The errors of inherited properties are those of the inherited entity.
        var said: Set<SyncError> = []
        let definitions = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
        let attributes = { (shape: Shape) in
            shape.slots.compactMap { slot in definitions[slot.declaredBy]?.attributes.first { $0.name == slot.name } }
        }
        return shapes.flatMap(\.ambiguousNames).filter { said.insert($0).inserted }
            + entities.flatMap(\.invalidDateFormats) + entities.flatMap(\.invalidUnlisted)
            + shapes.flatMap { $0.invalidSources(attributes($0), in: self) }.filter { said.insert($0).inserted }
            + keylessLists(attributes) + exportClashes
    }

    /// Returns an error for each to-many relationship whose destination has no key and may have several owners.
    private func keylessLists(_ attributes: (Shape) -> [Attribute]) -> [SyncError] {
        entities.flatMap { entity in
            entity.relationships.compactMap { relationship in
                guard relationship.isToMany, let destination = self[relationship.destination],
                    destination.hasImplicitKey,
                    let inverse = relationship.inverse,
                    destination.relationship(named: inverse)?.definition.isToMany == true,
                    !attributes(destination).contains(where: \.isFlaggedKey)
                else { return nil }
                return SyncError(
                    .noPrimaryKey,
                    "objects in lists of '\(entity.name).\(relationship.name)' are not told apart: '\(destination.name)' has "
                        + "no primary key, and its records may belong to several. Flag an attribute of it by "
                        + "'\(EntityVocabulary.isPrimaryKey)', or let '\(inverse)' lead to one record")
            }
        }
    }

    /// The errors for entities with two properties whose export keys exclude each other.
    private var exportClashes: [SyncError] {
        guard let planner = try? ExportPlanner(self, ExportOptions(), []) else { return [] }
        // Equal names have equal keys.
        var clashing = Set(shapes.filter { !$0.ambiguousNames.isEmpty }.map(\.name))
        return shapes.sorted { $0.lineage.count < $1.lineage.count }.compactMap { shape in
            // The errors of inherited properties are those of the inherited entity.
            guard shape.role == nil, clashing.isDisjoint(with: shape.lineage) else { return nil }
            do {
                _ = try planner.plan(of: shape)
                return nil
            } catch let error as PersistenceError where error.code == .keyClash {
                clashing.insert(shape.name)
                return SyncError(.keyClash, error.message)
            } catch {
                return nil
            }
        }
    }
}
