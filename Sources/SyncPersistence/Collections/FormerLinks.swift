/// The links of an entity's records before a commit, where they differ from the present ones.
///
/// A later commit may have changed the links too. Then its changes are in both versions.
struct FormerLinks {
    /// The keys of the records whose links the commit has changed, in the order of the changes.
    private(set) var owners: [Value] = []

    /// Whether all changes of links were made locally.
    private(set) var isLocal = true

    /// The former keys by record and relationship, for records whose links the commit has changed.
    private var keys: [Value: [String: [Value]]] = [:]

    /// A record that a relationship leads to, and its place in the order.
    private struct Target {
        /// The key of the target.
        let key: Value
        /// Its place in the order; null if the relationship has none.
        let place: Value
    }

    /// A link that a commit has changed.
    private struct LinkChange {
        /// The record that has the relationship.
        let owner: Value
        /// The key of the link.
        let key: Value
        /// The target before the commit; nil if the link is new.
        let old: Target?
    }

    /// Reads the links that a commit has changed, and undoes its changes.
    init(of entity: String, before commit: Commit, in transaction: ReadTransaction) throws {
        for relationship in try transaction.shape(entity).relationships {
            var changes: [Value: [LinkChange]] = [:]
            for change in commit.changes {
                for link in FormerLinks.links(relationship, change, entity) {
                    if keys[link.owner] == nil {
                        keys[link.owner] = [:]
                        owners.append(link.owner)
                    }
                    if change.origin != .local { isLocal = false }
                    changes[link.owner, default: []].append(link)
                }
            }
            for (owner, changes) in changes {
                let name = relationship.definition.name
                let present = try FormerLinks.targets(of: RecordID(entity, owner), relationship, in: transaction)
                var targets = FormerLinks.undoing(changes, in: present)
                if relationship.definition.isOrdered { targets.sort { $0.place.isPlace(before: $1.place) } }
                keys[owner]?[name] = targets.map(\.key)
            }
        }
    }

    /// Returns the targets of a relationship before changes of its links.
    ///
    /// - Complexity: O(number of targets and changes)
    private static func undoing(_ changes: [LinkChange], in present: [Target]) -> [Target] {
        var targets: [Target?] = present
        var positions: [Value: Int] = [:]
        positions.reserveCapacity(present.count)
        for (position, target) in present.enumerated() { positions[target.key] = position }
        for change in changes {
            if let position = positions[change.key] {
                targets[position] = change.old
            } else if let old = change.old {
                positions[change.key] = targets.count
                targets.append(old)
            }
        }
        return targets.compactMap { $0 }
    }

    /// Returns the former keys of a record's relationship; nil if the commit has not changed them.
    func keys(of owner: Value, _ relationship: String) -> [Value]? { keys[owner]?[relationship] }

    /// Returns the links of a relationship that a change of one record has changed.
    private static func links(
        _ relationship: ShapeRelationship, _ change: Commit.RecordChange, _ entity: String
    ) -> [LinkChange] {
        guard let record = change.new ?? change.old else { return [] }
        switch relationship.storage {
        case .reference: return []
        case .links(let shape, let end):
            guard record.entity == shape else { return [] }
            func target(_ link: Record) -> Target { Target(key: link[end.far], place: link[end.position]) }
            return [LinkChange(owner: record[end.near], key: record[end.far], old: change.old.map(target))]
        case .inverse(let slot, let place):
            guard record.shape.inherits(relationship.definition.destination) else { return [] }
            let (old, new) = (change.old?[slot] ?? .null, change.new?[slot] ?? .null)
            func target(_ record: Record) -> Target {
                Target(key: record.key, place: place.map { record[$0] } ?? .null)
            }
            let former = change.old.map(target)
            // Most edits change neither the target nor its place.
            if let former, old == new, former.place == change.new.map(target)?.place { return [] }
            var links: [LinkChange] = []
            if !old.isNull { links.append(LinkChange(owner: old, key: record.key, old: former)) }
            if !new.isNull, new != old { links.append(LinkChange(owner: new, key: record.key, old: nil)) }
            return links
        }
    }

    /// Returns the present targets of a relationship, in its order.
    private static func targets(
        of id: RecordID, _ relationship: ShapeRelationship, in transaction: ReadTransaction
    ) throws -> [Target] {
        switch relationship.storage {
        case .reference: []
        case .links(let shape, let end):
            try transaction.links(shape, end, of: id.key).map { Target(key: $0[end.far], place: $0[end.position]) }
        case .inverse(_, let place):
            try transaction.relatedRecords(id, relationship.definition.name).map { record in
                Target(key: record.key, place: place.map { record[$0] } ?? .null)
            }
        }
    }
}

extension Value {
    /// Whether a place in an order is before another.
    fileprivate func isPlace(before other: Value) -> Bool {
        if case .integer(let left) = self, case .integer(let right) = other { left < right } else { false }
    }
}
