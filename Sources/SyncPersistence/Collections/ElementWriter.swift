/// Writes elements of an app's type into the records of their entity, within a transaction.
struct ElementWriter<Element: Equatable & Sendable, Key: Hashable & Sendable> {
    /// The conversion between elements and records.
    let coding: RecordCoding<Element, Key>
    /// The transaction that stores the records.
    let transaction: WriteTransaction

    /// The entity whose records keep the elements.
    private var entity: String { coding.entity }

    /// Stores an element over its record, unless the record is unchanged.
    func put(_ element: Element, over stored: Record?) throws {
        let form = try form(of: element, over: stored, transaction.shape(entity))
        if form.record != stored {
            let record =
                try undone(form, of: element, over: stored) ?? transaction.placed(form.record, over: stored)
            try transaction.put(record, origin: .local)
            try keepDefaultsInShadow(of: record, over: stored)
        }
        if form.links.isEmpty { return }
        var changes = ChangeSet()
        changes.setLinks(form.links, of: form.record.id)
        try transaction.apply(changes)
    }

    /// Stores elements over the records with the same keys; if several have one key, the last one counts.
    ///
    /// All are looked up before the first is written, because reads interrupt the writing of new rows. A store behind a
    /// network reads thousands of them together.
    func put(contentsOf elements: some Sequence<Element>) throws {
        let shape = try transaction.shape(entity)
        let hasEdits = try transaction.mayHaveEntries(of: shape)
        var (changes, links) = (ChangeSet(), ChangeSet())
        var withNewMembers: [(record: Record, stored: Record)] = []
        var undone: [Record] = []
        var isWhole = false
        var rest = try keyed(elements)[...]
        while !rest.isEmpty {
            let batch = rest.prefix(WriteTransaction.lookupCount)
            rest.removeFirst(batch.count)
            if !isWhole { try transaction.prefetch(in: shape) { batch.map(\.key) } }
            for (key, element) in batch {
                // The stored record is not read if nothing of it is kept, as with the element before.
                var stored = isWhole ? nil : try transaction.record(RecordID(entity, key))
                var form = try form(of: element, over: stored, shape, key: key)
                if isWhole, !form.isWhole {
                    stored = try transaction.record(RecordID(entity, key))
                    form = try self.form(of: element, over: stored, shape, key: key)
                }
                isWhole = form.isWhole
                links.setLinks(form.links, of: form.record.id)
                if form.record == stored { continue }
                let restored = hasEdits ? try self.undone(form, of: element, over: stored) : nil
                let record = restored ?? form.record
                if let stored, coding.mayHaveNewMembers(record, over: stored) {
                    withNewMembers.append((record, stored))
                }
                if restored != nil { undone.append(record) } else { changes.put(record) }
            }
        }
        for record in undone { try transaction.put(record, origin: .local) }
        try transaction.apply(changes)
        try transaction.apply(links)
        for (record, stored) in withNewMembers { try keepDefaultsInShadow(of: record, over: stored) }
    }

    /// Returns elements with their keys: of several with one key only the last, in the place of the first.
    ///
    /// An element without a key has one of its own once it is stored.
    private func keyed(_ elements: some Sequence<Element>) throws -> [(key: Value, element: Element)] {
        var keyed: [(key: Value, element: Element)] = []
        var positions = PositionTable()
        keyed.reserveCapacity(elements.underestimatedCount)
        positions.reserve(elements.underestimatedCount)
        for element in elements {
            let key = try coding.keyValue(of: element)
            let known =
                key.isNull
                ? nil
                : positions.find(DigestedKey(key).digest, orInsert: keyed.count) { keyed[$0].key == key }
            if let known { keyed[known].element = element } else { keyed.append((key, element)) }
        }
        return keyed
    }

    /// Writes members into the shadow that the user has not set, such as the defaults of members that are new since an
    /// update.
    ///
    /// - Parameters:
    ///   - record: The record that was stored.
    ///   - stored: The record that it replaced.
    private func keepDefaultsInShadow(of record: Record, over stored: Record?) throws {
        guard let stored, coding.mayHaveNewMembers(record, over: stored),
            let entry = try transaction.journalEntry(record.id), !entry.isUnresolved, let base = entry.base,
            let element = try? coding.element(of: base),
            let shadow = try? coding.record(of: element, over: base, shape: base.shape), shadow != base
        else { return }
        var changes = ChangeSet()
        changes.add(.setShadow(JournalEntry(id: entry.id, base: shadow, isUnresolved: false, remote: nil)))
        try transaction.apply(changes)
    }

    /// Returns the record for an element that undoes an edit, as far as its type reads the record; nil for others.
    ///
    /// It has the notation of the shadow, in which the members of a set may have another order, and the place of the
    /// shadow. What the type does not read stays as it is stored.
    ///
    /// - Parameters:
    ///   - form: The element's form.
    ///   - element: The element.
    ///   - stored: The stored record; nil if the element was deleted.
    private func undone(_ form: ElementForm, of element: Element, over stored: Record?) throws -> Record? {
        let record = form.record
        // The transaction finds that a record is equal to the shadow's.
        if form.isWhole { return nil }
        guard let base = try transaction.journalEntry(record.id)?.base,
            try coding.form(of: element, over: base, shape: record.shape).record == base
        else { return nil }
        guard let stored else { return base }
        return try transaction.placed(
            coding.restoring(base, in: record, over: stored, of: element), over: stored, undoingTo: base)
    }

    /// Returns the form of an app's element.
    ///
    /// In debug builds, an equal element must be readable from it.
    private func form(
        of element: Element, over stored: Record?, _ shape: Shape, key: Value? = nil
    ) throws -> ElementForm {
        let form = try coding.form(of: element, over: stored, shape: shape, key: key)
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
    extension ElementWriter {
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
