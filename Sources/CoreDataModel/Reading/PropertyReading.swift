import SyncPersistence

/// The reading of an `attribute` or `relationship` element into a property of the schema.
///
/// It changes nothing but the log of findings.
struct PropertyReading {
    /// The element.
    let element: MarkupElement
    /// The name of the property.
    let name: String
    /// The property in findings, such as `User.name`.
    let subject: String

    /// Reads an attribute with the keywords of its `userInfo`.
    ///
    /// | keyword | property of the attribute |
    /// |---|---|
    /// | `sync.isPrimaryKey` | `isPrimaryKey` |
    /// | `sync.remoteKey` | `remoteKey` |
    /// | `sync.nonExportable`, with any value | `isExportable`, which becomes false |
    /// | `sync.valueTransformer` | `transformer`, before the transformer of the model |
    ///
    /// All other entries become the attribute's `userInfo`.
    ///
    /// An unknown type is a fault; the attribute is then read as text.
    func attribute(_ log: inout FindingLog) -> Attribute {
        var attribute = Attribute(name, .string)
        let typeName = element["attributeType"] ?? ""
        if let type = ModelVocabulary.types[typeName] {
            attribute.type = type
        } else {
            let names = ModelVocabulary.types.keys.sorted().joined(separator: ", ")
            log.fault(
                element.attribute("attributeType")?.position ?? element.position, subject,
                typeName.isEmpty
                    ? "it has no type: write attributeType=\"String\", or another of \(names)"
                    : "'\(typeName)' is no type of an attribute: write one of \(names)")
        }
        attribute.isOptional = element.flag("optional", subject, &log)
        attribute.isIndexed = element.flag("indexed", subject, &log)
        attribute.renamedFrom = element["elementID"]
        attribute.defaultValue = defaultValue(attribute.type, &log)
        var words = readWords(&log)
        attribute.isPrimaryKey = isFlag(words.take("isPrimaryKey"), &log)
        attribute.remoteKey = remoteKey(words.take("remoteKey"), &log)
        attribute.isExportable = words.take("nonExportable") == nil
        let transformer = typeName == "Transformable" ? element["valueTransformerName"] : nil
        attribute.transformer = words.take("valueTransformer") ?? transformer.flatMap { $0.isEmpty ? nil : $0 }
        attribute.userInfo = words.rest
        // Without a transformer, it can hold text and numbers in a JSON attribute alone.
        if typeName == "Transformable" { attribute.userInfo["sync.isTransformable"] = "YES" }
        reportUnknownKeywords(words, &log)
        if typeName == "Composite" {
            log.notice(element.position, subject, "a composite attribute is kept as a JSON value of any form")
        }
        return attribute
    }

    /// Reads a relationship with the keywords of its `userInfo`.
    ///
    /// The keywords are `sync.remoteKey` and `sync.nonExportable`. The numbers of records are not checked by a store,
    /// so `minCount` and `maxCount` are skipped with a notice.
    ///
    /// It reports a fault and returns nil if neither a destination nor an inverse entity is given.
    func relationship(_ log: inout FindingLog) -> Relationship? {
        guard let destination = element["destinationEntity"] ?? element["inverseEntity"] else {
            log.fault(element.position, subject, "it leads nowhere: name an entity by destinationEntity")
            return nil
        }
        if element["destinationEntity"] == nil {
            log.fault(element.position, subject, "it names no destination: write destinationEntity=\"\(destination)\"")
        }
        let isToMany = element.flag("toMany", subject, &log)
        let isOrdered = element.flag("ordered", subject, &log)
        var relationship =
            isToMany
            ? Relationship(name, toMany: destination, isOrdered: isOrdered) : Relationship(name, to: destination)
        if isOrdered && !isToMany {
            log.notice(element.position, subject, "'ordered' is passed over: it leads to one record")
        }
        relationship.isOptional = element.flag("optional", subject, &log)
        relationship.inverse = element["inverseName"].flatMap { $0.isEmpty ? nil : $0 }
        relationship.renamedFrom = element["elementID"]
        if let rule = element.attribute("deletionRule") {
            if let known = ModelVocabulary.deleteRules[rule.value] {
                relationship.deleteRule = known
            } else {
                log.fault(
                    rule.position, subject,
                    "'\(rule.value)' is no deletion rule: write Nullify, Cascade, Deny or No Action")
            }
        }
        for name in ["minCount", "maxCount"] {
            guard let count = element.attribute(name), isToMany || count.value != "1" else { continue }
            log.notice(count.position, subject, "'\(name)' is passed over: how many records there are is not checked")
        }
        var words = readWords(&log)
        relationship.remoteKey = remoteKey(words.take("remoteKey"), &log)
        relationship.isExportable = words.take("nonExportable") == nil
        relationship.userInfo = words.rest
        reportUnknownKeywords(words, &log)
        return relationship
    }
}

extension PropertyReading {
    /// The `userInfo` of a property, and the keywords of synchronization within it.
    ///
    /// For example, `sync.remoteKey` is the keyword `remoteKey`. Each keyword that is read is removed, and the rest
    /// becomes the `userInfo` of the schema.
    private struct Words {
        /// The entries that no `take(_:)` has removed.
        var rest: [String: String]

        /// Removes the value of a keyword with the prefix `sync.`, or else the older `hyper.`, and returns it.
        mutating func take(_ word: String) -> String? {
            let older = rest.removeValue(forKey: "hyper.\(word)")
            return rest.removeValue(forKey: "sync.\(word)") ?? older
        }
    }

    /// Reads the `userInfo` of a property, and reports its other children as skipped.
    private func readWords(_ log: inout FindingLog) -> Words {
        var words = Words(rest: [:])
        for child in element.children {
            if child.name == "userInfo" {
                words.rest.merge(child.entries(subject, &log)) { _, last in last }
            } else {
                log.reportSkipped(child, subject)
            }
        }
        return words
    }

    /// Reports the entries with the prefix `sync.` or `hyper.` that are not keywords.
    ///
    /// They are probably misspelt.
    private func reportUnknownKeywords(_ words: Words, _ log: inout FindingLog) {
        let isAttribute = element.name == "attribute"
        let known = isAttribute ? ModelVocabulary.wordsOfAttributes : ModelVocabulary.wordsOfRelationships
        for word in words.rest.keys.sorted()
        where (word.hasPrefix("sync.") || word.hasPrefix("hyper.")) && !known.contains(word) {
            log.notice(
                element.position, subject,
                "'\(word)' is no word for \(isAttribute ? "an attribute" : "a relationship") and means "
                    + "nothing: check how it is spelt")
        }
    }

    /// Returns whether the value of a keyword is `YES` or `true`, and reports a value that is neither yes nor no.
    private func isFlag(_ value: String?, _ log: inout FindingLog) -> Bool {
        switch value {
        case "YES", "true": return true
        case nil, "NO", "false": return false
        case let value?:
            log.notice(
                element.position, subject,
                "'\(value)' does not make it the primary key: write YES for 'sync.isPrimaryKey'")
            return false
        }
    }

    /// Returns a remote key; nil, with a notice, for an empty one.
    private func remoteKey(_ value: String?, _ log: inout FindingLog) -> String? {
        if value != "" { return value }
        log.notice(element.position, subject, "an empty 'sync.remoteKey' is passed over: name a key, or take it away")
        return nil
    }
}
