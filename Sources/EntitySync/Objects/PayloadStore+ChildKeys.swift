import DifferentialSync
import SyncPersistence

extension PayloadStore {
    /// Changes the keys of records whose keys contain parts of a parent's key, after the parent's key has changed.
    ///
    /// A record keeps its key if another record has the new one and there is no policy.
    ///
    /// - Parameters:
    ///   - parent: The parent with its former key.
    ///   - key: The new key of the parent.
    ///   - mapping: The mapping of the schema.
    ///   - origin: The origin of the change.
    ///   - policy: The policy that merges a record with the one that has its new key.
    /// - Complexity: O(number of renamed records), each with a lookup of the records that refer to it
    func renameChildren(
        of parent: Record, to key: Value, _ mapping: Mapping, _ origin: ChangeSet.Origin,
        merging policy: ConflictPolicy<Record>? = nil
    ) throws {
        var renamed = [(former: parent, key: key)]
        while let (former, key) = renamed.popLast() {
            guard let parent = try record(RecordID(former.entity, key)) else { continue }
            for relationship in try mapping.map(of: former.entity).relationships {
                guard let inverse = relationship.definition.inverse else { continue }
                let destination = try mapping.destination(of: relationship)
                let attributes = destination.parentAttributes(by: inverse)
                if attributes.isEmpty { continue }
                for childKey in try related(parent.id, relationship.name) {
                    guard let child = try record(RecordID(destination.shape.name, childKey)) else {
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
                    if let present = try record(values.id), policy == nil || present.shape != child.shape {
                        continue
                    }
                    try changeKey(of: child.id, to: values.key, origin: origin, merging: policy, since: nil)
                    renamed.append((child, values.key))
                }
            }
        }
    }
}

extension EntityMap {
    /// Returns the parts of the primary key that the parent of a relationship provides, with the parent's attributes.
    fileprivate func parentAttributes(by relationship: String) -> [(attribute: Int, name: String)] {
        guard isKeyPrimary else { return [] }
        return sources.sources.compactMap { attribute, source in
            guard case .parent(relationship, let name) = source, keyParts.contains(attribute) else { return nil }
            return (attribute, name)
        }
    }
}
