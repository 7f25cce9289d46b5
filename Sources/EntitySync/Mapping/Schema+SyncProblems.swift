public import SyncPersistence

extension Schema {
    /// What stands in the way of syncing JSON into entities: attributes that the same names of a remote reach, formats of
    /// dates that are none, choices that are none, sources of attributes that are of no use, lists of objects that nothing
    /// tells apart, and properties that would be exported under the same key.
    ///
    /// A sync that comes to an entity with one of the first four throws it. A list of objects without keys that may belong
    /// to several records is reported by each sync. Clashing keys are thrown by an export with the default options. A test
    /// of the schema finds all of them before:
    ///
    /// ```swift
    /// #expect(schema.syncProblems.isEmpty)
    /// ```
    ///
    /// - Complexity: O(number of attributes, inherited ones counted for each entity)
    public var syncProblems: [SyncError] {
        // What an entity inherits has been said of the one that it inherits.
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

    /// An error for each relationship to many records without a key that may belong to several.
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

    /// An error for each entity of which two properties have the same key in an export, or exclude each other.
    private var exportClashes: [SyncError] {
        guard let plans = try? ExportPlans(self, ExportOptions(), []) else { return [] }
        // The same names have the same keys.
        var clashing = Set(shapes.filter { !$0.ambiguousNames.isEmpty }.map(\.name))
        return shapes.sorted { $0.lineage.count < $1.lineage.count }.compactMap { shape in
            // What an entity inherits has been said of the one that it inherits.
            guard shape.role == nil, clashing.isDisjoint(with: shape.lineage) else { return nil }
            do {
                _ = try plans.plan(of: shape)
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

extension Entity {
    /// An error for each relationship whose choice for records that are no longer listed is none.
    var invalidUnlisted: [SyncError] {
        relationships.compactMap { relationship in
            guard let choice = relationship.userInfo[EntityVocabulary.unlisted],
                UnlistedRecords(rawValue: choice) == nil
            else { return nil }
            let choices = UnlistedRecords.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
            return SyncError(
                .invalidChoice,
                "the '\(EntityVocabulary.unlisted)' of '\(name).\(relationship.name)' is '\(choice)': write one of \(choices)"
            )
        }
    }

    /// An error for each attribute whose format of dates is none.
    var invalidDateFormats: [SyncError] {
        attributes.compactMap { attribute in
            guard attribute.type == .date, let format = attribute.dateFormat, DatePattern(format) == nil else {
                return nil
            }
            return SyncError(
                .invalidDateFormat,
                "the format '\(format)' of '\(name).\(attribute.name)' is no format of dates: write 'rfc2822' or a pattern "
                    + "such as 'dd.MM.yyyy HH:mm'")
        }
    }
}

extension Shape {
    /// An error for each attribute that the same names reach as another before it.
    var ambiguousNames: [SyncError] {
        var first: [NameWords: String] = [:]
        var errors: [SyncError] = []
        for slot in slots where !slot.isInternal {
            guard case .attribute = slot.content else { continue }
            let words = NameWords(slot.name)
            let name = "'\(slot.declaredBy).\(slot.name)'"
            guard let other = first.updateValue(name, forKey: words) else { continue }
            errors.append(
                SyncError(
                    .ambiguousNames, "\(other) and \(name) are both reached by '\(words.snakeCase)': rename one of them"
                ))
        }
        return errors
    }
}
