/// Returns the elements with each key once, from an array.
///
/// - Complexity: O(*n*), for keys that hash well.
@inlinable
func unique<Element: Equatable, Key: Hashable & Sendable>(
    _ elements: [Element], named collection: String, primaryKey: (Element) -> Key, duplicates: DuplicatePolicy
) throws(KeyError) -> [Element] {
    try elements.withUnsafeBufferPointer { elements throws(KeyError) in
        try unique(elements, named: collection, primaryKey: primaryKey, duplicates: duplicates)
    }
}

/// Returns the elements with each key once.
///
/// Equal elements count once, and the policy keeps one of different ones.
///
/// - Complexity: O(*n*), for keys that hash well.
@inlinable
func unique<Element: Equatable, Key: Hashable & Sendable>(
    _ elements: UnsafeBufferPointer<Element>, named collection: String, primaryKey: (Element) -> Key,
    duplicates: DuplicatePolicy
) throws(KeyError) -> [Element] {
    var positions = [Key: Int](minimumCapacity: elements.count)
    var isLeftOut = [Bool](repeating: false, count: elements.count)
    var sameness = SamenessCheck<Element>()
    for position in elements.indices {
        let key = primaryKey(elements[position])
        try KeyError.check(key, in: collection, at: position)
        guard let earlier = positions[key] else {
            positions[key] = position
            continue
        }
        if duplicates == .keepFirst || sameness.areSame(elements[earlier], elements[position]) {
            isLeftOut[position] = true
        } else if duplicates == .keepLast {
            isLeftOut[earlier] = true
            positions[key] = position
        } else {
            throw KeyError(.duplicate, in: collection, key: key, positions: [earlier, position])
        }
    }
    return elements.indices.lazy.filter { !isLeftOut[$0] }.map { elements[$0] }
}

/// Returns the distinct elements, in the order of their first occurrence.
///
/// - Complexity: O(*n*), for elements that hash well.
@inlinable
func unique<Element: Hashable>(_ elements: UnsafeBufferPointer<Element>) -> [Element] {
    var seen = Set<ReflexiveKey<Element>>(minimumCapacity: elements.count)
    return elements.filter { seen.insert(ReflexiveKey($0)).inserted }
}

/// Throws for the first record that has no value for one of the names, or one that is not equal to itself.
///
/// - Complexity: O(*n* · number of names).
func requireKeys<Value: Hashable>(
    _ names: [String], in records: some Sequence<[String: Value]>, named collection: String
) throws(KeyError) {
    for (position, record) in records.enumerated() {
        for name in names where record[name] == nil {
            throw KeyError(missing: name, in: collection, positions: [position])
        }
        let key = RecordKey(record, names)
        if canHoldNaN(Value.self) && key != key {
            throw KeyError(.notEqualToItself, in: collection, key: "\(key)", positions: [position])
        }
    }
}
