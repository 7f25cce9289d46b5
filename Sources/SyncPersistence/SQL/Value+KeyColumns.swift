extension Value {
    /// Returns the values of a key by the columns of its table; nil if the parts of the key are nested in another way.
    ///
    /// A key of several slots is an array with a part for each slot. A part of several columns is an array as well.
    ///
    /// - Parameter counts: The number of columns of each key slot.
    package func keyColumns(_ counts: [Int]) -> [Value]? {
        if counts.count == 1 { return counts == [1] ? [self] : columns(counts[0]) }
        guard case .array(let parts) = self, parts.count == counts.count else { return nil }
        var values: [Value] = []
        for (part, count) in zip(parts, counts) {
            guard let columns = count == 1 ? [part] : part.columns(count) else { return nil }
            values += columns
        }
        return values
    }

    /// Returns the elements of an array; nil if the value is no array of so many elements.
    private func columns(_ count: Int) -> [Value]? {
        guard case .array(let elements) = self, elements.count == count else { return nil }
        return elements
    }
}
