/// Reads the keys of a collection's elements, and finds by them what is wrong with a caller's input.
///
/// Each error names the collection, the key and the positions.
@usableFromInline
struct KeyReader<Element: Equatable, Key: Hashable & Sendable>: Sendable {
    /// A record of the remote; nil if the remote has none with the key.
    @usableFromInline typealias RemoteState = (key: Key, element: Element?)

    /// The key function of the caller, which must return the same key for an element each time.
    @usableFromInline let keyOf: @Sendable (Element) -> Key

    /// Returns the name of a part of the key that a record lacks; nil if all elements have a key.
    @usableFromInline let missingKey: (@Sendable (Element) -> String?)?

    /// Creates a reader of keys.
    ///
    /// - Parameter missingKey: Returns the name of a key field that an element lacks; nil if elements always have keys.
    @inlinable
    init(keyOf: @escaping @Sendable (Element) -> Key, missingKey: (@Sendable (Element) -> String?)? = nil) {
        self.keyOf = keyOf
        self.missingKey = missingKey
    }

    /// Returns the key of an element, and throws if it is missing or not equal to itself.
    @inlinable
    func key(
        of element: Element, in collection: String = "collection", at position: Int? = nil
    ) throws(KeyError) -> Key {
        if let name = missingKey?(element) {
            throw KeyError(missing: name, in: collection, positions: position.map { [$0] } ?? [])
        }
        let key = keyOf(element)
        try KeyError.check(key, in: collection, at: position)
        return key
    }

    /// Throws if the key of an element is missing or not equal to itself.
    @inlinable
    func check(_ elements: [Element], in collection: String) throws(KeyError) {
        for (position, element) in elements.enumerated() { _ = try key(of: element, in: collection, at: position) }
    }

    /// Returns for each record the key that all its versions have, or nil if it has no versions.
    @inlinable
    func commonKeys(of records: [[Element?]], in collection: String) throws(KeyError) -> [Key?] {
        var keys: [Key?] = []
        var positions: [Key: Int] = [:]
        for (position, versions) in records.enumerated() {
            var common: Key?
            for case let version? in versions {
                let key = try key(of: version, in: collection, at: position)
                if let common, key != common {
                    throw KeyError(.changed, in: collection, key: common, positions: [position])
                }
                common = key
            }
            if let common, let earlier = positions.updateValue(position, forKey: common) {
                throw KeyError(.duplicate, in: collection, key: common, positions: [earlier, position])
            }
            keys.append(common)
        }
        return keys
    }

    /// Returns the changes of a caller's diff, at most one for each key.
    @inlinable
    func changes(of diff: Diff<Element>?, named name: String) throws(KeyError) -> [Change<Element>] {
        guard let diff else { return [] }
        for element in diff.delete + diff.add + diff.replace { _ = try key(of: element, in: name) }
        return try diff.changes(named: name, primaryKey: keyOf)
    }

    /// Returns the remote versions, given the changed elements and the keys of the deleted ones.
    @inlinable
    func states(
        changed: [Element], deleted: [Key], duplicates: DuplicatePolicy
    ) throws(KeyError) -> [RemoteState] {
        if duplicates != .refuse {
            try check(changed, in: "changed")
            let unique = try unique(changed, named: "changed", primaryKey: keyOf, duplicates: duplicates)
            return try states(changed: unique, deleted: deleted, duplicates: .refuse)
        }
        var positions: [Key: Int] = [:]
        var states: [RemoteState] = []
        for (position, element) in changed.enumerated() {
            let key = try key(of: element, in: "changed", at: position)
            if let earlier = positions.updateValue(position, forKey: key) {
                if areSame(changed[earlier], element) { continue }
                throw KeyError(.duplicate, in: "changed", key: key, positions: [earlier, position])
            }
            states.append((key, element))
        }
        var deletions: Set<Key> = []
        for (position, key) in deleted.enumerated() {
            try KeyError.check(key, in: "deleted", at: position)
            if positions[key] != nil {
                throw KeyError(.duplicate, in: "changed and deleted", key: key)
            }
            if deletions.insert(key).inserted { states.append((key, nil)) }
        }
        return states
    }

    /// Returns the remote versions that differ from the shadow, given all elements of the remote.
    @inlinable
    func states(
        everything elements: [Element], shadow: [Element], duplicates: DuplicatePolicy
    ) throws(KeyError) -> [RemoteState] {
        try check(elements, in: "remote")
        let diff = try keyedDiff(
            wins: elements, loses: shadow, named: ("remote", "shadow"), primaryKey: keyOf, duplicates: duplicates)
        return (diff?.changes ?? []).map { (keyOf($0.element), $0.new) }
    }
}
