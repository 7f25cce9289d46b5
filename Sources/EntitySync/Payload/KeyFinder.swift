import SyncPersistence

/// Finds the members that form the keys of objects, without parsing the rest.
///
/// Objects of a list usually have the same names in the same order. Most names are recognized by comparing them with
/// those of the previous object.
struct KeyFinder {
    /// The entity whose key is searched for.
    private let map: EntityMap
    /// The expected text before the value of each member: the name and the separators.
    private var names = NameTexts()
    /// The use of each expected member.
    private var uses: [Use?] = []

    /// The offsets of the parts of the last object's key; nil for missing parts.
    private(set) var parts: [Int?]

    /// The part of the key that a member forms, and how directly its name matches.
    typealias Use = (part: Int, rank: Int)

    /// The number of bytes of expected texts after which no more are stored.
    private static let nameLimit = 1 << 16
    /// The maximum number of expected members.
    private static let memberLimit = 256

    /// Creates a finder for an entity; nil if keys can only be found in parsed objects.
    init?(_ map: EntityMap) {
        guard map.isKeyPrimary, map.discriminator == nil, map.hasPlainKey else { return nil }
        for part in map.keyParts where map.attributes[part].definition.remoteKey?.contains(".") == true { return nil }
        self.map = map
        parts = Array(repeating: nil, count: map.keyParts.count)
    }

    /// Scans the object that begins at an offset; returns its end.
    ///
    /// - Returns: nil if the bytes end before the object does, or if there is no object.
    mutating func scan(_ skipper: JSONSkipper, at start: Int) -> Int? {
        let bytes = skipper.bytes
        for index in parts.indices { parts[index] = nil }
        var ranks = Ranks(count: parts.count)
        var offset = start
        var member = 0
        while true {
            let use: Use?
            if let end = names.end(of: member, in: bytes, at: offset) {
                offset = end
                use = uses[member]
            } else {
                // The separators belong to the expected text.
                let name = skipper.space(offset &+ 1)
                guard name < bytes.count, bytes[name] == UInt8(ascii: "\"") else {
                    return name < bytes.count && bytes[name] == UInt8(ascii: "}") ? name &+ 1 : nil
                }
                guard let nameEnd = skipper.string(name) else { return nil }
                let colon = skipper.space(nameEnd)
                guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else { return nil }
                use = newUse(
                    of: UnsafeRawBufferPointer(rebasing: bytes[name..<nameEnd]),
                    after: UnsafeRawBufferPointer(rebasing: bytes[offset...colon]), member)
                offset = colon &+ 1
            }
            offset = skipper.space(offset)
            if let use, ranks.admit(use.rank, of: use.part) { parts[use.part] = offset }
            guard let valueEnd = skipper.value(offset) else { return nil }
            offset = skipper.space(valueEnd)
            guard offset < bytes.count else { return nil }
            if bytes[offset] == UInt8(ascii: "}") { return offset &+ 1 }
            guard bytes[offset] == UInt8(ascii: ",") else { return nil }
            member &+= 1
        }
    }

    /// The ranks of the best matches for the parts of the key so far.
    private struct Ranks {
        /// The rank of the first part; a separate variable, because most keys have one part.
        private var first = Int.max
        /// The ranks of all parts of a composite key.
        private var others: [Int]

        /// Creates ranks behind all names.
        init(count: Int) { others = count > 1 ? Array(repeating: .max, count: count) : [] }

        /// Whether a name matches a part at least as directly as those before.
        @inline(__always)
        mutating func admit(_ rank: Int, of part: Int) -> Bool {
            guard rank <= (others.isEmpty ? first : others[part]) else { return false }
            if others.isEmpty { first = rank } else { others[part] = rank }
            return true
        }
    }

    /// Returns the use of a name in quotes, and stores the text up to its colon as the expected one.
    @inline(never)
    private mutating func newUse(
        of quoted: UnsafeRawBufferPointer, after text: UnsafeRawBufferPointer, _ member: Int
    ) -> Use? {
        var name = String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
        if quoted.contains(UInt8(ascii: "\\")), case .string(let decoded)? = try? Value(json: quoted) { name = decoded }
        let use = map.keyUse(of: name)
        if member < Self.memberLimit, names.byteCount < Self.nameLimit {
            while uses.count <= member { uses.append(nil) }
            names.set(text, at: member)
            uses[member] = use
        }
        return use
    }
}
