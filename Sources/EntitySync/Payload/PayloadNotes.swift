import SyncPersistence

/// What a store knows of the objects that were synced into an entity: a digest of the bytes of each, and which records
/// it speaks of.
///
/// An object with the same bytes, whose records nobody has changed since, need not be looked at again.
///
/// Notes are kept in buckets of some hundred, by the first bits of the tokens of the objects' records; so a sync of a
/// few objects reads and writes few of them.
struct PayloadNotes {
    /// A note, before it is stored or after.
    struct Note {
        let digest: UInt64
        /// The commit that has stored it.
        let sequence: Int64
        /// Where the tokens of what the object speaks of stand among ``PayloadNotes/words``.
        let coverage: Range<Int>
    }

    private let transaction: WriteTransaction
    private let family: String
    /// The number of bits that tell the buckets apart, and the number of notes in them.
    private var bits = 0
    private var count = 0
    /// The tokens of all notes that have been read or made.
    private(set) var words: [UInt64] = []
    private var notes: [UInt64: Note] = [:]
    private var loaded: Set<Int64> = []
    private var changed: Set<Int64> = []
    private let horizon: Int64
    private let marks: Marks

    /// The commits in which what tokens stand for has changed.
    private enum Marks {
        case none
        case all([UInt64: Int64])
        case each
    }

    private static let header: Int64 = -1

    /// How many notes a bucket has at most, on average.
    private static let bucketSize = 256

    /// The notes of an entity that concern records with the given tokens.
    init(of entity: String, _ tokens: [UInt64], in transaction: WriteTransaction) throws {
        self.transaction = transaction
        family = entity
        horizon = try transaction.payloadHorizon()
        let markCount = try transaction.markCount() ?? 0
        marks = markCount == 0 ? .none : markCount < tokens.count * 4 ? .all(try transaction.marks()) : .each
        if let header = try transaction.payloadNote(family, Self.header) {
            let numbers = header.words
            if numbers.count == 2 { (bits, count) = (Int(min(numbers[0], 40)), Int(truncatingIfNeeded: numbers[1])) }
        }
        if count == 0 { return }
        if tokens.count * 8 > count {
            try loadAll()
        } else {
            for token in tokens { try load(bucket(of: token)) }
        }
    }
}

extension PayloadNotes {
    /// The note of a record, if that is as the note's object has it.
    func current(_ token: UInt64) throws -> Note? {
        guard let note = notes[token], note.sequence > horizon else { return nil }
        switch marks {
        case .none: return note
        case .all(let marks):
            for token in words[note.coverage] {
                if let sequence = marks[token], sequence > note.sequence { return nil }
            }
        case .each:
            for token in words[note.coverage] {
                if let sequence = try transaction.mark(token), sequence > note.sequence { return nil }
            }
        }
        return note
    }

    /// Whether all notes of the entity have been read, so that what a sync has changed is told to each.
    var isComplete: Bool { loaded.count == 1 << bits || count == 0 }

    /// What the object of a note speaks of.
    func coverage(of note: Note) -> ArraySlice<UInt64> { words[note.coverage] }

    /// Makes a note, in the place of one before.
    mutating func set(_ token: UInt64, _ digest: UInt64, coverage: some Sequence<UInt64>, in sequence: Int64) throws {
        try load(bucket(of: token))
        let start = words.count
        words.append(contentsOf: coverage)
        if notes.updateValue(Note(digest: digest, sequence: sequence, coverage: start..<words.count), forKey: token)
            == nil
        {
            count += 1
        }
        changed.insert(bucket(of: token))
    }

    /// Takes the notes away of which a body says so, by what they speak of.
    mutating func removeAll(where isVoid: (_ token: UInt64, _ coverage: ArraySlice<UInt64>) -> Bool) {
        for token in notes.filter({ isVoid($0.key, words[$0.value.coverage]) }).keys { remove(token) }
    }

    /// Takes a note away.
    mutating func remove(_ token: UInt64) {
        guard notes.removeValue(forKey: token) != nil else { return }
        count -= 1
        changed.insert(bucket(of: token))
    }

    /// Stores what has changed of the notes.
    mutating func save() throws {
        if changed.isEmpty { return }
        let before = bits
        while count > Self.bucketSize << bits { bits += 3 }
        if bits != before {
            bits = before
            try loadAll()
            while count > Self.bucketSize << bits { bits += 3 }
            changed = Set(0..<(Int64(1) << bits))
        }
        var contents: [Int64: [UInt64]] = [:]
        let tokens = notes.keys.filter { changed.contains(bucket(of: $0)) }
        for token in tokens.sorted() {
            guard let note = notes[token] else { continue }
            let bucket = bucket(of: token)
            let coverage = words[note.coverage]
            contents[bucket, default: []].append(contentsOf: [
                token, note.digest, UInt64(bitPattern: note.sequence), UInt64(coverage.count),
            ])
            contents[bucket]?.append(contentsOf: coverage)
        }
        for bucket in changed.sorted() {
            try transaction.setPayloadNote(family, bucket, contents[bucket].map { $0.bytes })
        }
        try transaction.setPayloadNote(family, Self.header, [UInt64(bits), UInt64(count)].bytes)
        changed = []
    }
}

extension PayloadNotes {
    private func bucket(of token: UInt64) -> Int64 { bits == 0 ? 0 : Int64(token >> UInt64(64 - bits)) }

    private mutating func load(_ bucket: Int64) throws {
        guard loaded.insert(bucket).inserted, count > 0 else { return }
        if let content = try transaction.payloadNote(family, bucket) { take(content.words) }
    }

    private mutating func loadAll() throws {
        let known = loaded
        notes.reserveCapacity(count)
        var contents: [[UInt8]] = []
        try transaction.forEachPayloadNote(of: family) { bucket, content in
            if bucket >= 0, !known.contains(bucket) { contents.append(content) }
            return true
        }
        for content in contents { take(content.words) }
        loaded = Set(0..<(Int64(1) << bits))
    }

    /// Takes in the notes of a bucket; what is left of a broken one is not of any use.
    private mutating func take(_ content: [UInt64]) {
        let base = words.count
        words.append(contentsOf: content)
        var offset = 0
        while offset + 4 <= content.count, let count = Int(exactly: content[offset + 3]),
            count <= content.count - offset - 4
        {
            notes[content[offset]] = Note(
                digest: content[offset + 1], sequence: Int64(bitPattern: content[offset + 2]),
                coverage: base + offset + 4..<base + offset + 4 + count)
            offset += 4 + count
        }
    }
}

extension [UInt64] {
    /// The words as bytes, the lowest first.
    fileprivate var bytes: [UInt8] {
        map { $0.littleEndian }.withUnsafeBytes { Array<UInt8>($0) }
    }
}

extension [UInt8] {
    /// The bytes as words.
    fileprivate var words: [UInt64] {
        withUnsafeBytes { bytes in
            (0..<bytes.count / 8).map { index -> UInt64 in
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
            }
        }
    }
}
