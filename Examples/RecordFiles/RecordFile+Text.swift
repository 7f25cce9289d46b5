/// What stands around the records of a file, and how records are written in its manner.
package struct RecordTextForm: Hashable {
    /// The text before the first record.
    package let prefix: String
    /// The text between two records, the comma with it.
    package let separator: String
    /// The text after the last record.
    package let suffix: String
    /// What ends the first line of the file.
    package let newline: String
    /// Whether a record stands in each line.
    package let isLines: Bool
    /// The text of the first record; empty if there is none.
    package let sample: String

    /// The comma between records; empty in JSON lines.
    package var comma: String { separator.hasPrefix(",") ? "," : "" }

    /// What a record's first line begins with.
    package var indentation: String {
        let lines = separator.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard lines.count > 1, let last = lines.last else { return "" }
        return String(last)
    }

    /// The text of another record, in the manner of the records of the file.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - model: The text of an earlier version of it, whose order of members it takes; nil if there is none.
    ///   - first: The names of the members that stand first, if there is no earlier version.
    package func text(of record: Record, likeTextOf model: String?, first: [MemberName]) -> String {
        let order = model.map(JSONLine.memberNames) ?? first
        // Other line separators, such as U+2028, may be in texts.
        func hasLines(_ text: String) -> Bool { text.utf8.contains(UInt8(ascii: "\n")) }
        let sample = model.flatMap { isLines && hasLines($0) ? nil : $0 } ?? self.sample
        if hasLines(sample) {
            let text = JSONValue.object(record).indented(first: order, by: indentation)
            return newline == "\n" ? text : text.replacing("\n", with: newline)
        }
        return JSONLine(order: order, isCompact: sample.contains("\":") && !sample.contains("\": "))
            .text(of: .object(record))
    }
}

extension RecordFile {
    /// What stands around the records; a plain form for a file without records.
    ///
    /// - Complexity: O(size of the file)
    package var textForm: RecordTextForm {
        let end = document.bytes.firstIndex(of: UInt8(ascii: "\n")) ?? 0
        let newline = end > 0 && document.bytes[end - 1] == UInt8(ascii: "\r") ? "\r\n" : "\n"
        let (prefix, separator, suffix) = surroundings(newline: newline)
        return RecordTextForm(
            prefix: prefix, separator: separator, suffix: suffix, newline: newline, isLines: isLines,
            sample: ranges.isEmpty ? "" : text(at: 0))
    }

    private func surroundings(newline: String) -> (prefix: String, separator: String, suffix: String) {
        guard let first = ranges.first, let last = ranges.last else {
            if isLines { return ("", newline, newline) }
            let (start, end) = (newline + "  ", newline)
            guard let array = document.arrays[member ?? ""] else {
                return ("[" + start, "," + start, end + "]" + end)
            }
            return (
                text(of: 0..<array.lowerBound) + "[" + start, "," + start,
                end + text(of: (array.upperBound - 1)..<document.bytes.count)
            )
        }
        let prefix = text(of: 0..<first.lowerBound)
        let suffix = text(of: last.upperBound..<document.bytes.count)
        if isLines { return (prefix, newline, suffix) }
        if ranges.count > 1 {
            // What stands between comma and record, without spaces before the comma.
            let between = text(of: first.upperBound..<ranges[1].lowerBound)
            return (prefix, "," + between.drop { $0 != "," }.dropFirst(), suffix)
        }
        let opening = prefix.lastIndex(of: "[").map { prefix[prefix.index(after: $0)...] } ?? ""
        return (prefix, "," + (opening.isEmpty ? " " : opening), suffix)
    }

    /// The text of a record, as it stands in the file.
    package func text(at position: Int) -> String { text(of: ranges[position]) }

    /// The text between a record and the one before it; nil for the first one.
    package func text(before position: Int) -> String? {
        position > 0 ? text(of: ranges[position - 1].upperBound..<ranges[position].lowerBound) : nil
    }

    /// The text of the whole file, without a byte order mark.
    package var text: String { text(of: document.bytes.indices) }

    private func text(of range: Range<Int>) -> String {
        String(decoding: document.bytes[range], as: UTF8.self)
    }
}

/// Writes JSON on one line.
package struct JSONLine {
    /// The names of members of the outermost object that stand first, in order; the others follow by name.
    package let order: [MemberName]
    /// Whether no space stands after commas and colons.
    package let isCompact: Bool

    package init(order: [MemberName], isCompact: Bool = false) {
        self.order = order
        self.isCompact = isCompact
    }

    package func text(of value: JSONValue) -> String { text(of: value, order) }

    private func text(of value: JSONValue, _ order: [MemberName]) -> String {
        let (comma, colon) = isCompact ? (",", ":") : (", ", ": ")
        switch value {
        case .null, .bool, .number, .string:
            return value.description
        case .array(let elements):
            return "[" + elements.map { text(of: $0, []) }.joined(separator: comma) + "]"
        case .object(let members):
            let leading = order.filter { members[$0] != nil }
            let names = leading + members.keys.filter { !leading.contains($0) }.sorted()
            let parts = names.map { $0.quoted + colon + text(of: members[$0] ?? .null, []) }
            return "{" + parts.joined(separator: comma) + "}"
        }
    }

    /// Returns the names of an object's members in the order of its text, which is valid JSON.
    package static func memberNames(of text: String) -> [MemberName] {
        let bytes = Array(text.utf8)
        var names: [MemberName] = []
        var (depth, position, start) = (0, 0, 0)
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""):
                start = position
                position += 1
                while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
                    position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
                }
            case UInt8(ascii: ":") where depth == 1:
                if let end = bytes[start..<position].lastIndex(of: UInt8(ascii: "\"")),
                    case .string(let name)? = try? JSONDocument(bytes[start...end]).root
                {
                    names.append(MemberName(name))
                }
            default: break
            }
            position += 1
        }
        return names
    }
}
