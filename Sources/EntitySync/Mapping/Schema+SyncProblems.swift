public import SyncPersistence

extension Schema {
    /// What stands in the way of syncing JSON into entities: attributes that the same names of a remote reach, formats of
    /// dates that are none, choices that are none, and sources of attributes that are of no use.
    ///
    /// A sync that comes to such an entity throws the first of them; a test of the schema finds them before:
    ///
    /// ```swift
    /// #expect(schema.syncProblems.isEmpty)
    /// ```
    ///
    /// - Complexity: O(number of attributes, inherited ones counted for each entity)
    public var syncProblems: [SyncError] {
        // What an entity inherits has been said of the one that it inherits.
        var said: Set<SyncError> = []
        return shapes.flatMap(\.ambiguousNames).filter { said.insert($0).inserted }
            + entities.flatMap(\.invalidDateFormats) + entities.flatMap(\.invalidUnlisted)
            + shapes.flatMap { $0.invalidSources(attributes(of: $0), in: self) }.filter { said.insert($0).inserted }
    }

    /// The definitions of a shape's attributes, inherited ones among them.
    private func attributes(of shape: Shape) -> [Attribute] {
        let definitions = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
        return shape.slots.compactMap { slot in
            definitions[slot.declaredBy]?.attributes.first { $0.name == slot.name }
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
