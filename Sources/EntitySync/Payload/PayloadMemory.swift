import SyncPersistence

/// The last complete payload of an entity.
///
/// A sync skips an object with the same bytes if none of the records that it specifies has changed since. A payload is
/// expected to repeat the last one in its order: an object whose digest is that of the expected entry is not parsed.
/// Other objects find their entry by the token of their key.
final class PayloadMemory {
    /// The rows in which the memory is stored.
    private let rows: PayloadRows
    /// Has the marks of changed records and relationships.
    private let markStore: PayloadMarks
    /// The name of the entity.
    let entity: String

    /// The remembered objects.
    private(set) var entries = PayloadEntries()

    /// The commits that have changed the records and relationships of tokens.
    private enum Marks {
        /// No commit has changed any of them.
        case none
        /// The commits by token.
        case all([UInt64: Int64])
        /// The commits are read one by one, because there are many.
        case stored
    }
    /// The commits that are compared with `sequence`.
    private var marks = Marks.none
    /// The commit that has stored the entries.
    private var sequence: Int64 = 0
    /// The numbers of the stored groups.
    private var groups: Set<Int64> = []

    /// The position of each entry's object in the current payload; -1 if it was not found yet.
    private var positions: [Int32] = []
    /// The next expected entry.
    private var next = 0
    /// The number of entries whose object was found.
    private var foundCount = 0
    /// The number of objects that were expected.
    private var expectedCount = 0
    /// The entries by token, built on first use.
    private var index: TokenTable?

    /// The number of bytes that may still be hashed in vain.
    ///
    /// It grows with hits and shrinks with misses.
    private var budget = 1 << 20

    /// The number of the row that lists the groups.
    private static let header: Int64 = -1
    /// The first word of that row, which identifies the format.
    private static let format: UInt64 = 0x5041_594C_4F41_4402

    /// Loads the last payload of an entity.
    ///
    /// - Complexity: O(number of entries)
    init(of entity: String, in transaction: any PayloadStore) throws {
        (rows, markStore) = (transaction.payloadRows, transaction.payloadMarks)
        self.entity = entity
        guard let header = try rows.content(entity, Self.header) else { return }
        let numbers = header.withUnsafeBytes { [UInt64](bytes: $0) }
        guard numbers.count >= 2, numbers[0] == Self.format else {
            try forget()
            return
        }
        sequence = Int64(bitPattern: numbers[1])
        groups = Set(numbers[2...].map { Int64(bitPattern: $0) })
        if try sequence <= markStore.horizon() { return }
        guard try load(numbers[2...].map { Int64(bitPattern: $0) }) else {
            entries = PayloadEntries()
            try forget()
            return
        }
        positions = Array(repeating: -1, count: entries.count)
        let markCount = try markStore.count() ?? 0
        if markCount > 0 { marks = markCount < entries.count * 4 ? .all(try markStore.all()) : .stored }
    }

    /// The number of entries.
    var count: Int { entries.count }

    /// Returns the token of an entry's record.
    func token(of entry: Int) -> UInt64 { entries.token(of: entry) }

    /// Returns the digest of the bytes of an entry's object.
    func digest(of entry: Int) -> UInt64 { entries.digest(of: entry) }

    /// Whether no record or relationship that an entry's object specifies has changed.
    func isCurrent(_ entry: Int) throws -> Bool {
        switch marks {
        case .none: return true
        case .all(let marks): return !entries.coverage(of: entry).contains { marks[$0] ?? 0 > sequence }
        case .stored: return try !entries.coverage(of: entry).contains { try markStore.commit(of: $0) ?? 0 > sequence }
        }
    }

    /// Returns the entry of a record; nil if there is none.
    ///
    /// - Complexity: O(1), except for the first call, which is O(number of entries)
    func entry(of token: UInt64) -> Int? {
        if next < entries.count, entries.token(of: next) == token { return next }
        if index == nil {
            var table = TokenTable()
            table.reserve(entries.count)
            for entry in 0..<entries.count { table[entries.token(of: entry)] = entry }
            index = table
        }
        return index?[token]
    }
}

extension PayloadMemory {
    /// Returns the entry of the object that probably comes next; nil if none is likely.
    func expected() throws -> Int? {
        // Only a few found entries are passed: in a payload in reverse order, all entries up to the end are found.
        let end = min(next + 16, entries.count)
        while next < end, positions[next] >= 0 { next += 1 }
        guard budget > 0, next < end, entries.extent(of: next) != nil, try isCurrent(next) else { return nil }
        return next
    }

    /// Records that the expected object was found.
    func confirm(_ entry: Int, at position: Int) {
        budget += entries.extent(of: entry)?.length ?? 0
        expectedCount += 1
        find(entry, at: position)
    }

