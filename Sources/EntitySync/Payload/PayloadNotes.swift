import SyncPersistence

/// What a store knows of the objects that were synced into an entity: a digest of the bytes of each, and which records
/// it speaks of.
///
/// An object with the same bytes, whose records nobody has changed since, need not be looked at again.
///
/// Notes are kept in buckets of some dozen, by the first bits of the tokens of the objects' records; so a sync of a
/// few objects reads and writes few of them.
final class PayloadNotes {
    /// A note, by the place where it begins.
    struct Note {
        fileprivate let place: Int
        /// The digest of the object that it was made of.
        let digest: UInt64
        /// Whether the object speaks of its own record alone.
        fileprivate let isAlone: Bool
    }

    private let transaction: WriteTransaction
    private let family: String
    /// The number of bits that tell the buckets apart, and the number of notes in them.
    private var bits = 0
    private var count = 0
    /// The notes that have been read or made.
    private var table = NoteTable()
    /// The buckets that have been read, and those that are to be stored.
    private var loaded: Set<Int64> = []
    private var changed: Set<Int64> = []
    /// The bucket in which a note was made last.
    private var latest: Int64?
    private let horizon: Int64
    private let markCount: Int
    private var marks: Marks

    /// The commits in which what tokens stand for has changed.
    private enum Marks {
        case none
        case all([UInt64: Int64])
        case each
    }

    /// In which order the objects of the last payload stood, if that was a large part of them, and how many bytes they had.
    private(set) var order: [PayloadOrder.Item] = []
    private var orderBytes = 0
    private var orderCount = 0
    private var orderDigest: UInt64 = 0
    private var isOrderNew = false

    /// The number of what says how the rest is stored; the order has those below it.
    private static let header: Int64 = -1

    /// The number of the keys that stand for nothing in the objects of the last payload.
    private static let unknownKeys: Int64 = .min

    /// How many notes a bucket has at most, on average.
    private static let bucketSize = 64

    /// How many bits tell buckets apart at most: of hundreds of millions of notes, buckets are larger.
    private static let bitLimit = 22

    /// The notes of an entity, of which none has been read yet.
    init(of entity: String, in transaction: WriteTransaction) throws {
        self.transaction = transaction
        family = entity
        horizon = try transaction.payloadHorizon()
        markCount = try transaction.markCount() ?? 0
        marks = markCount == 0 ? .none : .each
        if let header = try transaction.payloadNote(family, Self.header) {
            let numbers = header.withUnsafeBytes { [UInt64](bytes: $0) }
            if numbers.count == 5, numbers[0] <= Self.bitLimit, numbers[1] <= UInt64(Self.bucketSize) << numbers[0] {
                (bits, count) = (Int(numbers[0]), Int(numbers[1]))
                (orderBytes, orderCount) = (Int(clamping: numbers[2]), Int(clamping: numbers[3]))
                orderDigest = numbers[4]
            } else {
                // It is broken, or was made otherwise, and so is the rest.
                try removeAll()
            }
        }
    }

    private func removeAll() throws {
        var numbers: [Int64] = []
        try transaction.forEachPayloadNote(of: family) { number, _ in
            numbers.append(number)
            return true
        }
        for number in numbers { try transaction.setPayloadNote(family, number, nil) }
    }

    /// Reads all notes if a payload of so many bytes is likely to have a large part of the objects, and their order.
    func loadOrder(forBytes byteCount: Int) throws {
        guard orderBytes > 0, byteCount > orderBytes / 8 else { return }
        try loadMarks(for: count)
        try loadAll()
    }

    /// Reads the notes that concern records with the given tokens.
    func load(_ tokens: some Collection<UInt64>) throws {
        try loadMarks(for: tokens.count)
        if tokens.count * 8 > count {
            try loadAll()
        } else {
            for token in tokens { try load(bucket(of: token)) }
        }
    }
}

extension PayloadNotes {
    /// The note of a record, if that is as the note's object has it.
    func current(_ token: UInt64) throws -> Note? { try note(token, in: table, since: horizon, marks) }

