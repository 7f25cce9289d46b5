/// The elements of a ``JournaledCollection`` in slots, and the journal of their changes since the shadow.
///
/// A slot always belongs to the same key. So elements keep their order, and a deleted element that is inserted again
/// before the deletion is pushed gets its old place.
@usableFromInline
struct JournaledSlots<Element: Equatable, Key: Hashable & Sendable> {
    /// The elements in order; nil for a deleted one.
    @usableFromInline var elements: [Element?] = []

    /// The slots that hold an element.
    @usableFromInline var occupied = SlotSet()

    /// The slot of each element, and of each deleted one whose deletion is in the journal.
    @usableFromInline var slotsByKey: [Key: Int] = [:]

    /// The journal entries by slot.
    @usableFromInline var journal: [Int: JournalEntry<Element, Key>] = [:]

    /// The number of deletions in the journal.
    @usableFromInline var deletionCount = 0

    /// The slots of the journal's unresolved entries.
    @usableFromInline var unresolvedSlots: Set<Int> = []

    /// The position of each element in the shadow; empty if the shadow has the order of the slots.
    @usableFromInline var shadowRanks: [Key: Int] = [:]

    /// Identifies the present state of the shadow.
    ///
    /// Each change of the shadow renews it, except an edit that resolves a conflict.
    @usableFromInline var mark = ShadowMark()

    /// Compares elements, so that a NaN in them is equal to itself.
    @usableFromInline var sameness = SamenessCheck<Element>()

    /// Reads the keys of the elements.
    @usableFromInline let reader: KeyReader<Element, Key>

    /// Creates slots without elements.
    @inlinable
    init(_ reader: KeyReader<Element, Key>) {
        self.reader = reader
    }

    /// The number of elements. O(1)
    @inlinable
    var count: Int { slotsByKey.count - deletionCount }

    /// The element with a key. O(1)
    @inlinable
    subscript(key: Key) -> Element? { slotsByKey[key].flatMap { elements[$0] } }
}

/// An entry of the journal of a ``JournaledCollection``, for one element.
@usableFromInline
struct JournalEntry<Element, Key> {
    /// The key of the element.
    @usableFromInline let key: Key

    /// The element in the shadow, or nil if the shadow lacks it.
    @usableFromInline var base: Element?

    /// Whether the remote is known to hold another version than the shadow.
    @usableFromInline var isUnresolved = false

    /// The remote's version, if the entry is unresolved.
    @usableFromInline var remote: Element?

    /// Creates the entry of an element that differs from its base.
    @inlinable
    init(key: Key, base: Element?) {
        self.key = key
        self.base = base
    }

    /// An element that has the key, if the entry holds one.
    @inlinable
    var anyElement: Element? { base ?? remote }
}

extension JournaledSlots: Sendable where Element: Sendable {}
extension JournalEntry: Sendable where Element: Sendable, Key: Sendable {}

extension JournaledSlots {
    /// Adds elements to an empty collection: they are also its shadow.
    @inlinable
    mutating func load(
        _ loaded: some Collection<Element>, named name: String, duplicates: DuplicatePolicy = .refuse
    ) throws(KeyError) {
        if duplicates != .refuse {
            return try load(
                unique(Array(loaded), named: name, primaryKey: reader.keyOf, duplicates: duplicates), named: name)
        }
        elements.reserveCapacity(loaded.count)
        slotsByKey.reserveCapacity(loaded.count)
        for (position, element) in loaded.enumerated() {
            let key = try reader.key(of: element, in: name, at: position)
            guard let slot = slotsByKey[key] else {
                slotsByKey[key] = elements.count
                elements.append(element)
                continue
            }
            if sameness.areSame(elements[slot], element) { continue }
            let earlier = loaded.enumerated().first { areSame($0.element, elements[slot]) }?.offset
            throw KeyError(.duplicate, in: name, key: key, positions: [earlier ?? 0, position])
        }
        occupied = SlotSet(full: elements.count)
        checkInvariants()
    }

