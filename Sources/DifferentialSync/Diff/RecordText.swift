/// Renders elements on one line, for descriptions.
struct RecordText {
    /// The longest line, in characters.
    let width: Int

    /// Returns text such as `{id: 1, text: "milk"}` for a record, the value's own description for anything else.
    ///
    /// - Parameter key: The key of the record, if it is known: it stands first and is never shortened.
    func text(_ element: Any, key: Any?) -> String {
        guard var record = RecordFields(element, key: key) else {
            return shortened(RecordText.text(of: element), width)
        }
        record.moveKeyToFront()
        return text(record, keys: record.keyTexts, rest: record.otherFields.map { "\($0.name): \(fieldText($0.text))" })
    }

    /// Returns the change from one element to another: for records the key, then the changed fields.
    func text(from old: Any, to new: Any, key: Any?) -> String {
        guard var oldRecord = RecordFields(old, key: key), let newRecord = RecordFields(new, key: key) else {
            let half = Swift.max(8, (width - 3) / 2)
            return shortened(RecordText.text(of: old), half) + " → " + shortened(RecordText.text(of: new), half)
        }
        let news = Dictionary(newRecord.fields.map { ($0.name, $0.text) }) { first, _ in first }
        oldRecord.moveKeyToFront { news[$0.name] == $0.text }
        let olds = Dictionary(oldRecord.fields.map { ($0.name, $0.text) }) { first, _ in first }
        var same: [String] = []
        var changed: [String] = []
        for name in oldRecord.otherFields.map(\.name) + newRecord.fields.map(\.name).filter({ olds[$0] == nil }) {
            let old = olds[name].map(fieldText) ?? "none"
            if olds[name] == news[name] {
                same.append("\(name): \(old)")
            } else {
                changed.append("\(name): \(old) → \(news[name].map(fieldText) ?? "none")")
            }
        }
        let keys = oldRecord.keyFields.map { field in
            let new = news[field.name] ?? "none"
            return "\(field.name): \(field.text)" + (oldRecord.isKeyComputed || new == field.text ? "" : " → \(new)")
        }
        // The changed fields have the room first; an unchanged one stands beside the key if it fits.
        var room = width - (keys + changed).reduce(4 + oldRecord.title.count) { $0 + $1.count + 2 }
        var shown: [String] = []
        for field in same where keys.count + shown.count < 2 && field.count + 2 <= room {
            shown.append(field)
            room -= field.count + 2
        }
        return text(oldRecord, keys: keys, rest: shown + changed + (shown.count < same.count ? ["…"] : []))
    }

    /// The fields in braces: the key in full, as much of the rest as there is room for.
    private func text(_ record: RecordFields, keys: [String], rest: [String]) -> String {
        let head = keys.joined(separator: ", ")
        if rest.isEmpty { return "\(record.title){\(head)}" }
        let start = record.title + "{" + (head.isEmpty ? "" : head + ", ")
        return start + shortened(rest.joined(separator: ", "), Swift.max(16, width - start.count - 1)) + "}"
    }

    /// A value inside a record, cut so that others find room beside it.
    private func fieldText(_ text: String) -> String {
        shortened(text, Swift.max(8, width / 5 * 2))
    }

    private func shortened(_ text: String, _ length: Int) -> String {
        text.count > length ? text.prefix(Swift.max(1, length - 1)) + "…" : text
    }
}

extension RecordText {
    /// A value on one line: strings in quotes, optionals unwrapped.
    static func text(of value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional {
            return mirror.children.first.map { text(of: $0.value) } ?? "nil"
        }
        if let string = value as? String { return printable(string.debugDescription) }
        return printable(String(describing: value).split(whereSeparator: \.isNewline).joined(separator: " "))
    }

    /// A text in which control characters are written as escapes, so that none of them reaches a terminal, and none
    /// that turns the direction of the text around.
    static func printable(_ text: String) -> String {
        if !text.unicodeScalars.contains(where: isControl) { return text }
        return text.unicodeScalars.map { scalar in
            isControl(scalar) ? "\\u{\(String(scalar.value, radix: 16, uppercase: true))}" : String(scalar)
        }.joined()
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: scalar.properties.isBidiControl
        default: false
        }
    }
}
