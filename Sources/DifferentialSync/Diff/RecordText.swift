/// Renders elements on one line, for descriptions.
struct RecordText {
    /// The longest line, in characters.
    let width: Int

    /// Such as `{id: 1, text: "milk"}` for a record, the value's own description for anything else.
    func text(_ element: Any) -> String {
        guard let fields = RecordText.fields(of: element) else { return shortened(RecordText.text(of: element), width) }
        return record(fields.map { "\($0.name): \(fieldText($0.text))" })
    }

    /// The change from one element to another: for records the changed fields, after a few of the others.
    func text(from old: Any, to new: Any) -> String {
        guard let oldFields = RecordText.fields(of: old), let newFields = RecordText.fields(of: new) else {
            let half = Swift.max(8, (width - 3) / 2)
            return shortened(RecordText.text(of: old), half) + " → " + shortened(RecordText.text(of: new), half)
        }
        let olds = Dictionary(oldFields.map { ($0.name, $0.text) }) { first, _ in first }
        let news = Dictionary(newFields.map { ($0.name, $0.text) }) { first, _ in first }
        var same: [String] = []
        var changed: [String] = []
        for name in oldFields.map(\.name) + newFields.map(\.name).filter({ olds[$0] == nil }) {
            let old = olds[name].map(fieldText) ?? "none"
            if olds[name] == news[name] {
                same.append("\(name): \(old)")
            } else {
                changed.append("\(name): \(old) → \(news[name].map(fieldText) ?? "none")")
            }
        }
        // The changed fields have the room first; of the others, two that fit in beside them tell which record it is.
        var room = width - changed.reduce(4) { $0 + $1.count + 2 }
        var shown: [String] = []
        for field in same where shown.count < 2 && field.count + 2 <= room {
            shown.append(field)
            room -= field.count + 2
        }
        return record(shown + changed + (shown.count < same.count ? ["…"] : []))
    }

    private func record(_ fields: [String]) -> String {
        "{" + shortened(fields.joined(separator: ", "), width - 2) + "}"
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

    /// The fields of a record: a dictionary's by name, a structure's in order unless it describes itself; nil for
    /// anything else.
    static func fields(of value: Any) -> [(name: String, text: String)]? {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .dictionary:
            var fields: [(name: String, text: String)] = []
            for child in mirror.children {
                let pair = Mirror(reflecting: child.value).children.map(\.value)
                guard pair.count == 2, let name = pair[0] as? String else { return nil }
                fields.append((printable(name), text(of: pair[1])))
            }
            return fields.sorted { $0.name < $1.name }
        case .struct, .class:
            if value is any CustomStringConvertible || mirror.children.isEmpty { return nil }
            return mirror.children.map { (name: $0.label ?? "", text: text(of: $0.value)) }
        default:
            return nil
        }
    }
}