    /// Sets or, if it is nil, removes the element with a key, and stores the old element in the journal.
    @inlinable
    mutating func set(_ element: Element?, forKey key: Key) {
        guard let slot = slotsByKey[key] else {
            guard let element else { return }
            slotsByKey[key] = elements.count
            journal[elements.count] = JournalEntry(key: key, base: nil)
            occupied.insert(elements.count)
            elements.append(element)
            checkInvariants()
            return
        }
        let old = elements[slot]
        deletionCount += (element == nil ? 1 : 0) - (old == nil ? 1 : 0)
        elements[slot] = element
        if element == nil { occupied.remove(slot) } else if old == nil { occupied.insert(slot) }
        if journal[slot] == nil {
            if !sameness.areSame(old, element) { journal[slot] = JournalEntry(key: key, base: old) }
        } else {
            dropIfUnchanged(slot)
        }
        checkInvariants()
    }
}

extension JournaledSlots {
    /// Returns the journal entry for a key, or nil if there is none. O(1)
    @inlinable
    func entry(forKey key: Key) -> JournalEntry<Element, Key>? {
        slotsByKey[key].flatMap { journal[$0] }
    }

    /// Returns the element with the key in the shadow, or nil if the shadow lacks it. O(1)
    @inlinable
    func shadow(forKey key: Key) -> Element? { slotsByKey[key].flatMap(shadow(inSlot:)) }

    /// Returns the shadow of the element in a slot; nil if the remote does not have it.
    ///
    /// - Complexity: O(1)
    @inlinable
    func shadow(inSlot slot: Int) -> Element? { journal[slot] == nil ? elements[slot] : journal[slot]?.base }

    /// The elements of the shadow, in order. O(*n*)
    var shadow: [Element] {
        let shadow = elements.indices.compactMap(shadow(inSlot:))
        if shadowRanks.isEmpty { return shadow }
        let ranked = shadow.enumerated().map { (shadowRanks[reader.keyOf($0.element)] ?? .max, $0.offset) }
        return ranked.sorted { $0 < $1 }.map { shadow[$0.1] }
    }

    /// Sets or, if it is nil, removes the shadow's version for a key, without changing the element.
    @inlinable
    mutating func setShadow(_ base: Element?, forKey key: Key) {
        if slotsByKey[key] == nil && base == nil { return }
        setEntry(JournalEntry(key: key, base: base))
    }

    /// Sets the shadow's version for a key, and the version that the remote is known to hold.
    @inlinable
    mutating func setShadow(_ base: Element?, remote: Element?, forKey key: Key) {
        var entry = JournalEntry(key: key, base: base)
        entry.isUnresolved = !sameness.areSame(base, remote)
        entry.remote = entry.isUnresolved ? remote : nil
        setEntry(entry)
    }

    /// Stores an entry, in the slot of its key or in a new one.
    @inlinable
    mutating func setEntry(_ entry: JournalEntry<Element, Key>) {
        let slot: Int
        if let known = slotsByKey[entry.key] {
            slot = known
        } else {
            slot = elements.count
            slotsByKey[entry.key] = slot
            elements.append(nil)
            deletionCount += 1
        }
        mark.renew()
        journal[slot] = entry
        if entry.isUnresolved { unresolvedSlots.insert(slot) } else { unresolvedSlots.remove(slot) }
        dropIfUnchanged(slot)
        checkInvariants()
    }

    /// Makes the shadow empty: every element is an addition. O(*n*)
    @inlinable
    mutating func voidShadow() {
        mark.renew()
        for entry in Array(journal.values) { setShadow(nil, forKey: entry.key) }
        for (key, slot) in slotsByKey { journal[slot] = JournalEntry(key: key, base: nil) }
        shadowRanks = [:]
        checkInvariants()
    }