    /// Records that another object was found instead of the expected one.
    func reject(_ entry: Int) { budget -= entries.extent(of: entry)?.length ?? 0 }

    /// Records that an object with the token of an entry was found.
    ///
    /// The following entry is expected next.
    ///
    /// - Returns: The position of an earlier object with the same token.
    @discardableResult
    func find(_ entry: Int, at position: Int) -> Int? {
        if positions[entry] >= 0 { return Int(positions[entry]) }
        positions[entry] = Int32(clamping: position)
        foundCount += 1
        next = entry + 1
        return nil
    }

    /// Whether the payload repeats the remembered one, in about the same order.
    ///
    /// - Parameter count: The number of the payload's objects, all of which have an entry.
    func isRepeated(by count: Int) -> Bool {
        count == entries.count && count == foundCount && (count - expectedCount) * 16 <= count
    }
}

extension PayloadMemory {
    /// Replaces the remembered objects, in the commit with a number.
    ///
    /// - Complexity: O(number of entries), with one write for each group of about 80 entries that has changed
    func store(_ entries: PayloadEntries, in sequence: Int64) throws {
        var header = [Self.format, UInt64(bitPattern: sequence)]
        var former = groups
        groups = []
        for group in entries.groups {
            let content = entries.content(of: group)
            let number = Self.number(of: content)
            header.append(UInt64(bitPattern: number))
            groups.insert(number)
            if former.remove(number) == nil { try rows.set(entity, number, content.bytes) }
        }
        for number in former.sorted() { try rows.set(entity, number, nil) }
        try rows.set(entity, Self.header, header[...].bytes)
        self.entries = entries
        self.sequence = sequence
    }

    /// Loads groups in their order; returns false if one of them is missing or damaged.
    private func load(_ numbers: [Int64]) throws -> Bool {
        var contents: [Int64: [UInt64]] = [:]
        contents.reserveCapacity(numbers.count)
        var count = 0
        try rows.forEach(of: entity) { number, content in
            if number >= 0 { contents[number] = [UInt64](bytes: content) }
            count += content.count / 8
            return true
        }
        entries.reserve(count / 4, wordCount: count)
        return numbers.allSatisfy { number in
            guard let content = contents.removeValue(forKey: number), Self.number(of: content[...]) == number else {
                return false
            }
            return entries.append(stored: content)
        }
    }

    /// Removes all stored groups, because they are damaged or of another format.
    private func forget() throws {
        for number in try rows.numbers(of: entity) { try rows.set(entity, number, nil) }
        groups = []
    }

    /// Returns the number of a group: the digest of its content.
    private static func number(of content: ArraySlice<UInt64>) -> Int64 {
        Int64(bitPattern: content.withUnsafeBytes { ContentDigest.digest(of: $0, seed: 0) } >> 1)
    }
}

extension PayloadMemory {
    /// The number of the row that stores the unknown keys.
    private static let unknownKeys: Int64 = .min

    /// Stores the unknown keys of the payload.
    ///
    /// If objects were skipped, the unknown keys of the last payload are kept.
    func updateUnknownKeys(of reports: SyncReports, hasSkipped: Bool) throws {
        let stored = try rows.content(entity, Self.unknownKeys)
        if hasSkipped, let stored,
            case .object(let known)? = try? Value(taggedJSON: String(decoding: stored, as: UTF8.self))
        {
            for case let member in known.members {
                guard case .array(let names) = member.value else { continue }
                let texts = names.compactMap { name in if case .string(let text) = name { text } else { nil } }
                reports.addUnknown(texts, of: member.name)
            }
        }
        let keys = reports.content.unknownNames.sorted { $0.key < $1.key }.map { entity, names in
            ValueObject.Member(name: entity, value: .array(names.sorted().map { .string($0) }))
        }
        let content = keys.isEmpty ? nil : Array(Value.object(ValueObject(keys)).taggedJSON.utf8)
        if content != stored { try rows.set(entity, Self.unknownKeys, content) }
    }
}

extension ArraySlice<UInt64> {
    /// The words as bytes, in little-endian order.
    fileprivate var bytes: [UInt8] {
        map { $0.littleEndian }.withUnsafeBytes { Array<UInt8>($0) }
    }
}

extension [UInt64] {
    /// Creates the words of bytes in little-endian order.
    fileprivate init(bytes: UnsafeRawBufferPointer) {
        self.init(unsafeUninitializedCapacity: bytes.count / 8) { words, count in
            count = bytes.count / 8
            for word in 0..<count {
                words[word] = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self))
            }
        }
    }
}
