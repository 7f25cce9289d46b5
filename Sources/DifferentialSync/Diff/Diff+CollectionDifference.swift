extension Diff where Element: Hashable {
    /// The changes of a `CollectionDifference`, without their positions; nil if nothing was added or removed.
    ///
    /// An element that the difference removes in one place and inserts in another has only moved; a diff does not
    /// speak of order, so it is left out.
    ///
    /// ```swift
    /// let changes = Diff(new.difference(from: old))
    /// ```
    ///
    /// - Complexity: O(size of the difference), for elements that hash well
    public init?(_ difference: CollectionDifference<Element>) {
        guard let changes = diff(wins: difference.insertedElements, loses: difference.removedElements) else {
            return nil
        }
        self = changes
    }

    /// The diff as a `CollectionDifference` that turns the base into what a merge would make of it.
    ///
    /// A replacement goes where its old value was, additions go to the end. What the diff deletes and the base does
    /// not hold is left out, and so is what it adds and the base holds already.
    ///
    /// ```swift
    /// let difference = changes.collectionDifference(from: rows)
    /// rows.applying(difference)   // rows after the changes; the offsets are those a table view needs
    /// ```
    ///
    /// - Complexity: O(*n* + *d* log *d*), for elements that hash well
    public func collectionDifference(from base: some Collection<Element>) -> CollectionDifference<Element> {
        let removed = Set(delete.map { ReflexiveKey($0) })
        let successors = Dictionary(replacements.map { (ReflexiveKey($0.old), $0.new) }) { first, _ in first }
        var arrivals = Set(add.map { ReflexiveKey($0) }).union(replace.map { ReflexiveKey($0) })
        for element in base where !removed.contains(ReflexiveKey(element)) { arrivals.remove(ReflexiveKey(element)) }

        var changes: [CollectionDifference<Element>.Change] = []
        var offset = 0
        func insert(_ element: Element) {
            guard arrivals.remove(ReflexiveKey(element)) != nil else { return }
            changes.append(.insert(offset: offset, element: element, associatedWith: nil))
            offset += 1
        }
        for (position, element) in base.enumerated() {
            if removed.contains(ReflexiveKey(element)) {
                changes.append(.remove(offset: position, element: element, associatedWith: nil))
                if let successor = successors[ReflexiveKey(element)] { insert(successor) }
            } else {
                offset += 1
            }
        }
        for element in add { insert(element) }
        for element in replace { insert(element) }
        // Each offset is named once on either side, which is all that the initializer asks for.
        return CollectionDifference(changes)!
    }
}

extension Diff where Element: Equatable {
    /// The changes of a `CollectionDifference` by primary key, without their positions; nil if no element changed.
    ///
    /// An element that is removed and inserted again with the same key is a replacement if its value differs; if not,
    /// it has only moved, and is left out.
    ///
    /// - Throws: ``KeyError`` if two different elements are removed with one key, or inserted.
    /// - Complexity: O(size of the difference), for keys that hash well
    public init?<Key: Hashable>(
        _ difference: CollectionDifference<Element>, primaryKey: (Element) -> Key
    ) throws(KeyError) {
        let changes = try diff(
            wins: difference.insertedElements, loses: difference.removedElements, primaryKey: primaryKey)
        guard let changes else { return nil }
        self = changes
    }
}

extension CollectionDifference {
    fileprivate var insertedElements: [ChangeElement] { insertions.map(\.element) }
    fileprivate var removedElements: [ChangeElement] { removals.map(\.element) }
}

extension CollectionDifference.Change {
    fileprivate var element: ChangeElement {
        switch self {
        case .insert(_, let element, _), .remove(_, let element, _): element
        }
    }
}
