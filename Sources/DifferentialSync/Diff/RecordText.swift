/// Renders elements on one line, for descriptions.
struct RecordText {
    /// The longest line, in characters.
    let width: Int

    /// Returns text such as `{id: 1, text: "milk"}` for a record, and the description of any other value.
    ///
    /// - Parameters:
    ///   - element: The record or other value.
    ///   - key: The key of the record, or nil if it is not known. It is written first and never shortened.
    func text(_ element: Any, key: Any?) -> String {
        guard var record = RecordFields(element, key: key) else {
            return shortened(RecordText.text(of: element), width)
        }
        record.moveKeyToFront()
        return text(record, keys: record.keyTexts, rest: record.otherFields.map { "\($0.name): \(fieldText($0.text))" })
    }

    /// Returns the change from one element to another.
    ///
    /// For records, the key and the changed fields.
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
        // The changed fields come first. An unchanged one is written after the key if there is room.
        var room = width - (keys + changed).reduce(4 + oldRecord.title.count) { $0 + $1.count + 2 }
        var shown: [String] = []
        for field in same where keys.count + shown.count < 2 && field.count + 2 <= room {
            shown.append(field)
            room -= field.count + 2
        }
        return text(oldRecord, keys: keys, rest: shown + changed + (shown.count < same.count ? ["…"] : []))
    }

    /// Returns the fields in braces: the key in full, and the rest shortened to the width.
    private func text(_ record: RecordFields, keys: [String], rest: [String]) -> String {
        let head = keys.joined(separator: ", ")
        if rest.isEmpty { return "\(record.title){\(head)}" }
        let start = record.title + "{" + (head.isEmpty ? "" : head + ", ")
        return start + shortened(rest.joined(separator: ", "), Swift.max(16, width - start.count - 1)) + "}"
    }

    /// Returns the text of a field, shortened to two fifths of the width.
    private func fieldText(_ text: String) -> String {
        shortened(text, Swift.max(8, width / 5 * 2))
    }

    /// Returns the first characters of a text, with an ellipsis in the place of the rest.
    private func shortened(_ text: String, _ length: Int) -> String {
        text.count > length ? text.prefix(Swift.max(1, length - 1)) + "…" : text
    }
}

extension RecordText {
    /// Returns a value on one line: strings in quotes, optionals unwrapped.
    static func text(of value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional {
            return mirror.children.first.map { text(of: $0.value) } ?? "nil"
        }
        if let string = value as? String { return printable(string.debugDescription) }
        return printable(String(describing: value).split(whereSeparator: \.isNewline).joined(separator: " "))
    }

    /// Returns the text with escapes for control characters and for characters that change the text's direction.
    static func printable(_ text: String) -> String {
        if !text.unicodeScalars.contains(where: isControl) { return text }
        return text.unicodeScalars.map { scalar in
            isControl(scalar) ? "\\u{\(String(scalar.value, radix: 16, uppercase: true))}" : String(scalar)
        }.joined()
    }

    /// Whether a scalar could break a line, or change the direction of the text after it.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: scalar.properties.isBidiControl
        default: false
        }
    }
}
