import SyncPersistence

extension SyncScope.Tree {
    /// Returns the nodes to delete, from nodes without an object of the list itself.
    ///
    /// In a flat list, all of them are deleted. Among nested objects, a node is kept below a node whose object does not
    /// list its children.
    ///
    /// For example, a payload has folder 1 without the member `children`. The stored folders in folder 1 are kept,
    /// because the payload states nothing about them.
    ///
    /// - Complexity: O(number of ids), with a lookup for each that is not in the payload
    func unlisted(_ ids: [RecordID], _ list: SyncedList, in run: SyncRun) throws -> [RecordID] {
        let map = list.map
        let specified = Set(run.processor.footprint.specified)
        let unlisted = ids.filter { !specified.contains(map.token(of: $0.key)) }
        if try unlisted.isEmpty || isFlat(list) { return unlisted }
        var isDeleted: [Value: Bool] = [:]
        return try unlisted.filter { id in
            var path: [Value] = []
            var key = id.key
            var result = true
            while true {
                if let known = isDeleted[key] {
                    result = known
                    break
                }
                path.append(key)
                // In a cycle of nodes, none is below a listed one.
                isDeleted[key] = true
                guard let parent = try run.records.record(map, key)?[slot], !parent.isNull else { break }
                if specified.contains(map.token(of: parent)) {
                    let link = RemovedChildren.Link(id: RecordID(map.shape.root, key), slot: slot, owner: parent)
                    result = run.processor.settlement.removedChildren.contains(link)
                    break
                }
                key = parent
            }
            for key in path { isDeleted[key] = result }
            return result
        }
    }

    /// Whether the objects are nodes in a list without levels: they name their parents or children by key, and none
    /// lists its children as objects.
    private func isFlat(_ list: SyncedList) throws -> Bool {
        var namesOthers = false
        for object in list.comparison.objects {
            guard case .object(let object) = try list.payload.value(of: object.element) else { continue }
            for link in list.map.links(of: object, list.map.plan(for: object), .root) {
                if link.relationship.name == children {
                    if link.objects != nil { return false }
                    namesOthers = true
                } else if link.relationship.name == parent {
                    namesOthers = true
                }
            }
        }
        return namesOthers
    }
}
