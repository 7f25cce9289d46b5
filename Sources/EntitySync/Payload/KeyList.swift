import SyncPersistence

/// Keys in their order.
///
/// Text may be given as bytes, which become a value when somebody asks for it: of a payload that has hardly changed,
/// nobody asks for most of its keys.
struct KeyList: Sendable {
    private enum Entry {
        case value(Value)
        /// Where it stands among the bytes of all texts.
        case text(Range<Int>)
    }

    private var entries: [Entry] = []
    private var texts: [UInt8] = []

    var count: Int { entries.count }

    /// Makes room for so many keys. O(`capacity`)
    mutating func reserve(_ capacity: Int) { entries.reserveCapacity(capacity) }

    /// Appends a key. O(1), amortized
    mutating func append(_ key: Value) { entries.append(.value(key)) }

    /// Appends a key that is text, by its UTF-8 bytes. O(*n*) for *n* bytes, amortized
    mutating func append(text: UnsafeRawBufferPointer) {
        let start = texts.count
        texts.append(contentsOf: text)
        entries.append(.text(start..<texts.count))
    }

    /// Appends keys. O(number of keys), or O(1) to an empty list
    mutating func append(contentsOf keys: KeyList) {
        if entries.isEmpty {
            self = keys
            return
        }
        for position in 0..<keys.count { append(keys[position]) }
    }

    /// A key. O(1) for a value, O(*n*) for text of *n* bytes
    subscript(position: Int) -> Value {
        switch entries[position] {
        case .value(let key): key
        case .text(let place): .string(String(decoding: texts[place], as: UTF8.self))
        }
    }

    /// Leaves those out for whose positions a body answers false. O(`count`)
    mutating func keep(where body: (Int) throws -> Bool) rethrows {
        entries = try entries.indices.filter(body).map { entries[$0] }
    }
}
