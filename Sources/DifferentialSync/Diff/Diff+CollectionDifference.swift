extension Diff where Element: Hashable {
    /// Creates a diff of the changes of a `CollectionDifference`, without their positions; nil if there are none.
    ///
    /// An element that the difference removes and inserts again has only moved. A diff has no order, so the element is
    /// left out.
    ///
    /// ```swift
    /// let changes = Diff(new.difference(from: old))
    /// ```
    ///
    /// - Complexity: O(size of the difference), for elements that hash well
    public init?(_ difference: CollectionDifference<Element>) {
        let changes = diff(wins: difference.insertions.map(\.element), loses: difference.removals.map(\.element))
        guard let changes else { return nil }
        self = changes
    }

    /// Returns a `CollectionDifference` that changes the base as a merge of this diff would.
    ///
    /// A replacement takes the place of its old value, and additions are appended. Deletions of elements that the base
    /// lacks are left out, and so are additions of elements that it holds.
    ///
    /// ```swift
    /// let difference = changes.collectionDifference(from: rows)
    /// rows.applying(difference)   // rows after the changes, with the offsets that a table view needs
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
        // The initializer only requires that each offset occurs at most once among the removals and the insertions.
        return CollectionDifference(changes)!
    }
}

extension Diff where Element: Equatable {
    /// Creates a diff of the changes of a `CollectionDifference` by primary key, without their positions; nil if there
    /// are none.
    ///
    /// An element that is removed and inserted again with the same key is a replacement if its value differs. If not,
    /// it has only moved, and is left out.
    ///
    /// - Parameters:
    ///   - difference: The changes.
    ///   - primaryKey: The key of an element.
    /// - Throws: ``KeyError`` if two different removed elements, or two inserted ones, have the same key.
    /// - Complexity: O(size of the difference), for keys that hash well
    public init?<Key: Hashable & Sendable>(
        _ difference: CollectionDifference<Element>, primaryKey: (Element) -> Key
    ) throws(KeyError) {
        let changes = try diff(
            wins: difference.insertions.map(\.element), loses: difference.removals.map(\.element),
            primaryKey: primaryKey)
        guard let changes else { return nil }
        self = changes
    }
}

extension CollectionDifference.Change {
    fileprivate var element: ChangeElement {
        switch self {
        case .insert(_, let element, _), .remove(_, let element, _): element
        }
    }
}
