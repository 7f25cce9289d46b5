import SyncPersistence

/// The effect of changes on the records of a window.
struct WindowEdit {
    /// The order of the query.
    private let order: RecordOrder
    /// How many records precede the window.
    private let offset: Int
    /// The positions of the records, by key.
    private let places: [Value: Int]
    /// The first record of the window; nil if it is empty.
    private let first: Record?
    /// The last record, if others may follow it; nil if the window reaches the end.
    private let last: Record?

    /// The records by their places; nil for one that leaves.
    private var kept: [Record?]
    /// The records that enter the window.
    private var arrivals: [Arrival] = []
    /// Whether a record of the window has changed or leaves.
    private var isChanged = false

    /// By how many places the records move, because others are inserted or leave before them.
    private var shift = 0

    /// A record that enters the window.
    private struct Arrival {
        /// The record after the commit.
        let record: Record
        /// Whether the record is stored after all others.
        let isInserted: Bool
        /// The number of the arrival.
        let number: Int
    }

    /// The place of a record in relation to a window.
    private enum Region { case before, inside, after }

    /// Creates the edit of a window that has not changed.
    ///
    /// - Complexity: O(*n*) for *n* records
    init(_ records: [Record], _ query: BoundQuery) {
        order = RecordOrder(query.sort)
        offset = query.offset
        kept = records
        places = Dictionary(zip(records.map(\.key), records.indices)) { first, _ in first }
        first = records.first
        last = records.count == query.limit ? records.last : nil
    }

    /// Adds a changed record; returns false if its place is unknown.
    mutating func add(_ transition: QueryDependencies.Transition) -> Bool {
        let place = transition.old.flatMap { places[$0.key] }
        if let old = transition.old, let new = transition.new, order.compare(old, new) == .tied {
            if let place {
                kept[place] = new
                isChanged = true
            }
            return true
        }
        if let place {
            kept[place] = nil
            isChanged = true
        } else if let old = transition.old {
            guard let region = regionOutside(old) else { return false }
            if region == .before { shift -= 1 }
        }
        guard let new = transition.new else { return true }
        guard let region = region(of: new, isInserted: transition.isInserted) else { return false }
        switch region {
        case .before: shift += 1
        case .inside:
            arrivals.append(Arrival(record: new, isInserted: transition.isInserted, number: arrivals.count))
        case .after: break
        }
        return true
    }

    /// Returns the region of a record that matched and was not in the window; nil if it is unknown.
    private func regionOutside(_ record: Record) -> Region? {
        if offset == 0 { return last == nil ? nil : .after }
        guard let first else { return nil }
        switch order.compare(record, first) {
        case .before: return .before
        case .tied: return nil
        case .after: return last == nil ? nil : .after
        }
    }

    /// Returns the region of a record that is not in the window yet; nil if it is unknown.
    private func region(of record: Record, isInserted: Bool) -> Region? {
        if let last {
            switch order.compare(record, last) {
            case .before: break
            case .tied: return isInserted ? .after : nil
            case .after: return .after
            }
        }
        if offset == 0 { return .inside }
        guard let first else { return nil }
        switch order.compare(record, first) {
        case .before: return .before
        case .tied: return isInserted ? .inside : nil
        case .after: return .inside
        }
    }

    /// The effect of all added changes.
    var effect: QueryWindow.Effect {
        if arrivals.isEmpty, !isChanged, shift == 0 { return .none }
        guard var records = merged, shift + records.count >= 0 else { return .unknown }
        records.removeFirst(max(-shift, 0))
        return .known(
            QueryWindow.Stretch(records: records, missingCount: max(shift, 0), mayContinue: last != nil))
    }

    /// The kept records with the arrivals; nil if equal sort values leave their order open.
    private var merged: [Record]? {
        let kept = kept.compactMap { $0 }
        if arrivals.isEmpty { return kept }
        let sorted = arrivals.sorted { left, right in
            switch order.compare(left.record, right.record) {
            case .before: true
            case .tied: left.number < right.number
            case .after: false
            }
        }
        var records: [Record] = []
        records.reserveCapacity(kept.count + sorted.count)
        var position = 0
        for (number, arrival) in sorted.enumerated() {
            while position < kept.count, order.compare(kept[position], arrival.record) != .after {
                records.append(kept[position])
                position += 1
            }
            if !arrival.isInserted {
                let neighbors = [records.last, number + 1 < sorted.count ? sorted[number + 1].record : nil]
                if neighbors.contains(where: { $0.map { order.compare($0, arrival.record) } == .tied }) { return nil }
            }
            records.append(arrival.record)
        }
        return records + kept[position...]
    }
}
