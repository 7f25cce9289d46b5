extension PersistentCollection {
    /// Inserts an element with a new key.
    ///
    /// - Throws: ``PersistenceError`` with the code ``PersistenceError/Code/mismatch`` if an element with its key is
    ///   there already; also for an element that cannot be kept, and if the store cannot be written.
    public func insert(_ element: Element) async throws {
        try await store.write { try insert(element, in: $0) }
    }

    /// Puts an element in the place of the one with its key.
    ///
    /// - Returns: The element as it was.
    /// - Throws: ``PersistenceError`` with the code ``PersistenceError/Code/missingRecord`` if there is no element with
    ///   its key; also for an element that cannot be kept, and if the store cannot be written.
    @discardableResult
    public func update(_ element: Element) async throws -> Element {
        try await store.write { try update(element, in: $0) }.result
    }

    /// Edits the element with a key, in one transaction: no other change comes between.
    ///
    /// ```swift
    /// try await notes.edit(7) { $0.text += "!" }
    /// ```
    ///
    /// - Returns: The element as it is now.
    /// - Throws: ``PersistenceError`` with the code ``PersistenceError/Code/missingRecord`` if there is no element with
    ///   the key, and ``PersistenceError/Code/mismatch`` if the edit changes the key; also for an element that cannot
    ///   be kept, and if the store cannot be written; else what the body throws. Nothing has changed then.
    @discardableResult
    public func edit(_ key: Key, _ body: @escaping @Sendable (inout Element) throws -> Void) async throws -> Element {
        try await store.write { try edit(key, in: $0, body) }.result
    }

    /// Inserts an element, or puts it in the place of the one with its key.
    ///
    /// - Returns: The element as it was, or nil if it is new.
    /// - Throws: ``PersistenceError`` for an element that cannot be kept, and if the store cannot be written.
    @discardableResult
    public func upsert(_ element: Element) async throws -> Element? {
        try await store.write { try upsert(element, in: $0) }.result
    }

    /// Inserts elements, or puts them in the place of those with their keys; the last of several with one key counts.
    ///
    /// - Throws: As ``upsert(_:)``; nothing has changed then.
    /// - Complexity: O(number of elements)
    public func upsert(contentsOf elements: some Sequence<Element> & Sendable) async throws {
        try await store.write { transaction in
            for element in elements { try upsert(element, in: transaction) }
        }
    }

    /// Removes the element with a key.
    ///
    /// - Returns: The element, or nil if there was none.
    /// - Throws: ``PersistenceError`` if no element can be made of the record, and if the store cannot be written.
    @discardableResult
    public func remove(_ key: Key) async throws -> Element? {
        try await store.write { try remove(key, in: $0) }.result
    }
}

extension PersistentCollection {
    /// Inserts an element with a new key.
    ///
    /// See ``insert(_:)``.
    public func insert(_ element: Element, in transaction: WriteTransaction) throws {
        let id = try coding.id(of: coding.key(element))
        if try transaction.record(id) != nil {
            throw PersistenceError(
                .mismatch, "there is an element with this key already: update it, or insert one with another key",
                id: id)
        }
        try put(element, over: nil, in: transaction)
    }

    /// Puts an element in the place of the one with its key.
    ///
    /// See ``update(_:)``.
    @discardableResult
    public func update(_ element: Element, in transaction: WriteTransaction) throws -> Element {
        let stored = try stored(coding.id(of: coding.key(element)), in: transaction)
        let old = try coding.element(of: stored)
        try put(element, over: stored, in: transaction)
        return old
    }

    /// Edits the element with a key.
    ///
    /// See ``edit(_:_:)``.
    @discardableResult
    public func edit(
        _ key: Key, in transaction: WriteTransaction, _ body: (inout Element) throws -> Void
    ) throws -> Element {
        let id = try coding.id(of: key)
        let stored = try stored(id, in: transaction)
        var element = try coding.element(of: stored)
        try body(&element)
        if try coding.keyValue(of: element) != id.key {
            throw PersistenceError(
                .mismatch, "the edit has changed the key: remove the element, and insert one with the other key",
                id: id)
        }
        try put(element, over: stored, in: transaction)
        return element
    }

    /// Inserts an element, or puts it in the place of the one with its key.
    ///
    /// See ``upsert(_:)-(Element)``.
    @discardableResult
    public func upsert(_ element: Element, in transaction: WriteTransaction) throws -> Element? {
        let stored = try transaction.record(coding.id(of: coding.key(element)))
        let old = try stored.map(coding.element)
        try put(element, over: stored, in: transaction)
        return old
    }

    /// Removes the element with a key.
    ///
    /// See ``remove(_:)``.
    @discardableResult
    public func remove(_ key: Key, in transaction: WriteTransaction) throws -> Element? {
        let id = try coding.id(of: key)
        let old = try transaction.record(id).map(coding.element)
        if old != nil { try transaction.delete(id, origin: .local) }
        return old
    }

    private func stored(_ id: RecordID, in transaction: WriteTransaction) throws -> Record {
        if let record = try transaction.record(id) { return record }
        throw PersistenceError(.missingRecord, "there is no element with this key to change: insert it", id: id)
    }

    /// Stores an element over its record, unless that keeps it already.
    private func put(_ element: Element, over stored: Record?, in transaction: WriteTransaction) throws {
        let record = try coding.record(of: element, over: stored, shape: transaction.shape(entity))
        if record != stored { try transaction.put(record, origin: .local) }
    }
}
