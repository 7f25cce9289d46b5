import SyncPersistence

/// In which order the objects of a payload stood the last time, how long each was, and where its key stood: then, or at
/// an earlier time of which little was different.
///
/// Where little has changed they stand so again: then the digest of as many bytes is that of the object's note, and nobody
/// has to go through them. All of it is a guess, which is worth nothing without that note.
struct PayloadOrder {
    /// What is known of one object.
    struct Item: Equatable {
        let token: UInt64
        /// Its length in bytes; 0 if that is not known.
        let length: UInt32
        /// How many bytes after its beginning the value of its key begins.
        let keyOffset: UInt32
    }

    let items: [Item]

    /// Which object of the payload an item turned out to be; negative for none yet.
    private var found: [Int32]

    /// How many items have turned out to be there.
    private(set) var foundCount = 0

    /// The item that is likely to come next.
    private var next = 0

    /// Where the items stand by their tokens, once that was asked for.
    private var places: TokenTable?

    /// Longer objects are not guessed at, so that no broken item makes anybody read all of a file.
    static let lengthLimit = 1 << 20

    init(_ items: [Item]) {
        self.items = items
        found = Array(repeating: -1, count: items.count)
    }

    /// The item that is likely to come next, if any is.
    mutating func guess() -> Int? {
        while next < items.count, found[next] >= 0 { next += 1 }
        return next < items.count && items[next].length > 0 ? next : nil
    }

    /// Notes that the guess was right.
    ///
    /// - Parameter position: Where the object stands among those of the payload.
    mutating func confirm(at position: Int) {
        found[next] = Int32(clamping: position)
        foundCount += 1
        next += 1
    }

    /// Notes that an object has come that is not as it was; answers where one came before it with the same token.
    ///
    /// - Complexity: O(1) where it stands in its place; otherwise, once, O(number of items)
    mutating func meet(_ token: UInt64, at position: Int) -> Int? {
        guard let place = place(of: token) else { return nil }
        if found[place] >= 0 { return Int(found[place]) }
        next = place
        confirm(at: position)
        return nil
    }

    private mutating func place(of token: UInt64) -> Int? {
        if next < items.count, items[next].token == token { return next }
        if places == nil {
            var table = TokenTable()
            table.reserve(items.count)
            for (place, item) in items.enumerated() { table[item.token] = place }
            places = table
        }
        return places?[token]
    }
}

extension PayloadOrder {
    /// How many items are stored together.
    private static let chunkSize = 1_024

    /// Items as they are stored.
    static func chunks(of items: [Item]) -> [ArraySlice<Item>] {
        stride(from: 0, to: items.count, by: chunkSize).map { items[$0..<min($0 + chunkSize, items.count)] }
    }

    /// Two words for each item.
    static func words(of items: ArraySlice<Item>) -> [UInt64] {
        var words: [UInt64] = []
        words.reserveCapacity(2 * items.count)
        for item in items {
            words.append(item.token)
            words.append(UInt64(item.length) << 32 | UInt64(item.keyOffset))
        }
        return words
    }

    /// What tells items from others, so that what is broken or left from before is not taken for an order.
    static func digest(of items: [Item]) -> UInt64 {
        words(of: items[...]).withUnsafeBytes { ContentDigest.digest(of: $0, seed: 0) }
    }

    /// The items of words.
    static func items(of words: [UInt64]) -> [Item] {
        stride(from: 0, to: words.count & ~1, by: 2).map {
            Item(token: words[$0], length: words[$0 + 1] >> 32, keyOffset: words[$0 + 1] & 0xFFFF_FFFF)
        }
    }
}

extension PayloadOrder.Item {
    /// An item, or one of which the length is not known if the numbers cannot be those of one.
    init(token: UInt64, length: some BinaryInteger, keyOffset: some BinaryInteger) {
        self.token = token
        let isKnown = length <= PayloadOrder.lengthLimit && keyOffset > 0 && keyOffset < length
        self.length = isKnown ? UInt32(length) : 0
        self.keyOffset = isKnown ? UInt32(keyOffset) : 0
    }
}

/// What the next objects of a payload are likely to be: as they are noted, in their order of the last time.
final class PayloadGuesses {
    private var order: PayloadOrder
    private let notes: [PayloadNotes.Note?]
    private var rightCount = 0

    /// How many bytes of right guesses there were more than of wrong ones: nobody can make a sync look at more of a
    /// payload in vain than it has saved, and some.
    private var credit = 1 << 20

    /// What an object is likely to be.
    typealias Guess = (item: PayloadOrder.Item, note: PayloadNotes.Note)

    /// Guesses from notes that have been read; nil if those know of no order.
    init?(_ notes: PayloadNotes) throws {
        if notes.order.isEmpty { return nil }
        order = PayloadOrder(notes.order)
        self.notes = try notes.current(notes.order.lazy.map(\.token))
    }

    /// What is likely to come next; nil if nothing is, or if that is not known any more.
    func next() -> Guess? {
        guard credit > 0, let place = order.guess(), let note = notes[place] else { return nil }
        return (order.items[place], note)
    }

    /// Notes that the guess was right.
    func confirm(_ item: PayloadOrder.Item, at position: Int) {
        credit += Int(item.length)
        rightCount += 1
        order.confirm(at: position)
    }

    /// Notes that the guess was wrong.
    func reject(_ item: PayloadOrder.Item) { credit -= Int(item.length) }

    /// Notes that an object has come that is not as it was; answers where one came before it with the same token.
    func meet(_ token: UInt64, at position: Int) -> Int? {
        order.meet(token, at: position)
    }

    /// How many objects there were.
    var count: Int { order.items.count }

    /// Whether the order is good for the next time too, so that nothing of it has to be stored: so many objects have come,
    /// all of them are in it, and few were not as guessed.
    func isGood(forNext count: Int) -> Bool {
        count == order.items.count && count == order.foundCount && (count - rightCount) * 16 <= count
    }
}
