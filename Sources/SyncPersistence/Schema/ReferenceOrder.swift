/// The hierarchies of a schema in an order in which their records can be stored.
package struct ReferenceOrder: Sendable {
    /// The hierarchies of the app's records and of links: those that others refer to come first.
    package let roots: [Shape]

    /// The roots of the hierarchies whose records refer to each other.
    package let selfReferring: Set<String>

    /// Orders the hierarchies of shapes.
    ///
    /// - Complexity: O(*h* × *s*) for *h* hierarchies with *s* slots in all
    init(_ shapes: [Shape], named shape: (String) -> Shape?) {
        var roots: [Shape] = []
        var visited: Set<String> = []
        var selfReferring: Set<String> = []
        func visit(_ root: String, path: [String]) {
            guard visited.insert(root).inserted, let rootShape = shape(root) else { return }
            for target in targets(of: root) {
                if target == root || path.contains(target) { selfReferring.formUnion([root, target]) }
                visit(target, path: path + [root])
            }
            roots.append(rootShape)
        }
        func targets(of root: String) -> [String] {
            var targets: [String] = []
            for owner in shapes where owner.root == root {
                for slot in owner.slots {
                    guard case .reference(let name, _, true) = slot.content, let target = shape(name)?.root,
                        !targets.contains(target)
                    else { continue }
                    targets.append(target)
                }
            }
            return targets
        }
        // Links refer to records, and nothing refers to links.
        for shape in shapes where shape.isRoot { visit(shape.root, path: []) }
        (self.roots, self.selfReferring) = (roots, selfReferring)
    }
}