    /// Makes the elements the shadow, so that there are no changes. O(*d*)
    @inlinable
    mutating func voidJournal() {
        mark.renew()
        for entry in Array(journal.values) { setShadow(self[entry.key], forKey: entry.key) }
    }

    /// Undoes all changes, so that the elements are those of the shadow. O(*d*)
    @inlinable
    mutating func revert() {
        for entry in Array(journal.values) { set(entry.base, forKey: entry.key) }
    }
}

extension JournaledSlots {
    /// Whether an element has changed since the shadow. O(*d*)
    @inlinable
    var hasChanges: Bool {
        var sameness = sameness
        return journal.contains { slot, entry in !sameness.areSame(entry.base, elements[slot]) }
    }

    /// Returns the changes since the shadow, in order. O(*d*), and the sorting of *d* integers
    @inlinable
    func changes(where isIncluded: (JournalEntry<Element, Key>) -> Bool = { _ in true }) -> [Change<Element>] {
        var sameness = sameness
        let entries = journal.filter { slot, entry in
            !sameness.areSame(entry.base, elements[slot]) && isIncluded(entry)
        }
        return entries.keys.sorted().compactMap { Change(from: entries[$0]?.base, to: elements[$0]) }
    }

    /// The keys of the entries without a conflict, in order. O(*d*), and the sorting of *d* integers
    @inlinable
    var resolvedKeys: [Key] {
        journal.filter { !$0.value.isUnresolved }.keys.sorted().compactMap { journal[$0]?.key }
    }

    /// Returns the change of an element without a conflict, or nil if there is none. O(1)
    @inlinable
    func resolvedChange(forKey key: Key) -> Change<Element>? {
        guard let slot = slotsByKey[key], let entry = journal[slot], !entry.isUnresolved else { return nil }
        return Change(from: entry.base, to: elements[slot])
    }

    /// Whether the remote is known to hold a record in another version than the shadow. O(1)
    @inlinable
    var hasUnresolved: Bool { !unresolvedSlots.isEmpty }

    /// The records that the remote is known to hold in other versions than the shadow, in order.
    ///
    /// O(*u*) for *u* such records, and the sorting of *u* integers
    var unresolved: [Conflict<Element>] { unresolvedSlots.sorted().compactMap(unresolved(inSlot:)) }

    /// Returns the versions of the record with a key if its entry is unresolved. O(1)
    @inlinable
    func unresolved(forKey key: Key) -> Conflict<Element>? { slotsByKey[key].flatMap(unresolved(inSlot:)) }

    /// Returns the conflict of the element in a slot; nil if it has none.
    @inlinable
    func unresolved(inSlot slot: Int) -> Conflict<Element>? {
        guard let entry = journal[slot], entry.isUnresolved else { return nil }
        return Conflict(base: entry.base, local: elements[slot], remote: entry.remote)
    }

    /// The number of unresolved records with a local change. O(*u*)
    @inlinable
    var conflictCount: Int {
        var sameness = sameness
        return unresolvedSlots.count { !sameness.areSame(journal[$0]?.base, elements[$0]) }
    }

    /// Returns the remote versions of the unresolved records, without those of the given records.
    @inlinable
    func unresolvedStates(
        without states: [KeyReader<Element, Key>.RemoteState]
    ) -> [KeyReader<Element, Key>.RemoteState] {
        if unresolvedSlots.isEmpty { return [] }
        let keys = Set(states.lazy.map(\.key))
        return unresolvedSlots.sorted().compactMap { slot in
            guard let entry = journal[slot], !keys.contains(entry.key) else { return nil }
            return (entry.key, entry.remote)
        }
    }
}

