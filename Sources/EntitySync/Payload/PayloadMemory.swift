import SyncPersistence

/// The last complete payload of an entity.
///
/// A sync skips an object with the same bytes if none of the records that it specifies has changed since. A payload is
/// expected to repeat the last one in its order: an object whose digest is that of the expected entry is not parsed.
/// Other objects find their entry by the token of their key.
final class PayloadMemory {
    private let transaction: any PayloadStore
    let entity: String

    /// The remembered objects.
    private(set) var entries = PayloadEntries()

    /// The commits that have changed what tokens stand for.
    private enum Marks {
        case none
        case all([UInt64: Int64])
        /// Looked up one by one, because there are many.
        case stored
    }
    private var marks = Marks.none
    /// The commit that has stored the entries.
    private var sequence: Int64 = 0
    /// The numbers of the stored groups.
    private var groups: Set<Int64> = []

    /// The position of each entry's object in the payload at hand; -1 for none yet.
    private var positions: [Int32] = []
    /// The entry that is expected next.
    private var next = 0
    private var foundCount = 0
    private var expectedCount = 0
    /// The entries by their tokens, once that is needed.
    private var index: TokenTable?

    /// How many bytes may be hashed in vain: grows with hits, shrinks with misses.
    private var budget = 1 << 20

    /// The number of the list of groups, and what it begins with in this format.
    private static let header: Int64 = -1
    private static let format: UInt64 = 0x5041_594C_4F41_4402

    /// Loads the last payload of an entity. O(number of entries)
    init(of entity: String, in transaction: any PayloadStore) throws {
        self.transaction = transaction
        self.entity = entity
        guard let header = try transaction.payloadNote(entity, Self.header) else { return }
        let numbers = header.withUnsafeBytes { [UInt64](bytes: $0) }
        guard numbers.count >= 2, numbers[0] == Self.format else {
            try forget()
            return
        }
        sequence = Int64(bitPattern: numbers[1])
        groups = Set(numbers[2...].map { Int64(bitPattern: $0) })
        if try sequence <= transaction.payloadHorizon() { return }
        guard try load(numbers[2...].map { Int64(bitPattern: $0) }) else {
            entries = PayloadEntries()
            try forget()
            return
        }
        positions = Array(repeating: -1, count: entries.count)
        let markCount = try transaction.markCount() ?? 0
        if markCount > 0 { marks = markCount < entries.count * 4 ? .all(try transaction.marks()) : .stored }
    }

    /// The number of entries.
    var count: Int { entries.count }

    /// The token of an entry's record.
    func token(of entry: Int) -> UInt64 { entries.token(of: entry) }

    /// The digest of the bytes of an entry's object.
    func digest(of entry: Int) -> UInt64 { entries.digest(of: entry) }

    /// Whether nothing has changed that an entry's object specifies.
    func isCurrent(_ entry: Int) throws -> Bool {
        switch marks {
        case .none: return true
        case .all(let marks): return !entries.coverage(of: entry).contains { marks[$0] ?? 0 > sequence }
        case .stored: return try !entries.coverage(of: entry).contains { try transaction.mark($0) ?? 0 > sequence }
        }
    }

    /// The entry of a record; nil if there is none. O(1), but for the first call, which is O(number of entries)
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
    /// The entry of the object that probably comes next; nil if none is likely.
    func expected() throws -> Int? {
        while next < entries.count, positions[next] >= 0 { next += 1 }
        guard budget > 0, next < entries.count, entries.extent(of: next) != nil, try isCurrent(next) else { return nil }
        return next
    }

    /// Records that the object of the expected entry has come.
    func confirm(_ entry: Int, at position: Int) {
        budget += entries.extent(of: entry)?.length ?? 0
        expectedCount += 1
        find(entry, at: position)
    }

    /// Records that something else has come.
    func reject(_ entry: Int) { budget -= entries.extent(of: entry)?.length ?? 0 }

    /// Records that an object with the token of an entry has come, after which the following entry is expected.
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

    /// Whether a payload of objects that all have an entry is the remembered one, about in its order.
    func isRepeated(by count: Int) -> Bool {
        count == entries.count && count == foundCount && (count - expectedCount) * 16 <= count
    }
}

extension PayloadMemory {
    /// Replaces the remembered objects.
    ///
    /// - Complexity: O(number of entries), and one row for each group of about 80 that has changed
    func store(_ entries: PayloadEntries) throws {
        let sequence = try transaction.expectedSequence()
        var header = [Self.format, UInt64(bitPattern: sequence)]
        var former = groups
        groups = []
        for group in entries.groups {
            let content = entries.content(of: group)
            let number = Self.number(of: content)
            header.append(UInt64(bitPattern: number))
            groups.insert(number)
            if former.remove(number) == nil { try transaction.setPayloadNote(entity, number, content.bytes) }
        }
        for number in former.sorted() { try transaction.setPayloadNote(entity, number, nil) }
        try transaction.setPayloadNote(entity, Self.header, header[...].bytes)
        self.entries = entries
        self.sequence = sequence
    }

    /// Loads groups in their order; false if one of them is missing or damaged.
    private func load(_ numbers: [Int64]) throws -> Bool {
        var contents: [Int64: [UInt64]] = [:]
        contents.reserveCapacity(numbers.count)
        var count = 0
        try transaction.forEachPayloadNote(of: entity) { number, content in
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

    /// Removes stored groups of another format, or damaged ones.
    private func forget() throws {
        var numbers: [Int64] = []
        try transaction.forEachPayloadNote(of: entity) { number, _ in
            numbers.append(number)
            return true
        }
        for number in numbers { try transaction.setPayloadNote(entity, number, nil) }
        groups = []
    }

    /// The number of a group: the digest of its content.
    private static func number(of content: ArraySlice<UInt64>) -> Int64 {
        Int64(bitPattern: content.withUnsafeBytes { ContentDigest.digest(of: $0, seed: 0) } >> 1)
    }
}

extension PayloadMemory {
    /// The number of the unknown keys.
    private static let unknownKeys: Int64 = .min

    /// Adds the unknown keys of the last payload if objects of this one were skipped, and stores all of them.
    func updateUnknownKeys(of reports: SyncReports, hasSkipped: Bool) throws {
        let stored = try transaction.payloadNote(entity, Self.unknownKeys)
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
        if content != stored { try transaction.setPayloadNote(entity, Self.unknownKeys, content) }
    }
}

extension ArraySlice<UInt64> {
    /// The words as bytes, the lowest first.
    fileprivate var bytes: [UInt8] {
        map { $0.littleEndian }.withUnsafeBytes { Array<UInt8>($0) }
    }
}

extension [UInt64] {
    /// The words of bytes.
    fileprivate init(bytes: UnsafeRawBufferPointer) {
        self.init(unsafeUninitializedCapacity: bytes.count / 8) { words, count in
            count = bytes.count / 8
            for word in 0..<count {
                words[word] = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self))
            }
        }
    }
}
