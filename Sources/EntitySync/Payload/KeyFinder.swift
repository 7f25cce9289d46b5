import SyncPersistence

/// Finds the members of objects that make their keys, without reading the rest.
///
/// Objects of a list have the same names in the same places, so most names are known by a look at the one before.
struct KeyFinder {
    private let map: EntityMap
    /// The names that are likely to stand in each place among the members, with what separates those, and their uses.
    private var names = NameTexts()
    private var uses: [Use?] = []

    /// Where the parts of the key of the object that was gone through last are; nil for those that it does not have.
    private(set) var parts: [Int?]

    /// Which part of the key a member is, and how directly its name reaches that.
    typealias Use = (part: Int, rank: Int)

    /// How many bytes of names are kept, about, and of how many members.
    private static let nameLimit = 1 << 16
    private static let memberLimit = 256

    /// A finder for an entity; nil if keys have to be looked for in what has been read.
    init?(_ map: EntityMap) {
        guard map.isKeyPrimary, map.discriminator == nil, map.hasPlainKey else { return nil }
        for part in map.keyParts where map.attributes[part].definition.remoteKey?.contains(".") == true { return nil }
        self.map = map
        parts = Array(repeating: nil, count: map.keyParts.count)
    }

    /// Goes through the object that begins at an offset, and answers where it ends.
    ///
    /// - Returns: nil if the bytes end before the object does, or what is there is no object.
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
                // What separates the members belongs to the text of a name.
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

    /// How directly the members so far reach the parts of the key.
    private struct Ranks {
        private var first = Int.max
        private var others: [Int]

        init(count: Int) { others = count > 1 ? Array(repeating: .max, count: count) : [] }

        /// Whether a member counts that reaches a part so directly: as much so as those before.
        @inline(__always)
        mutating func admit(_ rank: Int, of part: Int) -> Bool {
            guard rank <= (others.isEmpty ? first : others[part]) else { return false }
            if others.isEmpty { first = rank } else { others[part] = rank }
            return true
        }
    }

    /// What a name in quotes is used for, and the text up to its colon, which is likely to stand there again.
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
