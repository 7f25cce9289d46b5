import SyncPersistence

/// Finds the members of objects that make their keys, without reading the rest.
///
/// Objects of a list have the same names in the same places, so most names are known by a look at the one before.
struct KeyFinder {
    private let map: EntityMap
    private var predictions: [Prediction] = []

    /// The bytes of the names, one after the other, so that a look at one counts no reference.
    private var names: [UInt8] = []

    private struct Prediction {
        /// Where the name stands among the bytes; -1 if nothing is known of the member.
        var start = -1
        var count = 0
        /// Which part of the key the member is, and how directly its name reaches it.
        var use: (part: Int, rank: Int)?
    }

    /// How many bytes of names are kept, about.
    private static let nameLimit = 1 << 16

    /// A finder for an entity; nil if keys have to be looked for in what has been read.
    init?(_ map: EntityMap) {
        guard map.isKeyPrimary, map.discriminator == nil else { return nil }
        for part in map.keyParts where map.attributes[part].definition.remoteKey?.contains(".") == true { return nil }
        self.map = map
    }

    /// Goes through the object that begins at an offset; answers where it ends, and where the parts of its key are.
    ///
    /// - Returns: nil if the bytes end before the object does, or what is there is no object.
    mutating func scan(
        _ skipper: JSONSkipper, at start: Int, parts: inout [Int?]
    ) -> Int? {
        let bytes = skipper.bytes
        var ranks = 0
        for index in parts.indices { parts[index] = nil }
        var best: [Int] = parts.count > 1 ? Array(repeating: .max, count: parts.count) : []
        ranks = .max
        var offset = skipper.space(start &+ 1)
        if offset < bytes.count, bytes[offset] == UInt8(ascii: "}") { return offset &+ 1 }
        var member = 0
        while offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") {
            guard let nameEnd = skipper.string(offset) else { return nil }
            let use = use(of: UnsafeRawBufferPointer(rebasing: bytes[offset &+ 1..<nameEnd &- 1]), member)
            offset = skipper.space(nameEnd)
            guard offset < bytes.count, bytes[offset] == UInt8(ascii: ":") else { return nil }
            offset = skipper.space(offset &+ 1)
            if let use {
                let known = parts.count > 1 ? best[use.part] : ranks
                if use.rank <= known {
                    parts[use.part] = offset
                    if parts.count > 1 { best[use.part] = use.rank } else { ranks = use.rank }
                }
            }
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

    /// What a name is used for.
    @inline(__always)
    private mutating func use(of name: UnsafeRawBufferPointer, _ member: Int) -> (part: Int, rank: Int)? {
        if member < predictions.count {
            let known = predictions[member]
            if known.count == name.count, known.start >= 0, names.hasBytes(of: name, at: known.start) {
                return known.use
            }
        }
        return newUse(of: name, member)
    }

    @inline(never)
    private mutating func newUse(of bytes: UnsafeRawBufferPointer, _ member: Int) -> (part: Int, rank: Int)? {
        var name = String(decoding: bytes, as: UTF8.self)
        if bytes.contains(UInt8(ascii: "\\")), case .string(let decoded)? = try? Value(json: "\"\(name)\"") {
            name = decoded
        }
        let use = map.keyUse(of: name)
        if member < 256 {
            while predictions.count <= member { predictions.append(Prediction()) }
            if predictions[member].count >= bytes.count, predictions[member].start >= 0 {
                names.replaceSubrange(predictions[member].start..<predictions[member].start + bytes.count, with: bytes)
                predictions[member] = Prediction(start: predictions[member].start, count: bytes.count, use: use)
            } else if names.count < Self.nameLimit {
                predictions[member] = Prediction(start: names.count, count: bytes.count, use: use)
                names += bytes
            }
        }
        return use
    }
}

extension [UInt8] {
    /// Whether the bytes from a place on are those of another.
    @inline(__always)
    fileprivate func hasBytes(of other: UnsafeRawBufferPointer, at start: Int) -> Bool {
        withUnsafeBytes { mine in
            var offset = 0
            while offset &+ 8 <= other.count {
                let word = mine.loadUnaligned(fromByteOffset: start &+ offset, as: UInt64.self)
                if word != other.loadUnaligned(fromByteOffset: offset, as: UInt64.self) { return false }
                offset &+= 8
            }
            while offset < other.count {
                if mine[start &+ offset] != other[offset] { return false }
                offset &+= 1
            }
            return true
        }
    }
}
