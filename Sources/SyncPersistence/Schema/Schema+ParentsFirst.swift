extension Schema {
    /// The roots of all hierarchies of records and links, those that others refer to first.
    ///
    /// Entities that refer to each other in a circle are in the order of their definitions.
    ///
    /// - Complexity: O(number of shapes and of their slots)
    package var parentsFirst: [Shape] {
        let records = roots.filter { $0.role == nil || $0.role == .links }
        var sorted: [Shape] = []
        var visited: Set<String> = []
        // A stack of the roots on the way, because recursion would overflow the call stack for a long chain.
        var pending = records.reversed().map { (root: $0, hasTargets: false) }
        while let (root, hasTargets) = pending.popLast() {
            if hasTargets {
                sorted.append(root)
                continue
            }
            if !visited.insert(root.name).inserted { continue }
            pending.append((root, true))
            for target in targets(of: root).reversed() where !visited.contains(target.name) {
                pending.append((target, false))
            }
        }
        return sorted
    }

    /// Returns the roots of the hierarchies to which records of a hierarchy refer.
    private func targets(of root: Shape) -> [Shape] {
        hierarchy(of: root).flatMap(\.slots).compactMap { slot in
            guard case .reference(let destination, _, _) = slot.content else { return nil }
            return self[destination].flatMap { self[$0.root] }
        }
    }
}
