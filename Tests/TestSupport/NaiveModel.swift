public import DifferentialSync

/// Diff, merge and cycle as their definitions read, quadratic and plain: the oracle of the random and exhaustive tests.
///
/// Nothing of the library's own algorithms is used here.
public enum NaiveModel {
    /// The three lists of a diff.
    @frozen
    public struct Lists<Element: Equatable>: Equatable {
        /// What is added.
        public var add: [Element]
        /// What is deleted, and the old values of what is replaced.
        public var delete: [Element]
        /// What takes another's place.
        public var replace: [Element]

        /// The given lists.
        @inlinable
        public init(add: [Element] = [], delete: [Element] = [], replace: [Element] = []) {
            self.add = add
            self.delete = delete
            self.replace = replace
        }

        /// The lists of a diff; empty ones for nil.
        @inlinable
        public init(_ diff: Diff<Element>?) {
            self.init(add: diff?.add ?? [], delete: diff?.delete ?? [], replace: diff?.replace ?? [])
        }

        /// Whether there is nothing to do.
        @inlinable
        public var isEmpty: Bool { add.isEmpty && delete.isEmpty && replace.isEmpty }
    }

    /// Equal elements once, each where it first stands.
    @inlinable
    public static func distinct<Element: Equatable>(_ elements: [Element]) -> [Element] {
        elements.enumerated().filter { position, element in !elements[..<position].contains(element) }.map(\.element)
    }

    /// Whether two different elements have one key.
    @inlinable
    public static func hasClash<Element: Equatable, Key: Equatable>(
        _ elements: [Element], key: (Element) -> Key
    ) -> Bool {
        elements.contains { first in elements.contains { first != $0 && key(first) == key($0) } }
    }

    /// The diff by whole elements (specification 0.1).
    @inlinable
    public static func diff<Element: Equatable>(wins: [Element], loses: [Element]) -> Lists<Element> {
        Lists(
            add: distinct(wins).filter { !loses.contains($0) }, delete: distinct(loses).filter { !wins.contains($0) })
    }

    /// The diff by key (specification 0.2).
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

    /// The merge by whole elements (specification 0.3).
    @inlinable
    public static func merge<Element: Equatable>(into elements: [Element], _ diff: Lists<Element>) -> [Element] {
        var result = elements.filter { !diff.delete.contains($0) }
        for element in diff.add + diff.replace where !result.contains(element) { result.append(element) }
        return result
    }

    /// The merge by key (specification 0.4 and 0.5), for lists that have each key once.
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

    /// What a cycle comes to for one record: its three states give the client's, the remote's and the shadow's.
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
