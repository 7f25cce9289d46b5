extension JournaledCollection {
    /// The element with the key. O(1)
    @inlinable
    public subscript(key: Key) -> Element? {
        slotsByKey[key].flatMap { slots[$0] }
    }

    /// Inserts an element with a new key.
    ///
    /// - Parameter element: The new element.
    /// - Throws: ``KeyError`` if the collection already has an element with its key.
    /// - Complexity: O(1)
    @inlinable
    public mutating func insert(_ element: Element) throws(KeyError) {
        let key = try key(of: element)
        if self[key] != nil { throw KeyError(.taken, in: "collection", key: key) }
        set(element, forKey: key)
    }

    /// Replaces the element that has the key of the given one.
    ///
    /// The new element is always stored. It is a local change only if it is not equal to its shadow. A field that `==`
    /// ignores is stored, but not pushed.
    ///
    /// - Parameter element: The new element.
    /// - Returns: The old element.
    /// - Throws: ``KeyError`` if no element has the key.
    /// - Complexity: O(1)
    @inlinable
    @discardableResult
    public mutating func update(_ element: Element) throws(KeyError) -> Element {
        let key = try key(of: element)
        guard let old = self[key] else { throw KeyError(.unknown, in: "collection", key: key) }
        set(element, forKey: key)
        return old
    }

    /// Edits the element with the key in place.
    ///
    /// As by ``update(_:)``, a field that `==` ignores is stored, but not pushed.
    ///
    /// ```swift
    /// try notes.edit(7) { $0.text += "!" }
    /// ```
    ///
    /// - Parameters:
    ///   - key: The key of the element.
    ///   - body: Edits the element.
    /// - Throws: ``KeyError`` if no element has the key, or if the edit changes the key. Nothing has changed then.
    /// - Complexity: O(1)
    @inlinable
    public mutating func edit(_ key: Key, _ body: (inout Element) -> Void) throws(KeyError) {
        guard var element = self[key] else { throw KeyError(.unknown, in: "collection", key: key) }
        body(&element)
        if try self.key(of: element) != key { throw KeyError(.changed, in: "collection", key: key) }
        set(element, forKey: key)
    }

    /// Inserts an element, or replaces the one that has its key.
    ///
    /// As by ``update(_:)``, a field that `==` ignores is stored, but not pushed.
    ///
    /// - Parameter element: The new element.
    /// - Returns: The old element, or nil if the element is new.
    /// - Throws: ``KeyError`` if a record lacks its key, or the key is not equal to itself.
    /// - Complexity: O(1)
    @inlinable
    @discardableResult
    public mutating func upsert(_ element: Element) throws(KeyError) -> Element? {
        let key = try key(of: element)
        let old = self[key]
        set(element, forKey: key)
        return old
    }

    /// Removes the element with the key.
    ///
    /// - Parameter key: The key of the element.
    /// - Returns: The removed element, or nil if no element has the key.
    /// - Complexity: O(1) amortized
    @inlinable
    @discardableResult
    public mutating func remove(_ key: Key) -> Element? {
        let old = self[key]
        if old != nil { set(nil, forKey: key) }
        return old
    }
}

extension JournaledCollection {
    /// Returns the key of an element, and throws if it is missing or not equal to itself.
    @inlinable
    func key(
        of element: Element, in collection: String = "collection", at position: Int? = nil
    ) throws(KeyError) -> Key {
        if let name = missingKey?(element) {
            throw KeyError(missing: name, in: collection, positions: position.map { [$0] } ?? [])
        }
        let key = keyOf(element)
        try KeyError.check(key, in: collection, at: position)
        return key
    }

    /// Sets or, if it is nil, removes the element with a key, and stores the old element in the journal.
    @inlinable
    mutating func set(_ element: Element?, forKey key: Key) {
        guard let slot = slotsByKey[key] else {
            guard let element else { return }
            slotsByKey[key] = slots.count
            journal[slots.count] = JournalEntry(key: key, base: nil)
            occupied.insert(slots.count)
            slots.append(element)
            checkInvariants()
            return
        }
        let old = slots[slot]
        deletionCount += (element == nil ? 1 : 0) - (old == nil ? 1 : 0)
        slots[slot] = element
        if element == nil { occupied.remove(slot) } else if old == nil { occupied.insert(slot) }
        if journal[slot] == nil {
            if !sameness.areSame(old, element) { journal[slot] = JournalEntry(key: key, base: old) }
        } else {
            dropIfUnchanged(slot)
        }
        checkInvariants()
    }

    /// Drops the journal entry of a slot if the element is unchanged, and the slot if it has no element.
    @inlinable
    mutating func dropIfUnchanged(_ slot: Int) {
        guard let entry = journal[slot] else { return }
        // A version that both sides have is no conflict. A version that the shadow has is no change.
        if !sameness.areSame(entry.isUnresolved ? entry.remote : entry.base, slots[slot]) { return }
        if entry.isUnresolved { unresolvedSlots.remove(slot) }
        journal[slot] = nil
        if slots[slot] != nil { return }
        slotsByKey[entry.key] = nil
        deletionCount -= 1
        if slots.count > 2 * slotsByKey.count + 64 { compact() }
    }

    /// Removes the free slots. O(*n*), after at least as many removals
    @inlinable
    mutating func compact() {
        reorder(slots.indices.filter { slots[$0] != nil || journal[$0] != nil })
    }

    /// Reorders the slots.
    ///
    /// `order` lists the old positions, without those of free slots. O(*n*)
    @inlinable
    mutating func reorder(_ order: [Int]) {
        var newSlots = [Int](repeating: 0, count: slots.count)
        for (newSlot, slot) in order.enumerated() { newSlots[slot] = newSlot }
        slots = order.map { slots[$0] }
        occupied = SlotSet()
        for slot in slots.indices where slots[slot] != nil { occupied.insert(slot) }
        slotsByKey = slotsByKey.mapValues { newSlots[$0] }
        journal = Dictionary(uniqueKeysWithValues: journal.map { (newSlots[$0.key], $0.value) })
        unresolvedSlots = Set(unresolvedSlots.map { newSlots[$0] })
    }
}

extension JournaledCollection {
    /// Checks that the tables agree, at the end of each operation, if the invariant checks are compiled in.
    ///
    /// O(*n*), so only for collections of up to 200 slots.
    @inlinable
    func checkInvariants() {
        #if DIFFSYNC_INVARIANTS
            guard slots.count <= 200 else { return }
            precondition(slotsByKey.allSatisfy { key, slot in keyOf(slots[slot] ?? journal[slot]!.anyElement!) == key })
            precondition(Set(slotsByKey.values).count == slotsByKey.count)
            precondition(journal.allSatisfy { slot, entry in slotsByKey[entry.key] == slot })
            precondition(
                journal.allSatisfy { slot, entry in
                    !areSame(entry.isUnresolved ? entry.remote : entry.base, slots[slot])
                })
            precondition(unresolvedSlots == Set(journal.filter(\.value.isUnresolved).keys))
            let named = Set(slotsByKey.values)
            precondition(slots.indices.allSatisfy { slots[$0] == nil || named.contains($0) })
            precondition(count == slots.count { $0 != nil })
            precondition(slots.indices.allSatisfy { (occupied.first(from: $0) == $0) == (slots[$0] != nil) })
            precondition(slots.count <= 2 * slotsByKey.count + 64)
        #endif
    }
}
