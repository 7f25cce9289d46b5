import SyncPersistence

/// Finds the members of objects that make their keys, without reading the rest.
///
/// Objects of a list have the same names in the same places, so most names are known by a look at the one before.
struct KeyFinder {
    private let map: EntityMap
    /// The names that are likely to stand in each place among the members, and what those are used for.
    private var names = NameTexts()
    private var uses: [Use?] = []

    /// Which part of the key a member is, and how directly its name reaches that.
    typealias Use = (part: Int, rank: Int)

    /// How many bytes of names are kept, about, and of how many members.
    private static let nameLimit = 1 << 16
    private static let memberLimit = 256

    /// A finder for an entity; nil if keys have to be looked for in what has been read.
    init?(_ map: EntityMap) {
        guard map.isKeyPrimary, map.discriminator == nil else { return nil }
        for part in map.keyParts where map.attributes[part].definition.remoteKey?.contains(".") == true { return nil }
        self.map = map
    }

    /// Goes through the object that begins at an offset; answers where it ends, and where the parts of its key are.
    ///
    /// - Returns: nil if the bytes end before the object does, or what is there is no object.
    mutating func scan(_ skipper: JSONSkipper, at start: Int, parts: inout [Int?]) -> Int? {
        let bytes = skipper.bytes
        for index in parts.indices { parts[index] = nil }
        var ranks = Ranks(count: parts.count)
        var offset = skipper.space(start &+ 1)
        if offset < bytes.count, bytes[offset] == UInt8(ascii: "}") { return offset &+ 1 }
        var member = 0
        while offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") {
            let use: Use?
            if let end = names.end(of: member, in: bytes, at: offset) {
                offset = skipper.space(end)
                use = uses[member]
            } else {
                guard let end = skipper.string(offset) else { return nil }
                let colon = skipper.space(end)
                guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else { return nil }
                use = newUse(
                    of: UnsafeRawBufferPointer(rebasing: bytes[offset...colon]), nameCount: end - offset, member)
                offset = skipper.space(colon &+ 1)
            }
            if let use, ranks.admit(use.rank, of: use.part) { parts[use.part] = offset }
            guard let valueEnd = skipper.value(offset) else { return nil }
            offset = skipper.space(valueEnd)
            guard offset < bytes.count else { return nil }
            if bytes[offset] == UInt8(ascii: "}") { return offset &+ 1 }
            guard bytes[offset] == UInt8(ascii: ",") else { return nil }
            offset = skipper.space(offset &+ 1)
            if offset < bytes.count, bytes[offset] == UInt8(ascii: "}") { return offset &+ 1 }
            member &+= 1
        }
        return nil
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

    /// What a name is used for, of which the quotes and what follows up to the colon are given.
    @inline(never)
    private mutating func newUse(
        of bytes: UnsafeRawBufferPointer, nameCount: Int, _ member: Int
    ) -> Use? {
        let quoted = UnsafeRawBufferPointer(rebasing: bytes[..<nameCount])
        var name = String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
        if quoted.contains(UInt8(ascii: "\\")), case .string(let decoded)? = try? Value(json: quoted) { name = decoded }
        let use = map.keyUse(of: name)
        if member < Self.memberLimit, names.byteCount < Self.nameLimit {
            while uses.count <= member { uses.append(nil) }
            names.set(bytes, at: member)
            uses[member] = use
        }
        return use
    }
}
