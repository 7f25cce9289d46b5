#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A file of records: a JSON array of objects, an object in which exactly one member is an array, or JSON lines.
package struct RecordFile {
    /// The name by which errors speak of the file.
    package let name: String

    /// The records, in the order of the file.
    package let records: [Record]

    package let document: JSONDocument

    /// Where the records stand.
    package let ranges: [Range<Int>]

    /// Whether a record stands in each line.
    package let isLines: Bool

    /// Whether the text begins with a byte order mark, which is not in `document`.
    package let hasByteOrderMark: Bool

    /// The member that holds the records, or nil if the root does.
    let member: MemberName?
}

extension RecordFile {
    /// Whether a file of that name has JSON lines; nil for names that do not tell.
    package static func isLines(name: String) -> Bool? {
        if name.hasSuffix(".jsonl") || name.hasSuffix(".ndjson") { return true }
        return name.hasSuffix(".json") ? false : nil
    }

    /// Reads a file.
    ///
    /// An empty file has no records, and neither has the null device.
    ///
    /// - Parameters:
    ///   - path: Where the file is.
    ///   - name: The name of the file in errors; nil for its path.
    ///   - isLines: Whether it has JSON lines; nil to tell by name and content.
    /// - Throws: ``InputError`` that names the file and, where it is not JSON or not of records, the place.
    package init(path: String, shownAs name: String? = nil, isLines: Bool? = nil) throws(InputError) {
        if path == "/dev/null" {
            try self.init(text: [], name: name ?? path, isLines: true)
            return
        }
        var isDirectory = false
        if !FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) {
            throw InputError("there is no such file", in: name ?? path)
        }
        if isDirectory { throw InputError("this is a folder, not a file", in: name ?? path) }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw InputError("the file cannot be read", in: name ?? path)
        }
        try self.init(text: data, name: name ?? path, isLines: isLines ?? RecordFile.isLines(name: path))
    }

    /// Reads a text.
    package init(text: some Collection<UInt8>, name: String, isLines: Bool? = nil) throws(InputError) {
        let isLines = isLines ?? RecordFile.looksLikeLines(text)
        self.isLines = isLines
        hasByteOrderMark = text.starts(with: [0xEF, 0xBB, 0xBF])
        do {
            document = try isLines || text.isEmpty ? JSONDocument(lines: text) : JSONDocument(text)
        } catch {
            throw InputError("\(error)", in: name, at: error.location)
        }
        self.name = name
        let values: [JSONValue]
        (values, member) = try RecordFile.array(of: document, name: name)
        if let member { ranges = document.elementsByMember[member] ?? [] } else { ranges = document.elements }
        var records: [Record] = []
        for (position, value) in values.enumerated() {
            guard case .object(let record) = value else {
                throw InputError(
                    "record \(position + 1) is \(value.kind), expected an object", in: name,
                    at: document.location(of: ranges[position].lowerBound))
            }
            records.append(record)
        }
        self.records = records
    }

    /// Whether a text has JSON lines: nothing, an object in each of several lines, or one that holds no array.
    private static func looksLikeLines(_ content: some Collection<UInt8>) -> Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = Array(content.starts(with: mark) ? content.dropFirst(mark.count) : content[...])
        // Most files are an array.
        if let first = text.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }), first != UInt8(ascii: "{") {
            return false
        }
        let lines = text.split(separator: UInt8(ascii: "\n")).filter { line in
            line.contains { ![0x20, 0x09, 0x0D].contains($0) }
        }
        guard let first = lines.first else { return true }
        guard let document = try? JSONDocument(first), case .object(let members) = document.root else { return false }
        if lines.count > 1 { return true }
        return !members.values.contains { if case .array = $0 { true } else { false } }
    }

    private static func array(
        of document: JSONDocument, name: String
    ) throws(InputError) -> (values: [JSONValue], member: MemberName?) {
        let expected = "expected an array of records, or an object with one"
        switch document.root {
        case .array(let values):
            return (values, nil)
        case .object(let members):
            let arrays = members.compactMap { name, value in
                if case .array(let values) = value { (values, name) } else { nil }
            }
            if arrays.count == 1 { return arrays[0] }
            let names = arrays.map { $0.1.quoted }.sorted().joined(separator: ", ")
            let count = arrays.isEmpty ? "an object without an array" : "an object with \(arrays.count) arrays, "
            let found = count + names
            throw InputError("found \(found); \(expected)", in: name, at: document.location(of: 0))
        default:
            throw InputError("found \(document.root.kind); \(expected)", in: name, at: document.location(of: 0))
        }
    }

    /// The file's text with other records in the place of its own.
    package func text(holding records: [Record], key: [MemberName]) -> String {
        if isLines {
            return records.map { JSONLine(order: key).text(of: .object($0)) + "\n" }.joined()
        }
        var root = JSONValue.array(records.map { .object($0) })
        if let member, case .object(var members) = document.root {
            members[member] = root
            root = .object(members)
        }
        return root.indented(first: key) + "\n"
    }
}

extension RecordFile {
    /// Throws for the first record that lacks a part of the key, and for two different records with one key.
    ///
    /// - Complexity: O(number of records · number of names)
    package func check(key names: [MemberName]) throws(InputError) {
        var positions: [[JSONValue]: Int] = [:]
        for (position, record) in records.enumerated() {
            for name in names { try checkPart(name, of: record, at: position) }
            let key = record.key(names)
            guard let earlier = positions.updateValue(position, forKey: key), records[earlier] != record else {
                continue
            }
            let line = document.location(of: ranges[earlier].lowerBound).line
            throw error(
                "has the key \(key.map(\.description).joined(separator: ", ")), as has record \(earlier + 1) in line "
                    + "\(line), which differs from it: make the keys unique, or name a key of more parts: --key a,b",
                at: position)
        }
    }

    private func checkPart(_ name: MemberName, of record: Record, at position: Int) throws(InputError) {
        switch record[name] {
        case .string, .number, .bool:
            return
        case nil:
            let names = record.keys.sorted()
            let shown = names.prefix(12).map(\.quoted).joined(separator: ", ") + (names.count > 12 ? ", …" : "")
            throw error(
                "has no \(name.quoted), which is part of the key; it has "
                    + (names.isEmpty ? "no members" : shown), at: position)
        case let value?:
            throw error(
                "has \(value.kind) for \(name.quoted), expected a string, a number or a boolean, "
                    + "as it is part of the key", at: position)
        }
    }

    private func error(_ message: String, at position: Int) -> InputError {
        InputError(
            "record \(position + 1) \(message)", in: name, at: document.location(of: ranges[position].lowerBound))
    }
}

extension Record {
    /// The values of the parts of the key; null for one that is missing.
    package func key(_ names: [MemberName]) -> [JSONValue] {
        names.map { self[$0] ?? .null }
    }
}
