/// The columns of one slot of a shape.
package struct SlotPlace: Sendable {
    /// The position of the first column in the table.
    @usableFromInline package let start: Int
    /// The number of columns.
    @usableFromInline package let count: Int
    /// The type of the first column.
    package let type: AttributeType

    /// The positions in the table.
    @inlinable package var columns: Range<Int> { start..<start + count }
}

/// The columns of a shape's slots.
package final class ShapePlaces: Sendable {
    /// The shape whose records the columns hold, an heir as well as the root.
    package let shape: Shape

    /// The columns of each slot.
    package let slots: [SlotPlace]

    /// Whether the table's columns are exactly the slots, one each and in the same order.
    package let isPlain: Bool

    /// The number of slot columns in the table.
    private let columnCount: Int

    /// Creates the places of a shape's slots.
    ///
    /// - Parameter columnCount: The number of slot columns in the table.
    private init(_ shape: Shape, _ slots: [SlotPlace], of columnCount: Int) {
        precondition(slots.count == shape.slots.count, "a slot of \(shape.name) has no column")
        self.shape = shape
        self.slots = slots
        self.columnCount = columnCount
        isPlain =
            slots.count == columnCount
            && zip(slots, slots.indices).allSatisfy { place, index in place.start == index && place.count == 1 }
    }
}

extension ShapePlaces {
    /// Returns the columns of the slots of a hierarchy's shapes, by the names of the shapes.
    ///
    /// - Parameters:
    ///   - shapes: The shapes.
    ///   - columns: The slots of the hierarchy, in the order of their columns.
    package static func all(of shapes: [Shape], in columns: [HierarchySlot]) -> [String: ShapePlaces] {
        var places = Dictionary(
            uniqueKeysWithValues: shapes.map { ($0.name, [SlotPlace?](repeating: nil, count: $0.slots.count)) })
        var count = 0
        for slot in columns {
            let types = slot.slot.columnTypes
            let place = SlotPlace(start: count, count: types.count, type: types[0])
            count += types.count
            for (shape, position) in slot.positions { places[shape]?[position] = place }
        }
        return Dictionary(
            uniqueKeysWithValues: shapes.map { shape in
                (shape.name, ShapePlaces(shape, (places[shape.name] ?? []).compactMap { $0 }, of: count))
            })
    }

    /// Returns the values of a record by the columns of the table.
    ///
    /// Columns of other entities of the hierarchy are null. A reference to a record with a key of several parts has a column
    /// for each part.
    ///
    /// - Complexity: O(number of columns)
    package func values(of record: Record) -> [Value] {
        var values = [Value](repeating: .null, count: columnCount)
        for (slot, place) in slots.enumerated() {
            let value = record.values[slot]
            if place.count == 1 {
                values[place.start] = value
            } else if case .array(let parts) = value {
                for (column, part) in zip(place.columns, parts) { values[column] = part }
            }
        }
        return values
    }
}
