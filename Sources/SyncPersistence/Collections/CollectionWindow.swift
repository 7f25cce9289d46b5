import DifferentialSync

/// A part of a stored collection, in memory: what its journal speaks of, and whatever else a step of a cycle does.
struct CollectionWindow<Element: Equatable & Sendable, Key: Hashable & Sendable> {
    /// The part as a collection of its own, by the keys of the records.
    let collection: JournaledCollection<Element, Value>

    private let coding: RecordCoding<Element, Key>
    private let rows: [WindowRow<Element>]

    /// What the journal speaks of, and the records with the given keys, whether they are there or not.
    ///
    /// - Complexity: O(size of the journal + number of keys)
    init(_ coding: RecordCoding<Element, Key>, in transaction: ReadTransaction, keys: [Value] = []) throws {
        var rows: [WindowRow<Element>] = []
        var seen: Set<Value> = []
        for entry in try transaction.journal(of: coding.entity) {
            seen.insert(entry.id.key)
            let record = try transaction.record(RecordID(coding.entity, entry.id.key))
            rows.append(try WindowRow(entry.id.key, record, entry, coding))
        }
        for key in keys where seen.insert(key).inserted {
            let record = try transaction.record(RecordID(coding.entity, key))
            rows.append(try WindowRow(key, record, nil, coding))
        }
        try self.init(coding, rows)
    }

    /// All of the collection, and the given keys, whether anything is there or not. O(*n*)
    init(
        everythingOf coding: RecordCoding<Element, Key>, in transaction: ReadTransaction, keys: [Value] = []
    ) throws {
        var entries: [Value: JournalEntry] = [:]
        let journal = try transaction.journal(of: coding.entity)
        for entry in journal { entries[entry.id.key] = entry }
        var rows: [WindowRow<Element>] = []
        try transaction.forEach(Query(coding.entity)) { record in
            rows.append(try WindowRow(record.key, record, entries.removeValue(forKey: record.key), coding))
            return true
        }
        // What was deleted here.
        for entry in journal where entries[entry.id.key] != nil {
            rows.append(try WindowRow(entry.id.key, nil, entry, coding))
        }
        var seen = Set(rows.lazy.map(\.key))
        for key in keys where seen.insert(key).inserted { rows.append(try WindowRow(key, nil, nil, coding)) }
        try self.init(coding, rows)
    }

    private init(_ coding: RecordCoding<Element, Key>, _ rows: [WindowRow<Element>]) throws {
        self.coding = coding
        self.rows = rows
        let stored = StoredCollection(
            client: rows.compactMap(\.element), shadow: rows.compactMap { $0.entry == nil ? $0.element : $0.base },
            unsettled: rows.filter { $0.entry?.isUnsettled == true }.map {
                Conflict(base: $0.base, local: $0.element, remote: $0.remote)
            })
        // A key without a value is found where an element comes in: none of those in the window is without.
        collection = try JournaledCollection(restoring: stored) { (try? coding.keyValue(of: $0)) ?? .null }
    }

    /// A collection by the same keys.
    func collection(restoring stored: StoredCollection<Element>) throws -> JournaledCollection<Element, Value> {
        let coding = coding
        return try JournaledCollection(restoring: stored) { (try? coding.keyValue(of: $0)) ?? .null }
    }
}

/// What a store holds under one key.
private struct WindowRow<Element: Equatable & Sendable> {
    let key: Value
    let record: Record?
    let entry: JournalEntry?

    /// The element of the record, and those of the journal's images.
    let element: Element?
    let base: Element?
    let remote: Element?

    init(
        _ key: Value, _ record: Record?, _ entry: JournalEntry?, _ coding: RecordCoding<Element, some Sendable>
    ) throws {
        self.key = key
        self.record = record
        self.entry = entry
        element = try record.map(coding.element)
        base = try entry?.base.map(coding.element)
        remote = try entry?.remote.map(coding.element)
    }

    /// The record that keeps an element: one that is there, if it keeps an equal one.
    func record(
        of element: Element, _ coding: RecordCoding<Element, some Sendable>, shape: Shape
    ) throws -> Record {
        let known = [(self.element, record), (base, entry?.base), (remote, entry?.remote)]
        if let same = known.first(where: { $0.0 == element })?.1 { return same }
        return try coding.record(of: element, shape: shape)
    }
}

extension CollectionWindow {
    /// Notes what has to change in the store so that this part of it is as the collection has become.
    ///
    /// - Complexity: O(size of the window)
    func note(_ after: JournaledCollection<Element, Value>, in changes: inout ChangeSet, shape: Shape) throws {
        var unsettled: [Value: Conflict<Element>] = [:]
        for conflict in after.unsettled {
            guard let version = conflict.local ?? conflict.base ?? conflict.remote else { continue }
            unsettled[try coding.keyValue(of: version)] = conflict
        }
        for row in rows {
            let element = after[row.key]
            let base = after.shadow(for: row.key)
            let conflict = unsettled[row.key]
            let isClean = base == element && conflict == nil
            if element != row.element || isClean && row.entry != nil {
                // What was agreed on leaves nothing in the journal.
                if let element {
                    changes.put(try row.record(of: element, coding, shape: shape))
                } else {
                    changes.delete(RecordID(shape.name, row.key))
                }
            }
            let isAsItWas =
                element == row.element && row.entry != nil && base == row.base
                && (conflict != nil) == (row.entry?.isUnsettled == true) && conflict?.remote == row.remote
            if isClean || isAsItWas { continue }
            let baseRecord = try base.map { try row.record(of: $0, coding, shape: shape) }
            let remoteRecord = try conflict?.remote.map { try row.record(of: $0, coding, shape: shape) }
            let entity = (row.record ?? baseRecord ?? remoteRecord)?.entity ?? shape.name
            changes.add(
                .setShadow(
                    JournalEntry(
                        id: RecordID(entity, row.key), base: baseRecord, isUnsettled: conflict != nil,
                        remote: remoteRecord)))
        }
    }
}
