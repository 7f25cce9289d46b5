extension Diff where Element: Equatable {
    /// Returns the collection after the diff.
    ///
    /// Throws unless the collection holds exactly the old values of the diff.
    ///
    /// A merge adapts to other values, and this function refuses them. Fraser's protocol patches shadows this way. A
    /// replacement takes the place of its old value, and additions are appended.
    ///
    /// ```swift
    /// let next = try changes.applied(exactlyTo: shadow, primaryKey: \.id)
    /// ```
    ///
    /// - Parameters:
    ///   - base: The collection that the diff was made from. Equal elements in it count once.
    ///   - primaryKey: The key of an element.
    /// - Returns: The elements after the diff.
    /// - Throws: ``MismatchError`` that lists every element that does not fit: one to delete or replace that is missing
    ///   or differs, or one to add whose key an element has already.
    /// - Complexity: O(*n* + *d*), for keys that hash well
    @inlinable
    public func applied<Key: Hashable>(
        exactlyTo base: some Collection<Element>, primaryKey: (Element) -> Key
    ) throws(MismatchError) -> [Element] {
        // The positions in the base of the elements that the diff changes.
        var places: [ReflexiveKey<Key>: Int] = [:]
        for element in delete { places[ReflexiveKey(primaryKey(element))] = -1 }
        for element in add { places[ReflexiveKey(primaryKey(element))] = -1 }
        for element in replace { places[ReflexiveKey(primaryKey(element))] = -1 }
        var result: [Element?] = []
        result.reserveCapacity(base.count + add.count)
        var ambiguous: Set<ReflexiveKey<Key>> = []
        for element in base {
            let key = ReflexiveKey(primaryKey(element))
            if let index = places.index(forKey: key) {
                let earlier = places.values[index]
                if earlier >= 0 && areSame(result[earlier], element) { continue }
                if earlier >= 0 { ambiguous.insert(key) }
                places.values[index] = result.count
            }
            result.append(element)
        }

        var mismatches: [MismatchError.Mismatch] = []
        // Puts each element at the place given for it, or appends it.
        func place(_ elements: [Element], named list: String, at given: [Int] = []) {
            for (position, element) in elements.enumerated() {
                let key = ReflexiveKey(primaryKey(element))
                let place = places[key, default: -1]
                if place >= 0 && result[place] != nil {
                    mismatches.append(MismatchError.Mismatch(.alreadyThere, in: list, at: position))
                } else if position < given.count && given[position] >= 0 && result[given[position]] == nil {
                    places[key] = given[position]
                    result[given[position]] = element
                } else {
                    places[key] = result.count
                    result.append(element)
                }
            }
        }
        for (position, old) in delete.enumerated() {
            let key = ReflexiveKey(primaryKey(old))
            let place = places[key, default: -1]
            if place < 0 || result[place] == nil {
                mismatches.append(MismatchError.Mismatch(.notThere, in: "delete", at: position))
            } else if ambiguous.contains(key) || !areSame(result[place], old) {
                mismatches.append(MismatchError.Mismatch(.differs, in: "delete", at: position))
            } else {
                result[place] = nil
            }
        }
        let replaced = pairs.map { places[ReflexiveKey(primaryKey(delete[$0.old])), default: -1] }
        place(add, named: "add")
        place(replace, named: "replace", at: replaced)
        if !mismatches.isEmpty { throw MismatchError(mismatches) }
        return result.compactMap { $0 }
    }

    /// Applies the diff in place.
    ///
    /// Throws, without changing the array, unless it holds exactly the old values of the diff.
    ///
    /// See ``applied(exactlyTo:primaryKey:)``.
    ///
    /// - Complexity: O(*n* + *d*), for keys that hash well
    @inlinable
    public func apply<Key: Hashable>(
        exactlyTo base: inout [Element], primaryKey: (Element) -> Key
    ) throws(MismatchError) {
        base = try applied(exactlyTo: base, primaryKey: primaryKey)
    }
}

extension Diff where Element: Hashable {
    /// Returns the collection after the diff, comparing whole elements.
    ///
    /// Throws unless the collection holds every old value and no new one.
    ///
    /// See ``applied(exactlyTo:primaryKey:)``.
    ///
    /// - Complexity: O(*n* + *d*), for elements that hash well
    @inlinable
    public func applied(exactlyTo base: some Collection<Element>) throws(MismatchError) -> [Element] {
        try applied(exactlyTo: base) { $0 }
    }

    /// Applies the diff in place, comparing whole elements.
    ///
    /// Throws, without changing the array, if the diff does not fit.
    ///
    /// See ``applied(exactlyTo:primaryKey:)``.
    ///
    /// - Complexity: O(*n* + *d*), for elements that hash well
    @inlinable
    public func apply(exactlyTo base: inout [Element]) throws(MismatchError) {
        base = try applied(exactlyTo: base)
    }
}
