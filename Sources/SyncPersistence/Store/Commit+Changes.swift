extension Commit {
    /// The changes of records, in the order in which a transaction first touched them.
    ///
    /// It is a collection like an array. A transaction with many new records keeps most of them in a compact form, so
    /// that an import needs little memory. Each access makes such a record anew: iterate once, or make an `Array`.
    ///
    /// ```swift
    /// for change in commit.changes where change.old == nil {
    ///     index(change.new)
    /// }
    /// ```
    public struct Changes: Sendable {
        /// The changes with records as they are.
        ///
        /// The first of them have the same index in the collection.
        private var changes: [RecordChange] = []

        /// How many changes there were before packing began.
        private var firstCount = 0

        /// The places of the changes that follow the first ones.
        private var places: [Place] = []

        /// The new records of the changes that follow the first ones.
        private var records = PackedRecords()

        /// After how many changes new records are packed.
        ///
        /// Most transactions have fewer changes, which observers may read several times. With invariant checks, most
        /// transactions have more, so that all tests use both forms.
        #if DIFFSYNC_INVARIANTS
            static let packingCount = 2
        #else
            static let packingCount = 4_096
        #endif

        /// The place of a change that follows the first ones.
        private enum Place {
            /// The change with an index in `changes`.
            case change(UInt32)
            case packed(PackedChange)
        }

        /// The change of a new record that is packed.
        private struct PackedChange {
            let place: PackedRecords.Place
            /// Whether the origin is the remote (1) or an agreement (8), and whether the change is a consequence (2) and
            /// incoming (4).
            private let flags: UInt8

            init(_ change: Commit.RecordChange, at place: PackedRecords.Place) {
                self.place = place
                flags =
                    (change.origin == .remote ? 1 : change.origin == .agreed ? 8 : 0)
                    | (change.isConsequence ? 2 : 0) | (change.isIncoming ? 4 : 0)
            }

            var origin: ChangeSet.Origin { flags & 1 != 0 ? .remote : flags & 8 != 0 ? .agreed : .local }
            var isConsequence: Bool { flags & 2 != 0 }
            var isIncoming: Bool { flags & 4 != 0 }
        }

        /// Creates an empty collection.
        init() {}
    }
}

extension Commit.Changes: RandomAccessCollection {
    /// The index of the first change.
    public var startIndex: Int { 0 }

    /// The index after the last change.
    public var endIndex: Int { firstCount + places.count }

    /// Returns a change.
    ///
    /// - Complexity: O(1), and O(size of the record) for a new record of a large transaction
    public subscript(position: Int) -> Commit.RecordChange {
        if position < firstCount { return changes[position] }
        switch places[position - firstCount] {
        case .change(let index): return changes[Int(index)]
        case .packed(let packed):
            var change = Commit.RecordChange(
                old: nil, new: records.record(at: packed.place), origin: packed.origin,
                isConsequence: packed.isConsequence)
            change.isIncoming = packed.isIncoming
            return change
        }
    }
}

extension Commit.Changes {
    /// Adds a change.
    mutating func append(_ change: Commit.RecordChange) {
        if endIndex < Self.packingCount {
            changes.append(change)
            firstCount += 1
        } else if change.old == nil, let new = change.new {
            places.append(.packed(PackedChange(change, at: records.append(new))))
        } else {
            places.append(.change(UInt32(changes.count)))
            changes.append(change)
        }
    }

    /// Replaces a change.
    mutating func replace(at position: Int, by change: Commit.RecordChange) {
        if position < firstCount {
            changes[position] = change
        } else if case .change(let index) = places[position - firstCount] {
            changes[Int(index)] = change
        } else {
            places[position - firstCount] = .change(UInt32(changes.count))
            changes.append(change)
        }
    }

    /// Makes room for a number of changes in all.
    mutating func reserveCapacity(_ count: Int) {
        // Many small change sets let the capacity grow by a factor, as appending does.
        let capacity = firstCount + places.capacity
        if count <= Self.packingCount {
            if count > changes.capacity { changes.reserveCapacity(Swift.max(count, 2 * changes.capacity)) }
        } else if count > capacity {
            places.reserveCapacity(Swift.max(count, 2 * capacity) - firstCount)
        }
    }

    /// Removes the changes that end as they began.
    mutating func removeReverted() {
        var rest = Commit.Changes()
        for (position, change) in enumerated() where packed(at: position) != nil || change.old != change.new {
            rest.append(change)
        }
        self = rest
    }

    /// Returns a change in its compact form; nil for one of the first changes, which are not packed.
    private func packed(at position: Int) -> PackedChange? {
        guard position >= firstCount, case .packed(let packed) = places[position - firstCount] else { return nil }
        return packed
    }
}

/// What can be read of a change without making a packed record.
extension Commit.Changes {
    /// A new record's shape and key, and the number of its links.
    package struct Outline {
        /// The shape of the record.
        package let shape: Shape
        /// The key of the record.
        package let key: Value
        /// The number of links that the record makes: of other records by its relationships, or one if it is a link.
        package let linkCount: Int
    }

    /// Returns what is quickly read of a packed record; nil for other changes.
    ///
    /// - Complexity: O(number of slots)
    package func outline(at position: Int) -> Outline? { packed(at: position).map { records.outline(at: $0.place) } }

    /// How many new records of a shape there are at most, unless new records were changed again.
    package func newCountEstimate(of shape: Shape) -> Int { firstCount + records.count(of: shape) }

    /// Whether a record was new.
    func isNew(at position: Int) -> Bool { packed(at: position) != nil || self[position].old == nil }

    /// Whether a record exists after the change.
    func exists(at position: Int) -> Bool { packed(at: position) != nil || self[position].new != nil }

    /// Whether a record was last stored as the remote's version, apart from consequences.
    func isIncoming(at position: Int) -> Bool { packed(at: position)?.isIncoming ?? self[position].isIncoming }

    /// Returns the shape of a record after the change; nil for a deleted one.
    func newShape(at position: Int) -> Shape? {
        packed(at: position).map { records.shape(at: $0.place) } ?? self[position].new?.shape
    }

    /// Whether a record has a key; nil for a record that exists neither before nor after the change.
    func isKey(_ key: Value, at position: Int) -> Bool? {
        if let packed = packed(at: position) { return records.isKey(key, at: packed.place) }
        let change = self[position]
        return (change.new ?? change.old).map { $0.key == key }
    }
}
