import SyncPersistence

/// The primary keys of *parts*: records of objects that have no key and are nested in the object of another record.
///
/// The key of a part is derived from the key of that record. No payload can specify it. Integers of a band of 2³⁶, and
/// text that begins with a mark of control characters, are refused as keys of a remote.
enum PartKey {
    /// The bits above the lowest 36 of an integer.
    fileprivate static let band: UInt64 = 0xA9F_35C1
    /// What the text of such a key begins with.
    ///
    /// A control character stands at its start, so that no text key of a remote equals it.
    fileprivate static let mark = "\u{1}part\u{1}"

    /// Returns the key of a type for a number; nil for types that parts cannot have.
    static func key(_ type: AttributeType, _ number: UInt64) -> Value? {
        switch type {
        case .integer: .integer(Int64(bitPattern: band << 36 | number >> 28))
        case .string: .string("\(mark)\(String(number, radix: 16))")
        default: nil
        }
    }
}

extension Value {
    /// Whether it is the primary key of a part.
    var isPartKey: Bool {
        switch self {
        case .integer(let number): UInt64(bitPattern: number) >> 36 == PartKey.band
        case .string(let text): text.utf8.first == 1 && text.hasPrefix(PartKey.mark)
        default: false
        }
    }
}
