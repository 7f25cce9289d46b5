import SyncPersistence

/// Finds the ends of JSON values without parsing them.
///
/// For malformed input the end is arbitrary, or nil. The reader reports the error later.
struct JSONSkipper {
    // because: it lives no longer than the call that lends the bytes.
    /// The text, which is neither changed nor decoded.
    let bytes: UnsafeRawBufferPointer

    /// Returns the offset of the next byte that is not white space; the number of bytes if there is none.
    @inline(__always)
    func space(_ start: Int) -> Int {
        var offset = start
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte > 0x20 || !byte.isSpace { break }
            offset &+= 1
        }
        return offset
    }

    /// Returns the end of the value that begins at an offset; nil if it may extend beyond the bytes.
    ///
    /// - Complexity: O(*n*) for a value of *n* bytes
    @inline(__always)
    func value(_ start: Int) -> Int? {
        guard start < bytes.count else { return nil }
        switch bytes[start] {
        case UInt8(ascii: "\""): return string(start)
        case UInt8(ascii: "{"), UInt8(ascii: "["): return container(start)
        default: return scalar(start)
        }
    }

    /// Returns the end of the string whose opening quote is at an offset.
    @inline(__always)
    func string(_ start: Int) -> Int? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var offset = start &+ 1
        while true {
            while offset &+ 8 <= bytes.count {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                let quotes = word ^ (ones &* 0x22)
                let slashes = word ^ (ones &* 0x5C)
                let special =
                    ((quotes &- ones) & ~quotes | (slashes &- ones) & ~slashes) & (ones &* 0x80)
                if special != 0 {
                    offset &+= special.trailingZeroBitCount &>> 3
                    break
                }
                offset &+= 8
            }
            if offset >= bytes.count { return nil }
            switch bytes[offset] {
            case UInt8(ascii: "\""): return offset &+ 1
            case UInt8(ascii: "\\"): offset &+= 2
            default: offset &+= 1
            }
        }
    }

    /// Returns the bytes of the string at an offset; nil if it has escapes.
    @inline(__always)
    func plainText(_ start: Int) -> UnsafeRawBufferPointer? {
        guard start < bytes.count, bytes[start] == UInt8(ascii: "\""), let end = string(start) else { return nil }
        let text = UnsafeRawBufferPointer(rebasing: bytes[start &+ 1..<end &- 1])
        return text.contains(UInt8(ascii: "\\")) ? nil : text
    }

    /// Returns the end of the object or array at an offset; nil if it may extend beyond the bytes.
    private func container(_ start: Int) -> Int? {
        var depth = 0
        var offset = start
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                guard let end = string(offset) else { return nil }
                offset = end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth &+= 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth &-= 1
                if depth == 0 { return offset &+ 1 }
            default: break
            }
            offset &+= 1
        }
        return nil
    }

    /// Returns the end of the number or word that begins at an offset.
    @inline(__always)
    private func scalar(_ start: Int) -> Int? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var offset = start
        while offset &+ 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            let commas = word ^ (ones &* 0x2C)
            let brackets = (word | ones &* 0x20) ^ (ones &* 0x7D)
            // The lowest mark is right; those above one may be wrong.
            let marks =
                ((commas &- ones) & ~commas | (brackets &- ones) & ~brackets | (word &- ones &* 0x21) & ~word)
                & (ones &* 0x80)
            if marks != 0 {
                offset &+= marks.trailingZeroBitCount &>> 3
                break
            }
            offset &+= 8
        }
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte | 0x20 == UInt8(ascii: "}") || byte == UInt8(ascii: ",") || byte <= 0x20 && byte.isSpace {
                // A byte that cannot begin a value counts as one, so that the reader reports it.
                return max(offset, start &+ 1)
            }
            offset &+= 1
        }
        return nil
    }
}

extension JSONSkipper {
    /// Returns the offset of the value that names lead to within the value at an offset; nil if they lead nowhere.
    ///
    /// Of two members with one name, the last counts.
    func inner(at steps: ArraySlice<String>, in start: Int) -> Int? {
        guard let step = steps.first else { return start }
        guard start < bytes.count, bytes[start] == UInt8(ascii: "{") else { return nil }
        var found: Int?
        var offset = start
        while true {
            let name = space(offset &+ 1)
            guard name < bytes.count, bytes[name] == UInt8(ascii: "\""), let nameEnd = string(name) else { break }
            let colon = space(nameEnd)
            guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else { break }
            let place = space(colon &+ 1)
            if isName(step, at: name, nameEnd) { found = place }
            guard let end = value(place) else { break }
            offset = space(end)
            guard offset < bytes.count, bytes[offset] == UInt8(ascii: ",") else { break }
        }
        return found.flatMap { inner(at: steps.dropFirst(), in: $0) }
    }

    /// Whether the string between two offsets is equal to a name.
    private func isName(_ name: String, at start: Int, _ end: Int) -> Bool {
        let quoted = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        if quoted.contains(UInt8(ascii: "\\")) { return (try? Value(json: quoted)) == .string(name) }
        return quoted.dropFirst().dropLast().elementsEqual(name.utf8)
    }
}

extension UInt8 {
    /// Whether it is one of the four bytes of JSON white space.
    fileprivate var isSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}
