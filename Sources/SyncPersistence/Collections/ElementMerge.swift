import DifferentialSync

extension ElementWriter {
    /// Stores the present element with the values that have changed from one element to another, and returns it.
    ///
    /// - Parameters:
    ///   - element: The changed element.
    ///   - original: The element before.
    ///   - stored: The present record.
    /// - Throws: ``PersistenceError`` if the elements have different keys, or if what results cannot be stored.
    func update(_ element: Element, from original: Element, over stored: Record) throws -> Element {
        if try coding.keyValue(of: original) != stored.key {
            throw PersistenceError(.mismatch, "both elements must have the same key", id: stored.id)
        }
        let old = try coding.form(of: original, over: stored, shape: stored.shape)
        let new = try coding.form(of: element, over: stored, shape: stored.shape)
        let related: RelatedKeys = { try transaction.related(stored.id, $0) }
        var record = stored
        if coding.hasMembers {
            var merge = MemberMerge(coding.membersRead(of: new.record, and: stored, related))
            let content = merge.merged(
                base: old.record.jsonContent, local: new.record.jsonContent, remote: stored.jsonContent,
                source: new.record.jsonContent)
            if let content { record["content"] = .string(try content.json(.sortedNames)) }
        } else {
            for slot in record.values.indices where old.record.values[slot] != new.record.values[slot] {
                let value = new.record.values[slot]
                var reads: MemberMerge.Reads?
                // Nothing is merged unless others have changed the attribute too.
                if case .object = value, stored.values[slot] != old.record.values[slot] {
                    reads = coding.membersRead(of: new.record, and: stored, related)
                }
                var merge = MemberMerge(reads?.part(record.shape.slots[slot].name))
                record.values[slot] =
                    merge.merged(
                        base: old.record.values[slot], local: value, remote: stored.values[slot], source: value)
                    ?? value
            }
        }
        let merged = try coding.element(of: record) { name in
            try keys(of: name, from: old.links, to: new.links, of: stored.id)
        }
        try put(merged, over: stored)
        return merged
    }

    /// Returns the present keys of a relationship, with the change from one element's keys to another's.
    private func keys(
        of relationship: String, from old: [ElementLinks], to new: [ElementLinks], of id: RecordID
    ) throws -> [Value] {
        let present = try transaction.related(id, relationship)
        let former = old.first { $0.relationship == relationship }?.keys ?? []
        let keys = new.first { $0.relationship == relationship }?.keys ?? []
        if keys == former { return present }
        let isToMany = try transaction.relationship(relationship, of: id.entity).definition.isToMany
        if !isToMany || present == former { return keys }
        let common = Set(former).intersection(keys)
        let (removed, known) = (Set(former).subtracting(keys), Set(former).union(present))
        if former.filter(common.contains) == keys.filter(common.contains) {
            return present.filter { !removed.contains($0) } + keys.filter { !known.contains($0) }
        }
        // The order was changed: it is that of the new keys, before those that others have added.
        let lost = Set(former).subtracting(present)
        let added = Set(present).subtracting(former).subtracting(keys)
        return keys.filter { !lost.contains($0) } + present.filter(added.contains)
    }
}
