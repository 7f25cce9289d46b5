import SyncPersistence

extension SyncRun {
    /// Syncs the objects of a payload, as the request has it.
    func sync(_ payload: some Payload) throws { try sync([SyncedList(request, payload)]) }

    /// Syncs lists of objects: compares them with what is stored, stores the new ones, updates the others, and does at the
    /// end what had to wait until all have been seen.
    func sync(_ lists: [SyncedList]) throws {
        for list in lists {
            enter(list)
            try requireRecords()
            let map = try mapping.map(of: request.entity)
            guard map.hasKey else {
                throw SyncError(
                    .noPrimaryKey,
                    "'\(map.shape.name)' has no primary key to tell objects apart by: flag an attribute of it as that")
            }
            list.map = map
        }
        do {
            try syncPrepared(lists)
        } catch let error as JSONError {
            // Objects are not read in their order, and there may be an error before that one.
            for list in lists { if let map = list.map { try list.payload.check(map, self) } }
            throw error
        }
    }

    /// Makes a list the one at hand.
    private func enter(_ list: SyncedList) {
        request = list.request
        operations = list.request.operations
        scopeParent = list.scope?.parentRecord
    }

    private func syncPrepared(_ lists: [SyncedList]) throws {
        beginMergingEdits()
        try measure(.comparing) {
            // The memory of an entity is that of one list.
            var remembered: Set<String> = []
            for list in lists {
                guard let map = list.map else { continue }
                enter(list)
                var scope = try SyncScope(request, map, in: self)
                scope.deletes = allows(.delete) && !list.isPartial
                list.scope = scope
                scopeParent = scope.parentRecord
                let isComplete = isComplete(scope) && remembered.insert(map.shape.name).inserted
                list.work = try compare(list.payload, map, scope, isComplete: isComplete)
            }
        }
        follow(lists)
        defer { (transaction.onTouch, transaction.onEntry) = (nil, nil) }
        for phase in [SyncPhase.inserting, .updating] {
            try measure(phase) {
                for list in lists {
                    guard let map = list.map, let scope = list.scope else { continue }
                    enter(list)
                    let positions = list.positions(of: phase)
                    // Taken out, because the runtime checks all else against an access to a property of a class.
                    var work = SyncRun.Work()
                    swap(&work, &list.work)
                    defer { swap(&work, &list.work) }
                    try process(positions, phase, &work, list.payload, map, scope)
                }
            }
        }
        try measure(.finishing) {
            footprint.endObjects()
            let mayDepart = lists.contains { !$0.work.departing.isEmpty } || !departures.isEmpty || !told.isEmpty
            if mayDepart { lists.forEach { mention($0.work) } }
            var departing: [(ids: [RecordID], map: EntityMap)] = []
            for list in lists {
                enter(list)
                if let map = list.map { departing.append((try self.departing(of: list, map), map)) }
            }
            let count = departing.reduce(0) { $0 + $1.ids.count }
            tell(.finishing, 0, of: count)
            try finish(departing: departing)
            // They are no longer needed, and a sync takes the most memory when it stores what it remembers.
            statements = PayloadStatements()
            for list in lists {
                enter(list)
                try remember(list.work)
            }
            tell(.finishing, count, of: count)
            // From here on there is no way back.
            try cancellation.check()
        }
        for list in lists {
            if let map = list.map { outcome.own.append(SyncOutcome.OwnRecords(list.work, of: map)) }
        }
    }

    /// The records of a list's scope that are deleted.
    private func departing(of list: SyncedList, _ map: EntityMap) throws -> [RecordID] {
        guard let scope = list.scope, scope.deletes, !list.payload.isOneObject, !list.work.isPartial else { return [] }
        let work = list.work
        // Objects of unknown entities do not say which records there are.
        if work.misfitCount > 0, work.misfitCount == work.roots.count { return [] }
        var departing = try work.departing.filter { try !isOwnedPart($0) }
        if let parent = scope.parent { departing = try disconnect(departing, from: parent) }
        guard let tree = scope.tree, !departing.isEmpty else { return departing }
        return try self.departing(departing, of: tree, map) {
            try isFlat(work.roots.indices, of: tree, map) { try list.payload.value(of: work.roots[$0].element) }
        }
    }

    /// Whether a record is a part of another one: no payload can list it, and it is deleted with its owner.
    private func isOwnedPart(_ id: RecordID) throws -> Bool {
        guard id.key.isPartKey, let record = try transaction.record(id) else { return false }
        return try hasOtherOwners(record)
    }

    /// Separates records from the parent that they share with others; answers those that had it for themselves.
    private func disconnect(
        _ departing: [RecordID], from parent: (id: RecordID, relationship: RelationshipMap)
    ) throws -> [RecordID] {
        guard parent.relationship.definition.isToMany else { return departing }
        var changes = ChangeSet(origin: origin)
        for id in departing { changes.unlink(id, parent.relationship.name, from: parent.id.key) }
        try transaction.apply(changes)
        return []
    }

    /// Tells how far the sync has come.
    func tell(_ phase: SyncPhase, _ completed: Int, of total: Int) {
        request.options.progress?(SyncProgress(phase: phase, completed: completed, total: total))
    }

    private func measure(_ phase: SyncPhase, _ body: () throws -> Void) throws {
        func timed(_ clock: some Clock<Duration>) throws -> Duration { try clock.measure { try body() } }
        outcome.durations[phase] = try timed(request.options.clock)
    }
}

extension SyncOutcome.OwnRecords {
    /// The records that the objects of a list stand for and that were there before.
    fileprivate init(_ work: SyncRun.Work, of map: EntityMap) {
        (entity, root) = (map.shape.name, map.shape.root)
        digests = work.roots.indices.lazy.filter { work.steps[$0] != .insert }.map { work.roots[$0].digest }
    }
}
