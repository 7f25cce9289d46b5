import DifferentialSync
import SyncPersistence

extension SyncRun {
    /// Gives the records whose keys have parts of a parent's the new parts, once the parent has another key, and those
    /// below them.
    ///
    /// One whose new key another record has keeps its own, unless there is a policy.
    ///
    /// - Parameter policy: How a record is merged with one that has its new key already.
    /// - Complexity: O(number of the records), each with a lookup for what leads to it
    func renameChildren(
        of parent: Record, to key: Value, merging policy: ConflictPolicy<Record>? = nil
    ) throws {
        var renamed = [(former: parent, key: key)]
        while let (former, key) = renamed.popLast() {
            guard let parent = try transaction.record(RecordID(former.entity, key)) else { continue }
            for relationship in try mapping.map(of: former.entity).relationships {
                guard let inverse = relationship.definition.inverse else { continue }
                let destination = try mapping.destination(of: relationship)
                let attributes = destination.parentAttributes(by: inverse)
                if attributes.isEmpty { continue }
                for childKey in try transaction.related(parent.id, relationship.name) {
                    guard let child = try transaction.record(RecordID(destination.shape.name, childKey)) else {
                        continue
                    }
                    var values = child
                    for (attribute, name) in attributes {
                        let slot = destination.attributes[attribute].slot
                        let type = destination.attributes[attribute].type
                        guard type.converted(former[name]) == child.values[slot],
                            let value = type.converted(parent[name])
                        else { continue }
                        values.values[slot] = value
                    }
                    if values.key == childKey { continue }
                    if let present = try transaction.record(values.id), policy == nil || present.shape != child.shape {
                        continue
                    }
                    try transaction.changeKey(of: child.id, to: values.key, origin: origin, merging: policy)
                    renamed.append((child, values.key))
                }
            }
        }
    }
}

extension EntityMap {
    /// The parts of the primary key that a relationship leads to, with the parent's attributes.
    fileprivate func parentAttributes(by relationship: String) -> [(attribute: Int, name: String)] {
        guard isKeyPrimary else { return [] }
        return sources.sources.compactMap { attribute, source in
            guard case .parent(relationship, let name) = source, keyParts.contains(attribute) else { return nil }
            return (attribute, name)
        }
    }
}
