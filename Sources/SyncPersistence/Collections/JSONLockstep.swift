/// A parallel scan of two JSON texts, which detects that they differ only in scalar values.
///
/// An edit of an element usually changes a few values and no member name. The scan detects that without parsing either
/// text, which makes storing edited elements about twice as fast.
struct JSONLockstep {
    /// The bytes of a name or a scalar value.
    private typealias Token = Slice<UnsafeBufferPointer<UInt8>>

    /// The UTF-8 bytes of the new text.
    private let new: UnsafeBufferPointer<UInt8>
    /// The UTF-8 bytes of the stored text.
    private let old: UnsafeBufferPointer<UInt8>
    /// The offset of the next byte of the new text.
    private var newPosition = 0
    /// The offset of the next byte of the stored text.
    private var oldPosition = 0
    /// How many arrays surround the position.
    private var arrayDepth = 0
    /// How many objects surround the position.
    private var objectDepth = 0
    /// The name of the outermost object's member at the position, as its text has it.
    private var member: Token?
    /// The names of the outermost object's members that have differed so far, outside of arrays.
    private var edited: Set<String> = []

    /// Returns the members of the outermost object with different values, if two texts have the same members at each
    /// level.
    ///
    /// - Parameters:
    ///   - text: A JSON text.
    ///   - stored: Another JSON text.
    /// - Returns: The names, as they are written in the text. It is nil where the texts alone cannot show that they
    ///   have the same members: for white space, malformed text, and numbers and strings in different notations. It is
    ///   also nil for equal texts, and for changes within arrays, which may be reordered sets. The same is true for
    ///   null and values of other kinds, which a type may read by a default.
    /// - Complexity: O(length of both texts)
    static func editedMembers(of text: String, over stored: String) -> Set<String>? {
        var (text, stored) = (text, stored)
        return text.withUTF8 { new in
            stored.withUTF8 { old in
                var lockstep = JSONLockstep(new: new, old: old)
                return lockstep.run()
            }
        }
    }

    /// Creates a scan at the start of both texts.
    private init(new: UnsafeBufferPointer<UInt8>, old: UnsafeBufferPointer<UInt8>) {
        self.new = new
        self.old = old
    }

    /// Scans both texts to their ends, or to the first difference that is not an edit of a value.
    ///
    /// - Returns: The edited members; nil if there are none, or if anything else differs.
    private mutating func run() -> Set<String>? {
        while newPosition < new.count && oldPosition < old.count {
            let (byte, other) = (new[newPosition], old[oldPosition])
            if JSONLockstep.isStructural(byte) || JSONLockstep.isStructural(other) {
                if byte != other { return nil }
                switch byte {
                case UInt8(ascii: "["): arrayDepth += 1
                case UInt8(ascii: "]"): arrayDepth -= 1
                case UInt8(ascii: "{"): objectDepth += 1
                case UInt8(ascii: "}"): objectDepth -= 1
                default: break
                }
                newPosition += 1
                oldPosition += 1
            } else if !compareTokens() {
                return nil
            }
        }
        return newPosition == new.count && oldPosition == old.count && !edited.isEmpty ? edited : nil
    }

    /// Compares the names or scalar values at the two positions, and advances past them.
    ///
    /// - Returns: Whether they are equal, or certainly different values outside arrays.
    private mutating func compareTokens() -> Bool {
        guard let token = JSONLockstep.token(in: new, from: newPosition),
            let other = JSONLockstep.token(in: old, from: oldPosition)
        else { return false }
        (newPosition, oldPosition) = (token.endIndex, other.endIndex)
        let isName = newPosition < new.count && new[newPosition] == UInt8(ascii: ":")
        if isName && objectDepth == 1 { member = token }
        if token.elementsEqual(other) { return true }
        guard let member, !isName, arrayDepth == 0, JSONLockstep.areDifferent(token, other) else { return false }
        edited.insert(String(decoding: member.dropFirst().dropLast(), as: UTF8.self))
        return true
    }

    /// Whether a byte is a bracket, a comma or a colon.
    private static func isStructural(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","),
            UInt8(ascii: ":"):
            true
        default: false
        }
    }

    /// Returns the string, number or word that begins at a position; nil for a string without an end.
    private static func token(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Token? {
        var end = start
        if text[start] == UInt8(ascii: "\"") {
            end += 1
            while end < text.count, text[end] != UInt8(ascii: "\"") { end += text[end] == UInt8(ascii: "\\") ? 2 : 1 }
            return end < text.count ? text[start...end] : nil
        }
        while end < text.count, !isStructural(text[end]) { end += 1 }
        return text[start..<end]
    }

    /// Whether two scalar values with different texts are certainly different values.
    private static func areDifferent(_ left: Token, _ right: Token) -> Bool {
        guard let kind = Kind(left), let other = Kind(right) else { return false }
        return switch (kind, other) {
        case (.string, .string): !left.contains(UInt8(ascii: "\\")) && !right.contains(UInt8(ascii: "\\"))
        case (.number, .number): haveDifferentDigits(left, right)
        case (.truth, .truth): true
        default: false
        }
    }

    /// Whether two numbers with different texts certainly differ: neither has a point, or both have the same length.
    private static func haveDifferentDigits(_ left: Token, _ right: Token) -> Bool {
        let (minus, point) = (UInt8(ascii: "-"), UInt8(ascii: "."))
        func isPlain(_ text: Token) -> Bool {
            text.dropFirst().allSatisfy { $0 == point || $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        }
        return (left.first == minus) == (right.first == minus) && isPlain(left) && isPlain(right)
            && (left.count == right.count || !left.contains(point) && !right.contains(point))
    }

    /// The kind of a scalar value that is not null, by its first byte.
    private enum Kind {
        case string, number, truth

        /// Creates the kind of a scalar value; nil for null, and for text that is not a value.
        init?(_ token: Token) {
            switch token.first {
            case UInt8(ascii: "\"")?: self = .string
            case UInt8(ascii: "-")?, (UInt8(ascii: "0")...UInt8(ascii: "9"))?: self = .number
            default:
                guard ["true", "false"].contains(where: { token.elementsEqual($0.utf8) }) else { return nil }
                self = .truth
            }
        }
    }
}
