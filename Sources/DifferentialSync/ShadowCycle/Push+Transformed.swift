// What a store needs to keep a push in another form than its elements have.

extension Push {
    /// The same push of other elements, which stand for its own one by one.
    ///
    /// - Complexity: O(size of the push)
    package func transformed<Other>(_ transform: (Element) throws -> Other) rethrows -> Push<Other> {
        Push<Other>(
            id: id, changes: try changes.transformed(transform), expected: expected,
            merge: try merge.transformed(transform), voidsShadow: voidsShadow)
    }
}

extension Diff {
    package func transformed<Other>(_ transform: (Element) throws -> Other) rethrows -> Diff<Other> {
        Diff<Other>(
            add: try add.map(transform), delete: try delete.map(transform), replace: try replace.map(transform),
            pairs: pairs.map { Diff<Other>.Pair(old: $0.old, rank: $0.rank) })
    }
}

extension ThreeWayMerge {
    package func transformed<Other>(_ transform: (Element) throws -> Other) rethrows -> ThreeWayMerge<Other> {
        ThreeWayMerge<Other>(
            decisions: try decisions.map { decision in
                ThreeWayMerge<Other>.Decision(
                    base: try decision.base.map(transform), local: try decision.local.map(transform),
                    remote: try decision.remote.map(transform), merged: try decision.merged.map(transform),
                    resolution: try decision.resolution?.transformed(transform))
            })
    }
}

extension Resolution {
    package func transformed<Other>(_ transform: (Element) throws -> Other) rethrows -> Resolution<Other> {
        switch self {
        case .local: .local
        case .remote: .remote
        case .base: .base
        case .delete: .delete
        case .merged(let element): .merged(try transform(element))
        case .open: .open
        }
    }
}
