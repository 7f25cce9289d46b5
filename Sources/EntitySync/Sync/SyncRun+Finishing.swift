import SyncPersistence

extension SyncRun {
    /// Does what had to wait until all objects have been seen.
    func finish(departing lists: [(ids: [RecordID], map: EntityMap)]) throws {
        try settleDeferred()
        try resolvePending()
        for draft in drafts.values.sorted(by: { $0.record.id.description < $1.record.id.description }) {
            try reportDraft(draft)
        }
        let count = lists.reduce(0) { $0 + $1.ids.count }
        let spoken = departures.isEmpty && count == 0 && deletions.isEmpty ? [] : Set(footprint.specified)
        for (departure, leaving) in departures.sorted(by: { $0.value.number < $1.value.number }) {
            try depart(departure, leaving, spoken)
            if case .inverse = leaving.relationship.storage { continue }
            if try isWithdrawn(departure.id) { restorable.append((departure, leaving)) }
        }
        var done = 0
        for (ids, map) in lists {
            for id in ids where !spoken.contains(map.token(of: id.key)) {
                try cancellation.check()
                if done > 0, done % 1_000 == 0 { reportProgress(.finishing, done, of: count) }
                try delete(id, sparing: spoken)
                done += 1
            }
        }
        try makeDeletions(sparing: spoken)
        try mergeEdits(sparing: spoken)
        try forgetLinksOfDeleted()
        reports.sort { reader.layout.sorted($0) }
        try cancellation.check()
    }

    /// Makes the connections that waited for records, as long as that brings others nearer.
    private func settleDeferred() throws {
        deferred = deferred.enumerated().filter { $0 >= outdated[Statement($1)] ?? 0 }.map(\.element)
        var hasProgress = true
        while hasProgress, !deferred.isEmpty {
            try cancellation.check()
            let waiting = deferred
            deferred = []
            for connection in waiting {
                operations = connection.operations
                if try !connect(connection, isLast: false) { deferred.append(connection) }
            }
            hasProgress = deferred.count < waiting.count
        }
        for connection in deferred {
            operations = connection.operations
            _ = try connect(connection, isLast: true)
        }
        try keepPending(waiting)
    }

    /// Reports a record that cannot be stored.
    private func reportDraft(_ draft: Draft) throws {
        for slot in draft.map.mandatorySlots where draft.record.values[slot].isNull {
            let name = draft.record.shape.slots[slot].name
            try report(
                SyncReport(
                    .missingValue, at: draft.place.path, of: draft.record.id, name,
                    expected: "a value of '\(name)', which is mandatory", found: "none, so the record is not stored"))
        }
    }

    /// Deletes a record, and what goes with it, but for records that the payload speaks of: those stay without it.
    ///
    /// One that cannot be without its owner goes, which is reported.
    ///
    /// - Complexity: O(number of records that go with it), each with a query for each relationship that takes others along
    func delete(_ id: RecordID, sparing spoken: Set<UInt64> = []) throws {
        var departing = [id]
        while let id = departing.popLast() {
            for part in try deleteAlone(id, sparing: spoken) {
                if let record = try transaction.record(part), try !objectParts.hasOtherOwners(record) {
                    departing.append(part)
                }
            }
        }
    }

    /// Deletes a record without its parts, and returns those.
    private func deleteAlone(_ id: RecordID, sparing spoken: Set<UInt64>) throws -> [RecordID] {
        guard let record = try transaction.record(id),
            // Else it is held back, with all that it has.
            try origin != .remote || !transaction.hasLocalChange(in: record)
        else {
            try noteDeletedHere(id)
            if let record = try transaction.record(id) { try holdBackDependents(of: record, sparing: spoken) }
            try transaction.delete(id, origin: origin)
            return []
        }
        var parts: [RecordID] = []
        var deletedHere: [RecordID] = []
        var changes = ChangeSet(origin: origin)
        var pending = [id]
        var seen: Set<RecordID> = [id]
        while let id = pending.popLast() {
            guard let record = try transaction.record(id) else { continue }
            if try hasPendingLinks() { try forgetPending(of: record) { _ in true } }
            try noteDeletion(of: record)
            parts += try self.parts(of: record)
            for relationship in record.shape.relationships where relationship.definition.deleteRule == .cascade {
                let name = relationship.definition.name
                let destination = try mapping.map(of: relationship.definition.destination)
                deletedHere += try self.deletedHere(record.id, name, destination)
                for key in try transaction.related(record.id, name) {
                    if !key.isPartKey, spoken.contains(destination.token(of: key)) {
                        if try mayBeWithout(relationship, destination, key) {
                            changes.unlink(record.id, name, from: key)
                            continue
                        }
                        try report(
                            SyncReport(
                                .missingValue, at: "", of: RecordID(destination.shape.name, key),
                                relationship.definition.inverse,
                                expected: "an owner, as it must have one, and '\(record.id)' is listed no more",
                                found: "none, so the record is deleted with it"))
                    }
                    let dependent = RecordID(destination.shape.root, key)
                    if seen.insert(dependent).inserted { pending.append(dependent) }
                }
            }
        }
        try transaction.apply(changes)
        try transaction.delete(id, origin: origin)
        if try mergesEdits && transaction.record(id) != nil { undeleted.append(id) }
        for id in deletedHere {
            try noteDeletedHere(id)
            try transaction.delete(id, origin: origin)
        }
        return parts
    }

    /// The parts of a record that its delete rules leave.
    private func parts(of record: Record) throws -> [RecordID] {
        try mapping.map(of: record.entity).relationships.compactMap { relationship in
            if relationship.isToMany || relationship.isCascading { return nil }
            let key = try linked(relationship, of: record, isBare: false)
            return key.isPartKey ? RecordID(relationship.definition.destination, key) : nil
        } + objectParts.listedParts(of: record)
    }

    /// Whether a record can be without one that leads to it.
    private func mayBeWithout(_ relationship: ShapeRelationship, _ destination: EntityMap, _ key: Value) throws -> Bool
    {
        guard case .inverse(let slot, _) = relationship.storage, let record = try record(destination, key),
            let position = record.shape.slot(named: slot)
        else { return true }
        return record.shape.slots[position].isOptional
    }

    /// Deletes a record that its owner no longer lists, unless it has another or stands elsewhere in the payload.
    private func depart(_ departure: Departure, _ leaving: Leaving, _ spoken: Set<UInt64>) throws {
        let (map, relationship) = (leaving.map, leaving.relationship)
        guard var record = try record(map, departure.id.key) else {
            return try isWithdrawn(departure.id) ? delete(departure.id, sparing: spoken) : ()
        }
        // A part stands nowhere but in its owner, of which another object may have said otherwise before.
        let isSpoken = !departure.id.key.isPartKey && spoken.contains(map.token(of: departure.id.key))
        guard let inverse = relationship.inverse else {
            return try isSpoken || objectParts.hasOtherOwners(record) ? () : delete(departure.id, sparing: spoken)
        }
        let owner = record[inverse.slot]
        guard owner == departure.owner || !relationship.isToMany && owner.isNull else { return }
        if !isSpoken { return try delete(departure.id, sparing: spoken) }
        guard let slot = record.shape.slot(named: inverse.slot), !owner.isNull else { return }
        if record.shape.slots[slot].isOptional {
            record.values[slot] = .null
            try transaction.put(record, origin: origin)
        } else {
            try report(
                SyncReport(
                    .missingValue, at: leaving.place.path, of: record.id, inverse.slot,
                    expected: "an owner, as it must have one", found: "a list without it"))
        }
    }
}
