import SyncPersistence

extension Entity {
    /// The errors for relationships with an invalid choice for unlisted records.
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

    /// The errors for attributes with an invalid date format.
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
    /// The errors for attributes that match the same names as an earlier one.
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
