extension FindingLog {
    /// Reports the XML attributes of an element that are skipped.
    ///
    /// - Parameters:
    ///   - element: An element of any kind.
    ///   - subject: The entity or property, such as `User.name`; nil for the model.
    mutating func reportUnusedAttributes(of element: MarkupElement, _ subject: String?) {
        for attribute in element.attributes where !attribute.value.isEmpty {
            switch ModelVocabulary.meaning(of: attribute.name, in: element.name) {
            case .read, .editor: break
            case .ignored(let reason):
                if attribute.value == "NO" { continue }
                notice(attribute.position, subject, "'\(attribute.name)' is passed over: \(reason)")
            case nil:
                notice(attribute.position, subject, "'\(attribute.name)' is not known here, and passed over")
            }
        }
    }

    /// Reports an element that is skipped with all of its content.
    mutating func reportSkipped(_ element: MarkupElement, _ subject: String?) {
        let name = element["name"].map { " '\($0)'" } ?? ""
        let reason =
            ModelVocabulary.ignoredElements[element.name].map { "is passed over: \($0)" }
            ?? "is not known here, and passed over"
        notice(element.position, subject, "the element '\(element.name)'\(name) \(reason)")
    }
}
