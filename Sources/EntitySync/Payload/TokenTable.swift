import SyncPersistence

/// A dictionary from tokens to numbers, which uses the tokens as hashes.
///
/// It is an open-addressing table: most lookups read one slot.
struct TokenTable {
    /// The tokens and their numbers.
    ///
    /// The token of an empty slot is 0, and the number of a removed token is -1.
    private var slots: [(token: UInt64, number: Int)] = []
    /// The number of slots that are not empty, including those of removed tokens.
    private var used = 0
    /// The shift that reduces a product to a slot.
    private var shift: UInt64 = 60

    /// A factor that is unknown outside of the process, so that a payload cannot be crafted to cause collisions.
    private static let multiplier = DigestedKey.seed | 1

    /// The number of tokens that have a number.
    private(set) var count = 0

    /// Whether the table has no tokens.
    var isEmpty: Bool { count == 0 }

    /// Reserves memory for a number of tokens.
    ///
    /// - Complexity: O(`capacity`)
    mutating func reserve(_ capacity: Int) {
        if capacity * 2 > slots.count { resize(to: capacity * 2) }
    }

    /// The number of a token, which is not negative; nil if it has none.
    ///
    /// - Complexity: O(1)
    subscript(token: UInt64) -> Int? {
        get {
            if count == 0 { return nil }
            let slot = slots[place(of: token)]
            return slot.token == 0 || slot.number < 0 ? nil : slot.number
        }
        set {
            if (used + 1) * 2 > slots.count { resize(to: max(16, count * 4)) }
            let place = place(of: token)
            let slot = slots[place]
            if slot.token == 0 {
                if newValue == nil { return }
                used += 1
            }
            let wasThere = slot.token != 0 && slot.number >= 0
            slots[place] = (TokenTable.filled(token), newValue ?? -1)
            count += (newValue == nil ? 0 : 1) - (wasThere ? 1 : 0)
        }
    }

    /// Returns the number of a token; nil if it had none, and then inserts the given one.
    ///
    /// - Complexity: O(1), amortized
    mutating func number(of token: UInt64, orInsert number: Int) -> Int? {
        if (used + 1) * 2 > slots.count { resize(to: max(16, count * 4)) }
        let place = place(of: token)
        let slot = slots[place]
        if slot.token != 0, slot.number >= 0 { return slot.number }
        if slot.token == 0 { used += 1 }
        slots[place] = (TokenTable.filled(token), number)
        count += 1
        return nil
    }

    /// Calls `body` with each token and its number, in no particular order.
    func forEach(_ body: (_ token: UInt64, _ number: Int) throws -> Void) rethrows {
        for slot in slots where slot.token != 0 && slot.number >= 0 { try body(slot.token, slot.number) }
    }

    /// The tokens that have a number, in no particular order.
    var all: [UInt64] {
        var all: [UInt64] = []
        forEach { token, _ in all.append(token) }
        return all
    }

    @inline(__always)
    /// Returns the slot of a token, or the empty slot for it.
    private func place(of token: UInt64) -> Int {
        let token = TokenTable.filled(token)
        let mask = slots.count &- 1
        var place = Int(truncatingIfNeeded: (token &* TokenTable.multiplier) >> shift)
        while slots[place].token != 0, slots[place].token != token { place = (place &+ 1) & mask }
        return place
    }

    /// Moves the tokens to a table with a capacity of at least `count`.
    private mutating func resize(to count: Int) {
        var capacity = 16
        while capacity < count { capacity *= 2 }
        let old = slots
        shift = UInt64(64 - capacity.trailingZeroBitCount)
        slots = Array(repeating: (0, -1), count: capacity)
        used = 0
        for slot in old where slot.token != 0 && slot.number >= 0 {
            slots[place(of: slot.token)] = slot
            used += 1
        }
    }

    /// Returns a token that is not 0, because 0 marks empty slots.
    ///
    /// The tokens 0 and 1 are equal.
    @inline(__always)
    private static func filled(_ token: UInt64) -> UInt64 { token == 0 ? 1 : token }
}