    /// The notes of records, where those are as the notes' objects have them.
    ///
    /// One after the other in a loop that does nothing else: notes stand anywhere in memory, and several are waited for
    /// at once so.
    func current(_ tokens: some Sequence<UInt64>) throws -> [Note?] {
        let (table, horizon, marks) = (table, horizon, marks)
        return try tokens.map { try note($0, in: table, since: horizon, marks) }
    }

    @inline(__always)
    private func note(_ token: UInt64, in table: NoteTable, since horizon: Int64, _ marks: Marks) throws -> Note? {
        guard let place = table.place(of: token) else { return nil }
        let sequence = table.sequence(at: place)
        if sequence <= horizon { return nil }
        let coverage = table.coverage(at: place)
        switch marks {
        case .none: break
        case .all(let marks):
            for token in coverage {
                if let marked = marks[token], marked > sequence { return nil }
            }
        case .each:
            for token in coverage {
                if let marked = try transaction.mark(token), marked > sequence { return nil }
            }
        }
        return Note(
            place: place, digest: table.digest(at: place), isAlone: coverage.count == 1 && coverage.first == token)
    }

    /// Whether all notes of the entity have been read, so that what a sync has changed is told to each.
    var isComplete: Bool { loaded.count == 1 << bits || count == 0 }

    /// What the object of a note speaks of.
    func coverage(of note: Note) -> ArraySlice<UInt64> { table.coverage(at: note.place) }

    /// Whether the object of a record's note speaks of something in a table.
    func speaks(_ note: Note, _ token: UInt64, ofAnyIn numbers: TokenTable) -> Bool {
        note.isAlone ? numbers[token] != nil : coverage(of: note).contains { numbers[$0] != nil }
    }

    /// Makes a note, in the place of one before.
    func set(_ token: UInt64, _ digest: UInt64, coverage: ArraySlice<UInt64>, in sequence: Int64) throws {
        let bucket = bucket(of: token)
        if bucket != latest {
            try load(bucket)
            changed.insert(bucket)
            latest = bucket
        }
        if table.set(token, digest, coverage: coverage, in: sequence) { count += 1 }
    }

    /// The tokens of the notes that speak of something in a table, and the highest number that it has there.
    func lastNumbers(in numbers: TokenTable) -> TokenTable {
        var found = TokenTable()
        table.forEach { place in
            let last = table.coverage(at: place).reduce(-1) { max($0, numbers[$1] ?? -1) }
            if last >= 0 { found[table.token(at: place)] = last }
        }
        return found
    }

    /// Takes a note away.
    func remove(_ token: UInt64) {
        guard table.remove(token) else { return }
        count = max(count - 1, 0)
        changed.insert(bucket(of: token))
    }

    /// Makes room for so many more notes.
    func reserve(_ count: Int) { table.reserve(count) }

    /// Keeps the order of objects that are a large part of all.
    func setOrder(_ items: some Collection<PayloadOrder.Item>) throws {
        if items.count * 2 < count { return }
        let items = Array(items)
        let (old, new) = (PayloadOrder.chunks(of: order), PayloadOrder.chunks(of: items))
        for number in 0..<max(old.count, new.count) {
            let (old, new) = (number < old.count ? old[number] : nil, number < new.count ? new[number] : nil)
            if old != new {
                let words = new.map { PayloadOrder.words(of: $0) }
                try transaction.setPayloadNote(family, Self.header - 1 - Int64(number), words?.bytes)
            }
        }
        (order, orderBytes, orderCount) = (items, items.reduce(0) { $0 + Int($1.length) }, items.count)
        let digest = PayloadOrder.digest(of: items)
        if orderDigest != digest { (orderDigest, isOrderNew) = (digest, true) }
    }

