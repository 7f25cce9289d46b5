import SyncPersistence

/// What a store knows of the objects that were synced into an entity: a digest of the bytes of each, and which records
/// it speaks of.
///
/// An object with the same bytes, whose records nobody has changed since, need not be looked at again.
///
/// Notes are kept in buckets of some hundred, by the first bits of the tokens of the objects' records; so a sync of a
/// few objects reads and writes few of them. A note is some words: the token, the digest, the commit that has stored it,
/// and the number of tokens of what the object speaks of, which follow.
final class PayloadNotes {
    /// A note, by the place of its first word.
    struct Note {
        fileprivate let place: Int
    }

    private let transaction: WriteTransaction
    private let family: String
    /// The number of bits that tell the buckets apart, and the number of notes in them.
    private var bits = 0
    private var count = 0
    /// The words of all notes that have been read or made.
    private var words: [UInt64] = []
    /// Where the note of a token stands among them.
    private var places = TokenTable()
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

    /// How many bits tell buckets apart at most: of thousands of millions of notes, buckets are larger.
    private static let bitLimit = 24

    /// The notes of an entity that concern records with the given tokens.
    init(of entity: String, _ tokens: some Collection<UInt64>, in transaction: WriteTransaction) throws {
        self.transaction = transaction
        family = entity
        horizon = try transaction.payloadHorizon()
        let markCount = try transaction.markCount() ?? 0
        marks = markCount == 0 ? .none : markCount < tokens.count * 4 ? .all(try transaction.marks()) : .each
        if let header = try transaction.payloadNote(family, Self.header) {
            var numbers: [UInt64] = []
            numbers.append(bytes: header)
            // A header that is broken is that of no notes.
            if numbers.count == 2, numbers[0] <= Self.bitLimit, numbers[1] <= UInt64(Self.bucketSize) << numbers[0] {
                (bits, count) = (Int(numbers[0]), Int(numbers[1]))
            }
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
    /// The digest of the object that a record was stored from, if the record is as the object has it.
    func currentDigest(_ token: UInt64) throws -> UInt64? { try current(token).map { words[$0.place + 1] } }

    /// The note of a record, if that is as the note's object has it.
    func current(_ token: UInt64) throws -> Note? {
        guard let place = places[token] else { return nil }
        let sequence = Int64(bitPattern: words[place + 2])
        if sequence <= horizon { return nil }
        switch marks {
        case .none: break
        case .all(let marks):
            for token in words[coverage(at: place)] {
                if let marked = marks[token], marked > sequence { return nil }
            }
        case .each:
            for token in words[coverage(at: place)] {
                if let marked = try transaction.mark(token), marked > sequence { return nil }
            }
        }
        return Note(place: place)
    }

    /// Whether all notes of the entity have been read, so that what a sync has changed is told to each.
    var isComplete: Bool { loaded.count == 1 << bits || count == 0 }

    /// What the object of a note speaks of.
    func coverage(of note: Note) -> ArraySlice<UInt64> { words[coverage(at: note.place)] }

    /// Makes a note, in the place of one before.
    func set(_ token: UInt64, _ digest: UInt64, coverage: ArraySlice<UInt64>, in sequence: Int64) throws {
        let bucket = bucket(of: token)
        try load(bucket)
        if places[token] == nil { count += 1 }
        places[token] = words.count
        words.append(token)
        words.append(digest)
        words.append(UInt64(bitPattern: sequence))
        words.append(UInt64(coverage.count))
        words.append(contentsOf: coverage)
        changed.insert(bucket)
    }

    /// Takes the notes away of which a body says so, by what they speak of.
    func removeAll(where isVoid: (_ token: UInt64, _ coverage: ArraySlice<UInt64>) -> Bool) {
        var void: [UInt64] = []
        places.forEach { token, place in
            if isVoid(token, words[coverage(at: place)]) { void.append(token) }
        }
        for token in void { remove(token) }
    }

    /// Takes a note away.
    func remove(_ token: UInt64) {
        if places[token] == nil { return }
        places[token] = nil
        count = max(count - 1, 0)
        changed.insert(bucket(of: token))
    }

    /// Makes room for so many more notes.
    func reserve(_ count: Int) {
        places.reserve(places.count + count)
        words.reserveCapacity(words.count + count * 5)
    }

    /// Stores what has changed of the notes.
    func save() throws {
        if changed.isEmpty { return }
        var bits = bits
        while count > Self.bucketSize << bits, bits < Self.bitLimit { bits += 3 }
        if bits != self.bits {
            try loadAll()
            self.bits = bits
            changed = Set(0..<(Int64(1) << bits))
            loaded = changed
        }
        var notes: [(token: UInt64, place: Int)] = []
        places.forEach { token, place in
            if changed.contains(bucket(of: token)) { notes.append((token, place)) }
        }
        notes.sort { $0.token < $1.token }
        var rest = notes[...]
        for bucket in changed.sorted() {
            var content: [UInt64] = []
            while let (token, place) = rest.first, self.bucket(of: token) == bucket {
                content += words[place..<coverage(at: place).upperBound]
                rest.removeFirst()
            }
            try transaction.setPayloadNote(family, bucket, content.isEmpty ? nil : content.bytes)
        }
        try transaction.setPayloadNote(family, Self.header, [UInt64(bits), UInt64(count)].bytes)
        changed = []
    }
}

extension PayloadNotes {
    private func bucket(of token: UInt64) -> Int64 { bits == 0 ? 0 : Int64(token >> UInt64(64 - bits)) }

    /// Where the tokens of what an object speaks of stand.
    private func coverage(at place: Int) -> Range<Int> { place + 4..<place + 4 + Int(words[place + 3]) }

    private func load(_ bucket: Int64) throws {
        guard loaded.insert(bucket).inserted, count > 0 else { return }
        if let content = try transaction.payloadNote(family, bucket) { take(content) }
    }

    private func loadAll() throws {
        let known = loaded
        var contents: [[UInt8]] = []
        try transaction.forEachPayloadNote(of: family) { bucket, content in
            if bucket >= 0, !known.contains(bucket) { contents.append(content) }
            return true
        }
        // A note has five words as a rule.
        reserve(contents.reduce(0) { $0 + $1.count } / 40)
        for content in contents { take(content) }
        loaded = Set(0..<(Int64(1) << bits))
    }

    /// Takes in the notes of a bucket; what is left of a broken one is not of any use.
    private func take(_ content: [UInt8]) {
        var place = words.count
        words.append(bytes: content)
        while place + 4 <= words.count, let count = Int(exactly: words[place + 3]), count <= words.count - place - 4 {
            places[words[place]] = place
            place += 4 + count
        }
        words.removeSubrange(place...)
    }
}

extension [UInt64] {
    /// The words as bytes, the lowest first.
    fileprivate var bytes: [UInt8] {
        map { $0.littleEndian }.withUnsafeBytes { Array<UInt8>($0) }
    }

    /// Appends the words of bytes.
    fileprivate mutating func append(bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            append(
                contentsOf: (0..<bytes.count / 8).lazy.map {
                    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self))
                })
        }
    }
}
