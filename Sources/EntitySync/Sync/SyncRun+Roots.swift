import DifferentialSync
import SyncPersistence

extension SyncRun {
    /// Syncs the objects of a payload.
    func sync(_ payload: [Value]) throws {
        let map = try mapping.map(of: request.entity)
        guard map.hasKey else {
            throw SyncError(
                .noPrimaryKey,
                "'\(map.shape.name)' has no primary key to tell objects apart by: flag an attribute of it as that")
        }
        let scope = try SyncScope(request, map, in: self)
        var roots: [Root] = []
        var departing: [RecordID] = []
        var (inserts, updates): ([Root], [Root]) = ([], [])
        try measure(.comparing) {
            roots = try self.roots(of: payload, map)
            let stored = try storedKeys(map, scope, roots)
            let changes = diff(wins: roots.map(\.key), loses: stored)
            departing = (changes?.deletions ?? []).map { RecordID(map.shape.name, $0) }
            let known = Set(stored)
            for root in roots {
                let isNew = try !known.contains(root.key) && record(map, root.key) == nil
                if isNew { inserts.append(root) } else { updates.append(root) }
            }
        }
        try measure(.inserting) { try process(inserts, of: payload, map, scope, .inserting) }
        try measure(.updating) { try process(updates, of: payload, map, scope, .updating) }
        try measure(.finishing) {
            if let parent = scope.parent { departing = try disconnect(departing, from: parent) }
            try finish(departing: allows(.delete) ? departing : [], map)
        }
        outcome.roots = try roots.compactMap { root in
            try record(map, root.key).flatMap { isDraft($0) ? nil : $0.id }
        }
    }

    /// An object of the payload itself.
    struct Root {
        /// The primary key of its record.
        let key: Value
        /// What tells it apart.
        let objectKey: Value
        /// Where it stands.
        var index: Int
    }

    private func roots(of payload: [Value], _ map: EntityMap) throws -> [Root] {
        var roots: [Root] = []
        var positions: [Value: Int] = [:]
        for (index, element) in payload.enumerated() {
            let place = Place(.element(index))
            guard case .object(let object) = element else {
                try report(SyncReport(.noObject, at: place.path, expected: "an object", found: element.finding))
                continue
            }
            let objectMap = try mapping.map(of: object, declaredAs: map) ?? map
            switch try key(of: object, objectMap, at: place) {
            case .absent: try reportMissingKey(objectMap, at: place)
            case .invalid: continue
            case .key(let key):
                let stored = try storedKey(objectMap, key)
                if let position = positions[stored] {
                    try reportDuplicate(key, map, at: Place(.element(roots[position].index)), counting: place)
                    roots[position].index = index
                } else {
                    positions[stored] = roots.count
                    roots.append(Root(key: stored, objectKey: key, index: index))
                }
            }
        }
        return roots
    }

    private func storedKeys(_ map: EntityMap, _ scope: SyncScope, _ roots: [Root]) throws -> [Value] {
        guard allows(.delete) else {
            return try roots.compactMap { try record(map, $0.key) == nil ? nil : $0.key }
        }
        if let (parent, relationship) = scope.parent {
            let keys = try transaction.keys(of: relationship, to: parent, map)
            guard let filter = scope.filter else { return keys }
            let inside = Set(try transaction.records(Query(map.shape.name, where: filter)).map(\.key))
            return keys.filter { inside.contains($0) }
        }
        return try transaction.records(Query(map.shape.name, where: scope.filter)).map(\.key)
    }

    private func process(
        _ roots: [Root], of payload: [Value], _ map: EntityMap, _ scope: SyncScope, _ phase: SyncPhase
    ) throws {
        for (done, root) in roots.enumerated() {
            if done % 1_000 == 0 {
                try cancellation.check()
                request.options.progress?(SyncProgress(phase: phase, completed: done, total: roots.count))
            }
            guard case .object(let object) = payload[root.index] else { continue }
            var filling = Filling(
                object: object, map: map, key: root.objectKey, place: Place(.element(root.index)), isNested: false,
                parent: scope.parent?.id)
            if root.key != root.objectKey { filling.storedKey = root.key }
            if let (id, relationship) = scope.parent, case .reference(let slot, _, _) = relationship.storage {
                filling.owner = Filling.Owner(slot: slot, key: id.key, isParent: true)
                filling.inverse = relationship.name
            }
            try process(filling)
            if let (id, relationship) = scope.parent { try connect(root, with: id, relationship, map) }
        }
        request.options.progress?(SyncProgress(phase: phase, completed: roots.count, total: roots.count))
    }

    /// Connects a record with the parent of the payload, where the record does not name that itself.
    private func connect(
        _ root: Root, with parent: RecordID, _ relationship: RelationshipMap, _ map: EntityMap
    ) throws {
        if case .reference = relationship.storage { return }
        guard let record = try record(map, root.key), !isDraft(record) else { return }
        if try transaction.related(record.id, relationship.name).contains(parent.key) { return }
        var changes = ChangeSet(origin: origin)
        changes.link(record.id, relationship.name, to: parent.key)
        try transaction.apply(changes)
    }

    /// Separates records from the parent that they share with others; answers those that had it for themselves.
    private func disconnect(
        _ departing: [RecordID], from parent: (id: RecordID, relationship: RelationshipMap)
    ) throws -> [RecordID] {
        guard parent.relationship.definition.isToMany, allows(.delete) else { return departing }
        var changes = ChangeSet(origin: origin)
        for id in departing { changes.unlink(id, parent.relationship.name, from: parent.id.key) }
        try transaction.apply(changes)
        return []
    }

    private func measure(_ phase: SyncPhase, _ body: () throws -> Void) throws {
        func timed(_ clock: some Clock<Duration>) throws -> Duration { try clock.measure { try body() } }
        outcome.durations[phase] = try timed(request.options.clock)
    }
}

extension ReadTransaction {
    /// The keys of an entity's records that a relationship connects with a record.
    fileprivate func keys(of relationship: RelationshipMap, to parent: RecordID, _ map: EntityMap) throws -> [Value] {
        switch relationship.storage {
        case .reference(let slot, _, _):
            return try records(Query(map.shape.name, where: .comparison(path: slot, .equal, parent.key))).map(\.key)
        case .links(let shape, let end):
            return try records(Query(shape, where: .comparison(path: end.far, .equal, parent.key))).map { $0[end.near] }
        case .inverse(let slot, _):
            let key = try record(parent)?[slot] ?? .null
            return key.isNull ? [] : [key]
        }
    }
}
