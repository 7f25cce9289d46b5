extension PersistentCollection {
    /// Inserts an element with a new key.
    ///
    /// - Throws: ``PersistenceError`` with the code ``PersistenceError/Code/mismatch`` if an element with its key
    ///   exists; also for an element that cannot be stored, and if the store cannot be written.
    public func insert(_ element: Element) async throws {
        try await store.write { try insert(element, in: $0) }
    }

    /// Replaces the element with the same key.
    ///
    /// An element that was read earlier replaces what has changed since, also by a cycle. ``update(_:from:)`` and
    /// ``edit(_:_:)`` do not.
    ///
    /// - Returns: The replaced element.
    /// - Throws: ``PersistenceError`` with the code ``PersistenceError/Code/missingRecord`` if there is no element with
    ///   its key; also for an element that cannot be stored, and if the store cannot be written.
    @discardableResult
    public func update(_ element: Element) async throws -> Element {
        try await store.write { try update(element, in: $0) }.result
    }

    /// Makes the changes from one element to another, and leaves all other values as they are now.
    ///
    /// A form edits a copy of an element, and a cycle may change the stored one before it is saved:
    ///
    /// ```swift
    /// var edited = original
    /// edited.text = "oat milk"
    /// try await notes.update(edited, from: original)
    /// ```
    ///
    /// Attributes are compared one by one, and so are the members of JSON, also of nested objects. An array counts as one
    /// value. The keys of a to-many relationship are added and removed one by one.
    ///
    /// - Parameters:
    ///   - element: The edited element.
    ///   - original: The element as it was read.
    /// - Returns: The stored element.
    /// - Throws: ``PersistenceError`` with the code ``PersistenceError/Code/missingRecord`` if the element was removed
    ///   meanwhile, and ``PersistenceError/Code/mismatch`` if both have different keys; also for an element that cannot
    ///   be stored, and if the store cannot be written. Nothing has changed then.
    @discardableResult
    public func update(_ element: Element, from original: Element) async throws -> Element {
        try await store.write { try update(element, from: original, in: $0) }.result
    }

    /// Edits the element with a key in one transaction, without another change in between.
    ///
    /// ```swift
    /// try await notes.edit(7) { $0.text += "!" }
    /// ```
    ///
    /// - Parameters:
    ///   - key: The key of the element.
    ///   - body: Changes the element. It must not change its key, and runs on a thread of the store.
    /// - Returns: The edited element.
    /// - Throws: ``PersistenceError`` with the code ``PersistenceError/Code/missingRecord`` if there is no element with
    ///   the key, and ``PersistenceError/Code/mismatch`` if the edit changes the key; also for an element that cannot
    ///   be stored, and if the store cannot be written; otherwise the error of the body. Nothing has changed then.
    @discardableResult
    public func edit(_ key: Key, _ body: @escaping @Sendable (inout Element) throws -> Void) async throws -> Element {
        try await store.write { try edit(key, in: $0, body) }.result
    }

    /// Inserts an element, or replaces the one with the same key, even if that cannot be read.
    ///
    /// Members of the stored JSON that the type neither reads nor writes are kept. An element that was read earlier
    /// replaces what has changed since, as by ``update(_:)``.
    ///
    /// - Returns: The replaced element, or nil if there was none that can be read.
    /// - Throws: ``PersistenceError`` for an element that cannot be stored, and if the store cannot be written.
    @discardableResult
    public func upsert(_ element: Element) async throws -> Element? {
        try await store.write { try upsert(element, in: $0) }.result
    }

    /// Inserts elements, or replaces those with the same keys.
    ///
    /// If several elements have one key, the last one counts.
    ///
    /// - Throws: As ``upsert(_:)``; nothing has changed then.
    /// - Complexity: O(number of elements), each with a lookup
    public func upsert(contentsOf elements: some Sequence<Element> & Sendable) async throws {
        try await store.write { try upsert(contentsOf: elements, in: $0) }
    }

    /// Removes the element with a key, even if it cannot be read.
    ///
    /// - Returns: The element, or nil if there was none that can be read.
    /// - Throws: ``PersistenceError`` if the store cannot be written.
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
        try writer(in: transaction).put(element, over: nil)
    }

    /// Replaces the element with the same key.
    ///
    /// See ``update(_:)``.
    @discardableResult
    public func update(_ element: Element, in transaction: WriteTransaction) throws -> Element {
        let stored = try stored(coding.id(of: coding.key(element)), in: transaction)
        let old = try coding.element(of: stored, in: transaction)
        try writer(in: transaction).put(element, over: stored)
        return old
    }

    /// Makes the changes from one element to another, and leaves all other values as they are now.
    ///
    /// See ``update(_:from:)``.
    @discardableResult
    public func update(
        _ element: Element, from original: Element, in transaction: WriteTransaction
    ) throws -> Element {
        let stored = try stored(coding.id(of: coding.key(element)), in: transaction)
        return try writer(in: transaction).update(element, from: original, over: stored)
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
        var element = try coding.element(of: stored, in: transaction)
        try body(&element)
        if try coding.keyValue(of: element) != id.key {
            throw PersistenceError(
                .mismatch, "the edit has changed the key: remove the element, and insert one with the other key",
                id: id)
        }
        try writer(in: transaction).put(element, over: stored)
        return element
    }

    /// Inserts an element, or replaces the one with the same key.
    ///
    /// See ``upsert(_:)-(Element)``.
    @discardableResult
    public func upsert(_ element: Element, in transaction: WriteTransaction) throws -> Element? {
        let stored = try transaction.record(coding.id(of: coding.key(element)))
        let old = stored.flatMap { try? coding.element(of: $0, in: transaction) }
        try writer(in: transaction).put(element, over: stored)
        return old
    }

    /// Inserts elements, or replaces those with the same keys.
    ///
    /// See ``upsert(contentsOf:)``.
    public func upsert(contentsOf elements: some Sequence<Element>, in transaction: WriteTransaction) throws {
        try writer(in: transaction).put(contentsOf: elements)
    }

    /// Removes the element with a key.
    ///
    /// See ``remove(_:)``.
    @discardableResult
    public func remove(_ key: Key, in transaction: WriteTransaction) throws -> Element? {
        let id = try coding.id(of: key)
        guard let record = try transaction.record(id) else { return nil }
        let element = try? coding.element(of: record, in: transaction)
        try transaction.delete(id, origin: .local)
        return element
    }

    /// Returns the record of an element.
    ///
    /// - Throws: ``PersistenceError`` with the code ``PersistenceError/Code/missingRecord`` if there is none.
    private func stored(_ id: RecordID, in transaction: WriteTransaction) throws -> Record {
        if let record = try transaction.record(id) { return record }
        throw PersistenceError(.missingRecord, "there is no element with this key to change: insert it", id: id)
    }

    /// Returns a writer of elements within a transaction.
    private func writer(in transaction: WriteTransaction) -> ElementWriter<Element, Key> {
        ElementWriter(coding: coding, transaction: transaction)
    }
}
