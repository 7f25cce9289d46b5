public import DifferentialSync

/// Diff, merge and cycle, written as their definitions read: the oracle of random and exhaustive tests.
///
/// The algorithms are quadratic, and use none of the library's own.
public enum NaiveModel {
    /// The three lists of a diff.
    @frozen
    public struct Lists<Element: Equatable>: Equatable {
        /// The inserted elements.
        public var add: [Element]
        /// The deleted elements, and the old values of replaced ones.
        public var delete: [Element]
        /// The new values of replaced elements.
        public var replace: [Element]

        /// Creates a diff from its lists.
        @inlinable
        public init(add: [Element] = [], delete: [Element] = [], replace: [Element] = []) {
            self.add = add
            self.delete = delete
            self.replace = replace
        }

        /// Copies the lists of a diff; nil gives empty lists.
        @inlinable
        public init(_ diff: Diff<Element>?) {
            self.init(add: diff?.add ?? [], delete: diff?.delete ?? [], replace: diff?.replace ?? [])
        }

        /// Whether the diff changes nothing.
        @inlinable
        public var isEmpty: Bool { add.isEmpty && delete.isEmpty && replace.isEmpty }
    }

    /// Returns each element once, at its first position.
    @inlinable
    public static func distinct<Element: Equatable>(_ elements: [Element]) -> [Element] {
        elements.enumerated().filter { position, element in !elements[..<position].contains(element) }.map(\.element)
    }

    /// Whether two different elements have the same key.
    @inlinable
    public static func hasClash<Element: Equatable, Key: Equatable>(
        _ elements: [Element], key: (Element) -> Key
    ) -> Bool {
        elements.contains { first in elements.contains { first != $0 && key(first) == key($0) } }
    }

    /// Returns the diff by whole elements (specification 0.1).
    @inlinable
    public static func diff<Element: Equatable>(wins: [Element], loses: [Element]) -> Lists<Element> {
        Lists(
            add: distinct(wins).filter { !loses.contains($0) }, delete: distinct(loses).filter { !wins.contains($0) })
    }

    /// Returns the diff by key (specification 0.2).
    @inlinable
    public static func diff<Element: Equatable, Key: Equatable>(
        wins: [Element], loses: [Element], key: (Element) -> Key
    ) -> Lists<Element> {
        let plain = diff(wins: wins, loses: loses)
        func isReplacement(_ new: Element) -> Bool { plain.delete.contains { key($0) == key(new) } }
        return Lists(
            add: plain.add.filter { !isReplacement($0) }, delete: plain.delete,
            replace: plain.add.filter { isReplacement($0) })
    }

    /// Merges a diff by whole elements (specification 0.3).
    @inlinable
    public static func merge<Element: Equatable>(into elements: [Element], _ diff: Lists<Element>) -> [Element] {
        var result = elements.filter { !diff.delete.contains($0) }
        for element in diff.add + diff.replace where !result.contains(element) { result.append(element) }
        return result
    }

    /// Merges a diff by key (specification 0.4 and 0.5).
    ///
    /// The keys of each list must be unique.
    @inlinable
    public static func merge<Element: Equatable, Key: Equatable>(
        into elements: [Element], _ diff: Lists<Element>, key: (Element) -> Key,
        shouldReplace: (Element, Element) -> Bool
    ) -> [Element] {
        var result: [Element] = []
        for element in elements {
            if let incoming = (diff.add + diff.replace).first(where: { key($0) == key(element) }) {
                result.append(incoming != element && shouldReplace(element, incoming) ? incoming : element)
            } else if !diff.delete.contains(element) {
                result.append(element)
            }
        }
        return result + diff.add.filter { new in !elements.contains { key($0) == key(new) } }
    }

    /// Returns the result of a cycle for one record: its new states at the client, at the remote and in the shadow.
    @inlinable
    public static func cycle<Element: Equatable>(
        base: Element?, local: Element?, remote: Element?, resolve: (Conflict<Element>) throws -> Resolution<Element>
    ) rethrows -> (client: Element?, remote: Element?, shadow: Element?) {
        if local == base || local == remote { return (remote, remote, remote) }
        if remote == base { return (local, local, local) }
        switch try resolve(Conflict(base: base, local: local, remote: remote)) {
        case .local: return (local, local, local)
        case .remote: return (remote, remote, remote)
        case .base: return (base, base, base)
        case .delete: return (nil, nil, nil)
        case .merged(let element): return (element, element, element)
        case .open: return (local, remote, base)
        }
    }
}