    /// Stores what has changed of the notes.
    func save() throws {
        if changed.isEmpty, !isOrderNew { return }
        var bits = bits
        while count > Self.bucketSize << bits, bits < Self.bitLimit { bits += 1 }
        if bits != self.bits {
            try loadAll()
            self.bits = bits
            changed = Set(0..<(Int64(1) << bits))
            loaded = changed
        }
        let isChanged = (0..<1 << bits).map { changed.contains($0) }
        var sizes = isChanged.map { _ in 0 }
        table.forEach { place in sizes[Int(bucket(of: table.token(at: place)))] += table.note(at: place).count }
        var contents = zip(isChanged, sizes).map { isChanged, size in
            var content: [UInt64] = []
            if isChanged { content.reserveCapacity(size) }
            return content
        }
        table.forEach { place in
            let bucket = Int(bucket(of: table.token(at: place)))
            if isChanged[bucket] { contents[bucket] += table.note(at: place) }
        }
        for bucket in contents.indices where isChanged[bucket] {
            let content = contents[bucket]
            try transaction.setPayloadNote(family, Int64(bucket), content.isEmpty ? nil : content.bytes)
        }
        let header = [UInt64(bits), UInt64(count), UInt64(orderBytes), UInt64(orderCount), orderDigest]
        try transaction.setPayloadNote(family, Self.header, header.bytes)
        (changed, latest, isOrderNew) = ([], nil, false)
    }
}

extension PayloadNotes {
    /// Completes the unknown keys of a payload by those of the last one, if objects of it were skipped, and keeps them.
    func updateUnknownKeys(of outcome: inout SyncOutcome, hasSkipped: Bool) throws {
        let stored = try transaction.payloadNote(family, Self.unknownKeys)
        if hasSkipped, let stored,
            case .object(let known)? = try? Value(taggedJSON: String(decoding: stored, as: UTF8.self))
        {
            for case let member in known.members {
                guard case .array(let names) = member.value else { continue }
                let texts = names.compactMap { name in if case .string(let text) = name { text } else { nil } }
                outcome.noteUnknown(texts, of: member.name)
            }
        }
        let keys = outcome.unknownKeys.sorted { $0.key < $1.key }.map { entity, names in
            ValueObject.Member(name: entity, value: .array(names.sorted().map { .string($0) }))
        }
        let content = keys.isEmpty ? nil : Array(Value.object(ValueObject(keys)).taggedJSON.utf8)
        if content != stored { try transaction.setPayloadNote(family, Self.unknownKeys, content) }
    }
}

extension PayloadNotes {
    private func bucket(of token: UInt64) -> Int64 { bits == 0 ? 0 : Int64(token >> UInt64(64 - bits)) }

    /// Reads all marks, if that is less than looking for those of so many notes.
    private func loadMarks(for count: Int) throws {
        if case .each = marks, markCount < count * 4 { marks = .all(try transaction.marks()) }
    }

    private func load(_ bucket: Int64) throws {
        guard loaded.insert(bucket).inserted, count > 0 else { return }
        try transaction.payloadNote(family, bucket)?.withUnsafeBytes { table.take([UInt64](bytes: $0)) }
    }

    private func loadAll() throws {
        if count == 0 || loaded.count == 1 << bits { return }
        reserve(min(count, 1 << 20))
        var chunks: [Int64: [UInt64]] = [:]
        try transaction.forEachPayloadNote(of: family) { number, content in
            if number >= 0, !loaded.contains(number) { table.take([UInt64](bytes: content)) }
            if number < Self.header, number != Self.unknownKeys {
                chunks[Self.header - 1 - number] = [UInt64](bytes: content)
            }
            return true
        }
        for (_, words) in chunks.sorted(by: { $0.key < $1.key }) { order += PayloadOrder.items(of: words) }
        // Behind them may be some of a longer order from before.
        order.removeLast(max(order.count - orderCount, 0))
        if PayloadOrder.digest(of: order) != orderDigest { order = [] }
        loaded = Set(0..<(Int64(1) << bits))
    }
}

extension [UInt64] {
    /// The words as bytes, the lowest first.
    fileprivate var bytes: [UInt8] {
        map { $0.littleEndian }.withUnsafeBytes { Array<UInt8>($0) }
    }

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
