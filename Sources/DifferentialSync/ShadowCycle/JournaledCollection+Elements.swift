extension JournaledCollection {
    /// The element with the key. O(1)
    @inlinable
    public subscript(key: Key) -> Element? {
        slotsByKey[key].flatMap { slots[$0] }
    }

    /// Inserts an element with a new key.
    ///
    /// - Throws: ``KeyError`` if an element with its key is there already.
    /// - Complexity: O(1)
    @inlinable
    public mutating func insert(_ element: Element) throws(KeyError) {
        let key = try key(of: element)
        if self[key] != nil { throw KeyError(.taken, in: "collection", key: "\(key)", positions: []) }
        set(element, forKey: key)
    }

    /// Replaces the element that has the key of the given one.
    ///
    /// The new element is stored in any case. It is a local change only if it is not equal to its shadow: a field that
    /// `==` ignores is stored here and not pushed.
    ///
    /// - Returns: The old element.
    /// - Throws: ``KeyError`` if there is no element with the key.
    /// - Complexity: O(1)
    @inlinable
    @discardableResult
    public mutating func update(_ element: Element) throws(KeyError) -> Element {
        let key = try key(of: element)
        guard let old = self[key] else { throw KeyError(.unknown, in: "collection", key: "\(key)", positions: []) }
        set(element, forKey: key)
        return old
    }

    /// Edits the element with the key in place.
    ///
    /// As for ``update(_:)``, a field that `==` ignores is stored here and not pushed.
    ///
    /// ```swift
    /// try notes.edit(7) { $0.text += "!" }
    /// ```
    ///
    /// - Throws: ``KeyError`` if there is no element with the key, or if the edit changes the key; nothing has changed
    ///   then.
    /// - Complexity: O(1)
    @inlinable
    public mutating func edit(_ key: Key, _ body: (inout Element) -> Void) throws(KeyError) {
        guard var element = self[key] else { throw KeyError(.unknown, in: "collection", key: "\(key)", positions: []) }
        body(&element)
        if try self.key(of: element) != key { throw KeyError(.changed, in: "collection", key: "\(key)", positions: []) }
        set(element, forKey: key)
    }

    /// Inserts an element, or replaces the one that has its key.
    ///
    /// As for ``update(_:)``, a field that `==` ignores is stored here and not pushed.
    ///
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
    /// - Returns: The element, or nil if there was none.
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
    /// The key of an element that comes from outside.
    @inlinable
    func key(
        of element: Element, in collection: String = "collection", at position: Int? = nil
    ) throws(KeyError) -> Key {
        if let name = missingKey?(element) {
            throw KeyError(.missing, in: collection, key: name, positions: position.map { [$0] } ?? [])
        }
        let key = keyOf(element)
        try KeyError.check(key, in: collection, at: position)
        return key
    }

    /// Changes what stands under a key, nil standing for nothing, and notes in the journal what stood there.
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
            settle(slot)
        }
        checkInvariants()
    }

    /// Drops the journal's entry for a slot if it says nothing any more, and the slot if nothing stands there.
    @inlinable
    mutating func settle(_ slot: Int) {
        guard let entry = journal[slot] else { return }
        // What both sides hold is no conflict, and what the shadow holds too is no change.
        if !sameness.areSame(entry.isUnsettled ? entry.remote : entry.base, slots[slot]) { return }
        if entry.isUnsettled { unsettledSlots.remove(slot) }
        journal[slot] = nil
        if slots[slot] != nil { return }
        slotsByKey[entry.key] = nil
        deletionCount -= 1
        if slots.count > 2 * slotsByKey.count + 64 { compact() }
    }

    /// Closes the gaps that removed elements have left. O(*n*), after at least as many removals
    @inlinable
    mutating func compact() {
        reorder(slots.indices.filter { slots[$0] != nil || journal[$0] != nil })
    }

    /// Puts the slots into another order, given by their old places; those left out are free. O(*n*)
    @inlinable
    mutating func reorder(_ order: [Int]) {
        var newSlots = [Int](repeating: 0, count: slots.count)
        for (newSlot, slot) in order.enumerated() { newSlots[slot] = newSlot }
        slots = order.map { slots[$0] }
        occupied = SlotSet()
        for slot in slots.indices where slots[slot] != nil { occupied.insert(slot) }
        slotsByKey = slotsByKey.mapValues { newSlots[$0] }
        journal = Dictionary(uniqueKeysWithValues: journal.map { (newSlots[$0.key], $0.value) })
        unsettledSlots = Set(unsettledSlots.map { newSlots[$0] })
    }
}

extension JournaledCollection {
    /// Ends each operation, where the invariant checks are compiled in: the tables agree with each other.
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
                    !areSame(entry.isUnsettled ? entry.remote : entry.base, slots[slot])
                })
            precondition(unsettledSlots == Set(journal.filter(\.value.isUnsettled).keys))
            let named = Set(slotsByKey.values)
            precondition(slots.indices.allSatisfy { slots[$0] == nil || named.contains($0) })
            precondition(count == slots.count { $0 != nil })
            precondition(slots.indices.allSatisfy { (occupied.first(from: $0) == $0) == (slots[$0] != nil) })
            precondition(slots.count <= 2 * slotsByKey.count + 64)
        #endif
    }
}
