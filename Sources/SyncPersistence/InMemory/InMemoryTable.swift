/// The records of one hierarchy, in the order in which they were first stored.
///
/// A copy of this value shares everything until one of both changes.
struct InMemoryTable: Equatable, Sendable {
    /// The records by place; nil at free places.
    private(set) var rows: [Record?] = []

    /// The place of the record with a key.
    private var places: [Value: Int] = [:]

    /// The places of the values in the indexed slots.
    private var indexes: [PlaceIndex]

    /// The number of the index for the slots with a name.
    private let indexNumbers: [String: Int]

    /// The indexed slots of each shape, by its name.
    private let indexedSlots: [String: [IndexedSlot]]

    /// A slot, and the number of its index.
    private struct IndexedSlot: Equatable, Sendable {
        /// The position of the slot in the record.
        let slot: Int
        /// The position of its index in the table.
        let index: Int
    }

    /// Creates a table without records for the shapes of a hierarchy.
    ///
    /// A slot is indexed if it refers to a record, or if any of the shapes declares it as indexed.
    init(_ hierarchy: [Shape]) {
        var numbers: [String: Int] = [:]
        for slot in hierarchy.flatMap(\.slots) where slot.isIndexed || slot.isReference {
            numbers[slot.name] = numbers[slot.name] ?? numbers.count
        }
        indexNumbers = numbers
        indexes = Array(repeating: PlaceIndex(), count: numbers.count)
        indexedSlots = Dictionary(
            hierarchy.map { shape in
                (
                    shape.name,
                    shape.slots.indices.compactMap { slot in
                        numbers[shape.slots[slot].name].map { IndexedSlot(slot: slot, index: $0) }
                    }
                )
            }
        ) { first, _ in first }
    }
}

extension Slot {
    /// Whether the slot has the key of another record.
    fileprivate var isReference: Bool {
        if case .reference = content { true } else { false }
    }
}

extension InMemoryTable {
    /// The number of records.
    ///
    /// - Complexity: O(1)
    var count: Int { places.count }

    /// Returns the place of the record with a key.
    ///
    /// - Complexity: O(1)
    func place(of key: Value) -> Int? { places[key] }

    /// Returns the record with a key.
    ///
    /// - Complexity: O(1)
    func record(_ key: Value) -> Record? {
        places[key].flatMap { rows[$0] }
    }

    /// Returns the index of the slots with a name, or nil if there is none.
    ///
    /// - Complexity: O(1)
    func index(of slot: String) -> PlaceIndex? {
        indexNumbers[slot].map { indexes[$0] }
    }
}

extension InMemoryTable {
    /// Appends a record with a new key.
    ///
    /// - Complexity: O(number of its indexed slots)
    mutating func append(_ record: Record) {
        let place = rows.count
        let previous = places.updateValue(place, forKey: record.key)
        precondition(previous == nil, "\(record.id) is stored already")
        rows.append(record)
        addToIndexes(record, at: place)
    }

    /// Removes the last record, as if it had never been appended.
    mutating func removeLast() {
        guard let record = rows.removeLast() else { preconditionFailure("there is no record at the last place") }
        places[record.key] = nil
        removeFromIndexes(record, at: rows.count)
    }

    /// Replaces the record at a place by another one with the same key, and returns the old one.
    @discardableResult
    mutating func replace(at place: Int, by record: Record) -> Record {
        guard let old = rows[place] else { preconditionFailure("there is no record at place \(place)") }
        rows[place] = record
        if old.shape === record.shape {
            for indexed in indexedSlots[record.entity] ?? [] {
                let (before, after) = (old.values[indexed.slot], record.values[indexed.slot])
                if before == after { continue }
                indexes[indexed.index].remove(place, at: before)
                indexes[indexed.index].insert(place, at: after)
            }
        } else {
            removeFromIndexes(old, at: place)
            addToIndexes(record, at: place)
        }
        return old
    }

    /// Removes the record at a place, which becomes free, and returns it.
    mutating func remove(at place: Int) -> Record {
        guard let old = rows[place] else { preconditionFailure("there is no record at place \(place)") }
        rows[place] = nil
        places[old.key] = nil
        removeFromIndexes(old, at: place)
        return old
    }

    /// Restores a record at the place from which it was removed.
    mutating func restore(_ record: Record, at place: Int) {
        rows[place] = record
        places[record.key] = place
        addToIndexes(record, at: place)
    }

    /// Moves the records together if more than half of the places are free.
    ///
    /// - Complexity: O(*n*), which is O(1) for each removed record
    mutating func compactIfSparse() {
        if rows.count > 32, rows.count > 2 * count { rebuild(rows.compactMap { $0 }) }
    }

    /// Returns the same records in a table for the shapes of a larger hierarchy.
    ///
    /// - Complexity: O(*n*)
    func adapted(to hierarchy: [Shape]) -> InMemoryTable {
        let shapes = Dictionary(hierarchy.map { ($0.name, $0) }) { first, _ in first }
        var table = InMemoryTable(hierarchy)
        table.rebuild(
            rows.compactMap { row in
                row.map { record in Record(shapes[record.entity] ?? record.shape, slots: record.values) }
            })
        return table
    }

    /// Replaces all records, and makes the indexes anew.
    ///
    /// - Complexity: O(*n*) for *n* records
    private mutating func rebuild(_ records: [Record]) {
        rows = records
        places = [:]
        places.reserveCapacity(records.count)
        indexes = Array(repeating: PlaceIndex(), count: indexes.count)
        for (place, record) in records.enumerated() {
            places[record.key] = place
            addToIndexes(record, at: place)
        }
    }

    /// Adds the values of a record to the indexes of its slots.
    private mutating func addToIndexes(_ record: Record, at place: Int) {
        for indexed in indexedSlots[record.entity] ?? [] {
            indexes[indexed.index].insert(place, at: record.values[indexed.slot])
        }
    }

    /// Removes the values of a record from the indexes of its slots.
    private mutating func removeFromIndexes(_ record: Record, at place: Int) {
        for indexed in indexedSlots[record.entity] ?? [] {
            indexes[indexed.index].remove(place, at: record.values[indexed.slot])
        }
    }
}
