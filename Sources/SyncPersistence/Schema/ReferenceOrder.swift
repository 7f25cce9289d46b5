/// The hierarchies of a schema in an order in which their records can be stored.
///
/// References that may lead to no record, by the delete rule `noAction`, do not count.
package struct ReferenceOrder: Sendable {
    /// The hierarchies of the app's records and of links: those that others refer to come first.
    ///
    /// Apart from that, they are in the order of their definitions. Links come last.
    package let roots: [Shape]

    /// The roots of the hierarchies whose records refer to records of the same hierarchy.
    package let selfReferring: Set<String>

    /// Orders the hierarchies of shapes.
    ///
    /// - Complexity: O(number of shapes and of their slots)
    init(_ shapes: [Shape], named shape: (String) -> Shape?) {
        let hierarchies = Dictionary(grouping: shapes, by: \.root)
        var roots: [Shape] = []
        var selfReferring: Set<String> = []
        var visited: Set<String> = []
        // A stack of the roots on the way, because recursion would overflow the call stack for a long chain.
        var pending = shapes.filter(\.isRoot).reversed().map { (root: $0, hasTargets: false) }
        while let (root, hasTargets) = pending.popLast() {
            if hasTargets {
                roots.append(root)
                continue
            }
            if !visited.insert(root.name).inserted { continue }
            pending.append((root, true))
            for (_, destination) in (hierarchies[root.name] ?? []).flatMap(\.enforcedReferences).reversed() {
                guard let target = shape(destination).flatMap({ shape($0.root) }) else { continue }
                if target == root { selfReferring.insert(root.name) }
                if !visited.contains(target.name) { pending.append((target, false)) }
            }
        }
        (self.roots, self.selfReferring) = (roots, selfReferring)
    }
}
