extension MarkupElement {
    /// Returns whether an attribute is `YES`; false for `NO` or a missing attribute.
    ///
    /// It reports a fault for another value.
    func flag(_ name: String, _ subject: String, _ log: inout FindingLog) -> Bool {
        guard let attribute = self.attribute(name) else { return false }
        switch attribute.value {
        case "YES", "true", "1": return true
        case "NO", "false", "0", "": return false
        default:
            log.fault(attribute.position, subject, "'\(name)' is '\(attribute.value)': write YES or NO")
            return false
        }
    }

    /// Returns the entries of a `userInfo` element, which belongs to an entity or a property.
    ///
    /// If a key is repeated, the last value counts, with a notice.
    func entries(_ subject: String, _ log: inout FindingLog) -> [String: String] {
        log.reportUnusedAttributes(of: self, subject)
        var words: [String: String] = [:]
        for entry in children {
            if entry.name != "entry" {
                log.reportSkipped(entry, subject)
                continue
            }
            log.reportUnusedAttributes(of: entry, subject)
            guard let key = entry["key"] else {
                log.notice(entry.position, subject, "an entry without a key is passed over")
                continue
            }
            if words.updateValue(entry["value"] ?? "", forKey: key) != nil {
                log.notice(entry.position, subject, "'\(key)' occurs twice: the last one counts")
            }
        }
        return words
    }
}
