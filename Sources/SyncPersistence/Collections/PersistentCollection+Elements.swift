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
    /// - Returns: The replaced element.
    /// - Throws: ``PersistenceError`` with the code ``PersistenceError/Code/missingRecord`` if there is no element with
    ///   its key; also for an element that cannot be stored, and if the store cannot be written.
    @discardableResult
    public func update(_ element: Element) async throws -> Element {
        try await store.write { try update(element, in: $0) }.result
    }

    /// Edits the element with a key in one transaction, without another change in between.
    ///
    /// ```swift
    /// try await notes.edit(7) { $0.text += "!" }
    /// ```
    ///
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
    /// Members of the stored JSON that the type neither reads nor writes are kept.
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
        try put(element, over: nil, in: transaction)
    }

    /// Replaces the element with the same key.
    ///
    /// See ``update(_:)``.
    @discardableResult
    public func update(_ element: Element, in transaction: WriteTransaction) throws -> Element {
        let stored = try stored(coding.id(of: coding.key(element)), in: transaction)
        let old = try coding.element(of: stored, in: transaction)
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
        var element = try coding.element(of: stored, in: transaction)
        try body(&element)
        if try coding.keyValue(of: element) != id.key {
            throw PersistenceError(
                .mismatch, "the edit has changed the key: remove the element, and insert one with the other key",
                id: id)
        }
        try put(element, over: stored, in: transaction)
        return element
    }

    /// Inserts an element, or replaces the one with the same key.
    ///
    /// See ``upsert(_:)-(Element)``.
    @discardableResult
    public func upsert(_ element: Element, in transaction: WriteTransaction) throws -> Element? {
        let stored = try transaction.record(coding.id(of: coding.key(element)))
        let old = stored.flatMap { try? coding.element(of: $0, in: transaction) }
        try put(element, over: stored, in: transaction)
        return old
    }

    /// Inserts elements, or replaces those with the same keys.
    ///
    /// See ``upsert(contentsOf:)``.
    public func upsert(contentsOf elements: some Sequence<Element>, in transaction: WriteTransaction) throws {
        let shape = try transaction.shape(entity)
        let isEmpty = try transaction.count(Query(entity, limit: 1)) == 0
        let hasEdits = try transaction.count(Query(JournalShape.name(of: entity), limit: 1)) > 0
        // All are looked up before the first is written, because reads interrupt the writing of new rows.
        var records: [Record] = []
        var positions: [Value: Int] = [:]
        var replaced: [(position: Int, stored: Record)] = []
        var linked: [(id: RecordID, links: [ElementLinks])] = []
        records.reserveCapacity(elements.underestimatedCount)
        positions.reserveCapacity(elements.underestimatedCount)
        for element in elements {
            let key = try coding.keyValue(of: element)
            if let position = positions[key] {
                let form = try form(of: element, over: records[position], shape)
                let record = form.record
                records[position] = hasEdits ? try unedited(record, of: element, in: transaction) : record
                if !form.links.isEmpty { linked.append((record.id, form.links)) }
                continue
            }
            let stored = isEmpty ? nil : try transaction.record(RecordID(entity, key))
            let form = try form(of: element, over: stored, shape)
            var record = form.record
            if !form.links.isEmpty { linked.append((record.id, form.links)) }
            if record == stored { continue }
            if hasEdits { record = try unedited(record, of: element, in: transaction) }
            positions[key] = records.count
            if let stored, coding.looksAtElements { replaced.append((records.count, stored)) }
            records.append(record)
        }
        var changes = ChangeSet()
        for record in records { changes.put(record) }
        for (id, links) in linked { changes.setLinks(links, of: id) }
        try transaction.apply(changes)
        for (position, stored) in replaced {
            try keepDefaultsInShadow(of: records[position], over: stored, in: transaction)
        }
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

    private func stored(_ id: RecordID, in transaction: WriteTransaction) throws -> Record {
        if let record = try transaction.record(id) { return record }
        throw PersistenceError(.missingRecord, "there is no element with this key to change: insert it", id: id)
    }

    /// Stores an element over its record, unless the record is unchanged.
    private func put(_ element: Element, over stored: Record?, in transaction: WriteTransaction) throws {
        let form = try form(of: element, over: stored, transaction.shape(entity))
        let record = form.record
        if record != stored {
            try transaction.put(unedited(record, of: element, in: transaction), origin: .local)
            try keepDefaultsInShadow(of: record, over: stored, in: transaction)
        }
        if form.links.isEmpty { return }
        var changes = ChangeSet()
        changes.setLinks(form.links, of: record.id)
        try transaction.apply(changes)
    }

    /// Writes members into the shadow that the user has not set, such as the defaults of members that are new since an
    /// update.
    ///
    /// - Parameters:
    ///   - record: The record that was stored.
    ///   - stored: The record that it replaced.
    ///   - transaction: Where it was stored.
    private func keepDefaultsInShadow(of record: Record, over stored: Record?, in transaction: WriteTransaction) throws
    {
        guard let stored, coding.mayHaveNewMembers(record, over: stored),
            let entry = try transaction.journalEntry(record.id), !entry.isUnsettled, let base = entry.base,
            let element = try? coding.element(of: base),
            let shadow = try? coding.record(of: element, over: base, shape: base.shape), shadow != base
        else { return }
        var changes = ChangeSet()
        changes.add(.setShadow(JournalEntry(id: entry.id, base: shadow, isUnsettled: false, remote: nil)))
        try transaction.apply(changes)
    }

    /// Returns the record to store for an element.
    ///
    /// It is the shadow's if the element undoes an edit, even if a set has its members in another order now.
    private func unedited(_ record: Record, of element: Element, in transaction: WriteTransaction) throws -> Record {
        guard let base = try transaction.journalEntry(record.id)?.base,
            try coding.form(of: element, over: base, shape: record.shape).record == base
        else { return record }
        return base
    }

    /// Returns the form of an app's element.
    ///
    /// In debug builds, an equal element must be readable from it.
    private func form(of element: Element, over stored: Record?, _ shape: Shape) throws -> ElementForm {
        let form = try coding.form(of: element, over: stored, shape: shape)
        #if DEBUG
            if form.record != stored { try requireRoundTrip(of: element, form) }
        #endif
        return form
    }
}

extension ChangeSet {
    /// Links a record with exactly those that its element names.
    fileprivate mutating func setLinks(_ links: [ElementLinks], of id: RecordID) {
        for link in links { setLinks(id, link.relationship, to: link.keys) }
    }
}

#if DEBUG
    extension PersistentCollection {
        /// Checks that the element read from a record is equal to the one written to it.
        private func requireRoundTrip(of element: Element, _ form: ElementForm) throws {
            let problem: String
            do {
                let copy = try coding.element(of: form.record) { name in
                    form.links.first { $0.relationship == name }?.keys ?? []
                }
                // Nothing is equal to an element that is not equal to itself.
                if copy == element || element != element { return }
                problem = "what is read back is not equal to what was written"
            } catch {
                if error.code == .unknownName { throw error }
                problem = "it cannot be read back: \(error.message)"
            }
            throw PersistenceError(
                .wrongType,
                "\(problem). An element must be equal to what its JSON is decoded as: a URL without a base, a date with "
                    + "all its digits, no optional of an optional, and a default for nothing that is not in the JSON",
                id: form.record.id)
        }
    }
#endif
