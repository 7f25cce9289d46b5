import SyncPersistence

extension SyncRun {
    /// The nodes of a tree that are deleted, of those that no root object of the payload stands for.
    ///
    /// In a flat list, these are all. Of nested objects, a node is kept if it stands below one whose object says nothing of
    /// its children.
    ///
    /// - Complexity: O(number of ids), with a lookup for each that is not in the payload
    func departing(
        _ ids: [RecordID], of tree: SyncScope.Tree, _ map: EntityMap, isFlat: () throws -> Bool
    ) throws -> [RecordID] {
        let spoken = Set(footprint.specified)
        let unlisted = ids.filter { !spoken.contains(map.token(of: $0.key)) }
        if try unlisted.isEmpty || isFlat() { return unlisted }
        var isDeparting: [Value: Bool] = [:]
        return try unlisted.filter { id in
            var path: [Value] = []
            var key = id.key
            var departs = true
            while true {
                if let known = isDeparting[key] {
                    departs = known
                    break
                }
                path.append(key)
                // In a circle of nodes, none is below another that the payload lists.
                isDeparting[key] = true
                guard let parent = try record(map, key)?[tree.slot], !parent.isNull else { break }
                if spoken.contains(map.token(of: parent)) {
                    let departure = Departure(id: RecordID(map.shape.root, key), slot: tree.slot, owner: parent)
                    departs = departures[departure] != nil
                    break
                }
                key = parent
            }
            for key in path { isDeparting[key] = departs }
            return departs
        }
    }

    /// Whether objects are nodes in a list without levels: they name their parents or their children by key, and none
    /// lists its children as objects.
    func isFlat(
        _ objects: some Sequence<Int>, of tree: SyncScope.Tree, _ map: EntityMap, _ value: (Int) throws -> Value
    )
        throws -> Bool
    {
        var namesOthers = false
        for index in objects {
            guard case .object(let object) = try value(index) else { continue }
            for link in links(of: object, map, map.plan(for: object), .root) {
                if link.relationship.name == tree.children {
                    if link.objects != nil { return false }
                    namesOthers = true
                } else if link.relationship.name == tree.parent {
                    namesOthers = true
                }
            }
        }
        return namesOthers
    }
}