extension JournaledSlots {
    /// Brings the elements into the order of the client.
    ///
    /// Elements that only the shadow has keep their place.
    @inlinable
    mutating func restoreOrder(of client: [Element], shadowCount: Int) {
        var order: [Int] = []
        order.reserveCapacity(elements.count)
        var isPlaced = [Bool](repeating: false, count: elements.count)
        var next = 0
        for element in client {
            guard let slot = slotsByKey[reader.keyOf(element)], !isPlaced[slot] else { continue }
            // Deletions that follow an element in the shadow are placed before the additions after it.
            while slot < shadowCount ? next < slot : next < shadowCount && (elements[next] == nil || isPlaced[next]) {
                if elements[next] == nil { order.append(next) }
                next += 1
            }
            isPlaced[slot] = true
            order.append(slot)
        }
        order += (next..<Swift.max(next, shadowCount)).filter { elements[$0] == nil }
        reorder(order)
    }

    /// Stores the order of the shadow if it differs from that of the slots, as in a stored collection made by hand.
    @inlinable
    mutating func restoreShadowOrder(of shadow: [Element]) {
        var last = -1
        for element in shadow {
            guard let slot = slotsByKey[reader.keyOf(element)] else { continue }
            if slot < last {
                for (rank, element) in shadow.enumerated() { shadowRanks[reader.keyOf(element)] = rank }
                return
            }
            last = slot
        }
    }

    /// Drops the journal entry of a slot if the element is unchanged, and the slot if it has no element.
    @inlinable
    mutating func dropIfUnchanged(_ slot: Int) {
        guard let entry = journal[slot] else { return }
        // A version that both sides have is no conflict. A version that the shadow has is no change.
        if !sameness.areSame(entry.isUnresolved ? entry.remote : entry.base, elements[slot]) { return }
        if entry.isUnresolved { unresolvedSlots.remove(slot) }
        journal[slot] = nil
        if elements[slot] != nil { return }
        slotsByKey[entry.key] = nil
        deletionCount -= 1
        if elements.count > 2 * slotsByKey.count + 64 { compact() }
    }

    /// Removes the free slots. O(*n*), after at least as many removals
    @inlinable
    mutating func compact() {
        reorder(elements.indices.filter { elements[$0] != nil || journal[$0] != nil })
    }

    /// Reorders the slots.
    ///
    /// `order` lists the old positions, without those of free slots. O(*n*)
    @inlinable
    mutating func reorder(_ order: [Int]) {
        var newSlots = [Int](repeating: 0, count: elements.count)
        for (newSlot, slot) in order.enumerated() { newSlots[slot] = newSlot }
        elements = order.map { elements[$0] }
        occupied = SlotSet()
        for slot in elements.indices where elements[slot] != nil { occupied.insert(slot) }
        slotsByKey = slotsByKey.mapValues { newSlots[$0] }
        journal = Dictionary(uniqueKeysWithValues: journal.map { (newSlots[$0.key], $0.value) })
        unresolvedSlots = Set(unresolvedSlots.map { newSlots[$0] })
    }

    /// Checks that the tables agree, at the end of each operation, if the invariant checks are compiled in.
    ///
    /// O(*n*), so only for collections of up to 200 slots.
    @inlinable
    func checkInvariants() {
        #if DIFFSYNC_INVARIANTS
            guard elements.count <= 200 else { return }
            precondition(
                slotsByKey.allSatisfy { key, slot in
                    reader.keyOf(elements[slot] ?? journal[slot]!.anyElement!) == key
                })
            precondition(Set(slotsByKey.values).count == slotsByKey.count)
            precondition(journal.allSatisfy { slot, entry in slotsByKey[entry.key] == slot })
            precondition(
                journal.allSatisfy { slot, entry in
                    !areSame(entry.isUnresolved ? entry.remote : entry.base, elements[slot])
                })
            precondition(unresolvedSlots == Set(journal.filter(\.value.isUnresolved).keys))
            let named = Set(slotsByKey.values)
            precondition(elements.indices.allSatisfy { elements[$0] == nil || named.contains($0) })
            precondition(count == elements.count { $0 != nil })
            precondition(elements.indices.allSatisfy { (occupied.first(from: $0) == $0) == (elements[$0] != nil) })
            precondition(elements.count <= 2 * slotsByKey.count + 64)
        #endif
    }
}
