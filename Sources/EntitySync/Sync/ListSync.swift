import DifferentialSync
import SyncPersistence

extension SyncRun {
    /// Syncs the lists at the roots of a payload, which may have several pages.
    func sync(_ pages: PayloadPages, _ roots: [SyncRoot]) throws { try sync(reader.read(pages, roots)) }

    /// Syncs lists that are read already.
    func sync(_ contents: PayloadContents) throws { try ListSync(in: self).sync(contents) }
}

/// The sync of the lists of a payload.
///
/// All lists are compared with the stored records first. Then new objects are stored, changed ones update their records,
/// and unlisted records are deleted.
struct ListSync {
    /// The sync that the lists are part of.
    private let run: SyncRun
    /// Stores the records of the objects.
    private var processor: ObjectProcessor { run.processor }
    /// The stored records and the drafts.
    private var records: SyncRecords { run.records }
    /// The transaction of the sync.
    private var transaction: any PayloadStore { run.transaction }
    /// Receives everything that cannot be stored as the payload states it.
    private var reports: SyncReports { run.reports }

    /// Creates the sync of lists within a run.
    init(in run: SyncRun) { self.run = run }

    /// Syncs the lists of a payload.
    ///
    /// The sync compares them with the stored records, stores new objects and updates the others. At the end it does
    /// what must wait until all objects have been processed.
    func sync(_ contents: PayloadContents) throws {
        try run.mapping.requireOptions()
        for list in contents.deletions {
            let map = try identifiableMap(of: list.root)
            let scope = try SyncScope(list.root, map, isPartial: true, in: run)
            processor.operations = list.root.operations
            let keys = ElementKeys(map: map, mapper: run.mapper, parent: scope.parent)
            for (value, place) in list.elements {
                guard let key = try keys.key(ofDeletion: value, at: place),
                    let stored = try records.implicitKeys.primaryKey(map, of: key)
                else { continue }
                processor.addDeletion(stored, map, at: place, isNested: false)
            }
        }
        let lists = try contents.lists.map { try SyncedList($0, identifiableMap(of: $0.root), in: run) }
        do {
            try sync(lists)
        } catch let error as JSONError {
            // Objects are not read in their order, and there may be an earlier error.
            for list in lists { try list.payload.check(list.keys) }
            throw error
        }
    }

    /// Returns the map of a root's entity.
    ///
    /// - Throws: `SyncError` if objects of the entity cannot be identified, or if it stores no records.
    private func identifiableMap(of root: SyncRoot) throws -> EntityMap {
        try processor.requireRecords(of: root.entity)
        let map = try run.mapping.map(of: root.entity)
        if map.hasKey { return map }
        throw SyncError(
            .noPrimaryKey,
            "'\(map.shape.name)' has no primary key to tell objects apart by: flag an attribute of it as that")
    }

    /// Compares lists with the stored records, processes their objects, and makes the final changes.
    private func sync(_ lists: [SyncedList]) throws {
        processor.edits.beginMerging()
        try run.measure(.comparing) {
            // An entity has one memory.
            var remembered: Set<String> = []
            for list in lists {
                processor.operations = list.root.operations
                let isRemembered = list.isComplete(run.options) && remembered.insert(list.map.shape.name).inserted
                list.comparison = try ListComparison(list, in: run, isRemembered: isRemembered)
            }
        }
        if lists.contains(where: { $0.comparison.memory != nil }) { followChanges() }
        defer { (transaction.onTouch, transaction.onEntry) = (nil, nil) }
        for phase in [SyncPhase.inserting, .updating] {
            try run.measure(phase) {
                for list in lists { try process(list, phase) }
            }
        }
        try run.measure(.finishing) { try finish(lists) }
        // Released, because the commit and its result need memory too.
        processor.footprint.forget()
        for list in lists {
            run.addOwnRecords(of: list)
            list.comparison = ListComparison()
        }
    }

    /// Records what the sync writes in the footprint, because unchanged objects may specify the same.
    private func followChanges() {
        transaction.onTouch = { [unowned processor] old, new in
            RecordToken.forEach(from: old, to: new) { processor.footprint.writeUnlessNew($0) }
        }
        // A payload is compared with the journal's image of a record that was changed locally.
        transaction.onEntry = { [unowned processor] in processor.footprint.write($0) }
    }

    /// Processes the objects of a list in a phase.
    private func process(_ list: SyncedList, _ phase: SyncPhase) throws {
        processor.operations = list.root.operations
        // Taken out of the list, because the runtime checks each access to a property of a class.
        var comparison = ListComparison()
        swap(&comparison, &list.comparison)
        defer { swap(&comparison, &list.comparison) }
        let positions = comparison.positions(of: phase)
        var latest = run.unfinishedCount
        for (done, position) in positions.enumerated() {
            if done % 1_000 == 0 {
                try run.cancellation.check()
                run.reportProgress(phase, done, of: positions.count)
            }
            processor.footprint.beginObject()
            if comparison.skips(position, processor.footprint) { continue }
            let start = processor.footprint.specified.count
            guard let object = try object(at: position, comparison, list) else { continue }
            if try !processor.process(object) { comparison.addUnusable() }
            if let (parent, relationship) = list.scope.parent {
                try connect(object.storedKey ?? object.key, with: parent.id, relationship, list.map)
            }
            // An object with unfinished work is processed again next time, because the end of the sync may report it.
            let before = latest
            latest = run.unfinishedCount
            if before == latest { comparison.learn(position, processor.footprint, since: start) }
        }
        run.reportProgress(phase, positions.count, of: positions.count)
    }

    /// Parses an object of a list; nil if the element is none.
    private func object(at position: Int, _ comparison: ListComparison, _ list: SyncedList) throws -> PayloadObject? {
        let (payload, map) = (list.payload, list.map)
        let element = comparison.objects[position].element
        let (place, name) = (payload.place(of: element.index), payload.name(of: element.index))
        let value = try payload.value(of: element)
        guard let (object, json) = map.object(for: value, inMap: name != nil) else { return nil }
        try reports.addDuplicateNames(payload.duplicateNames, at: place)
        var known = comparison.knownKey(at: position)
        if known == nil, case .key(let key) = try list.keys.key(of: value, named: name, at: place) { known = key }
        guard let key = known else { return nil }
        let objectKey = comparison.objectKey(at: position)
        let source = PayloadObject(
            object: object, map: map, key: objectKey ?? key, place: place, isNested: false,
            parent: list.scope.parent?.record.id)
        if objectKey != nil { source.storedKey = key }
        source.surroundings = list.keys.surroundings(named: name, json)
        if let (parent, relationship) = list.scope.parent, case .reference(let slot, _, _) = relationship.storage {
            source.owner = PayloadObject.Owner(slot: slot, key: parent.key, isParent: true)
            source.inverse = relationship.name
        }
        return source
    }

    /// Connects a record with the parent of the list, unless the record itself stores the parent's key.
    private func connect(
        _ key: Value, with parent: RecordID, _ relationship: RelationshipMap, _ map: EntityMap
    ) throws {
        if case .reference = relationship.storage { return }
        guard let record = try records.record(map, key), !records.isDraft(record),
            try !records.isDeletedLocally(map, key)
        else { return }
        if try records.related(record.id, relationship.name).contains(parent.key) { return }
        var changes = ChangeSet(origin: run.origin)
        changes.link(record.id, relationship.name, to: parent.key)
        try transaction.apply(changes)
    }
}

extension ListSync {
    /// Deletes unlisted records, does what must wait for all objects, and remembers the lists.
    private func finish(_ lists: [SyncedList]) throws {
        processor.footprint.endObjects()
        if lists.contains(where: { !$0.comparison.unlisted.isEmpty }) || !processor.settlement.removedChildren.isEmpty
            || !processor.deletions.isEmpty || !processor.objectParts.ofDeletedOwners.isEmpty
        {
            for list in lists { list.comparison.specifySkipped(in: processor.footprint) }
        }
        var unlisted: [(ids: [RecordID], map: EntityMap)] = []
        for list in lists {
            processor.operations = list.root.operations
            unlisted.append((try self.unlisted(list), list.map))
        }
        let count = unlisted.reduce(0) { $0 + $1.ids.count }
        run.reportProgress(.finishing, 0, of: count)
        try run.finish(deleting: unlisted)
        // Released, because a sync needs the most memory when it stores what it remembers.
        processor.forgetStatements()
        for list in lists where try list.comparison.remember(processor.footprint, reports, in: transaction) {
            // Other entities do not know what this sync has written.
            if try !transaction.payloadMarks.isOnlyFamily(list.map.shape.name) {
                transaction.payloadMarks.tokens = processor.footprint.allWritten
            } else if transaction.payloadMarks.tokens == nil {
                transaction.payloadMarks.tokens = []
            }
        }
        run.reportProgress(.finishing, count, of: count)
        // The last check before the commit.
        try run.cancellation.check()
    }

    /// Returns the records of a list's scope that are deleted.
    private func unlisted(_ list: SyncedList) throws -> [RecordID] {
        guard list.scope.deletes, !list.payload.isOneObject else { return [] }
        // An element may mean any record, or none can be used.
        if list.comparison.isPartial || list.comparison.isUnusable {
            run.addIncomplete(list)
            return []
        }
        var unlisted = try list.comparison.unlisted.filter { try !isOwnedPart($0) }
        if let parent = list.scope.parent { unlisted = try disconnect(unlisted, from: parent) }
        guard let tree = list.scope.tree, !unlisted.isEmpty else { return unlisted }
        return try tree.unlisted(unlisted, list, in: run)
    }

    /// Whether a record is a part of another one: no payload can list it, and it is deleted with its owner.
    private func isOwnedPart(_ id: RecordID) throws -> Bool {
        guard id.key.isPartKey, let record = try transaction.record(id) else { return false }
        return try processor.objectParts.hasOtherOwners(record)
    }

    /// Disconnects records from a parent that they share with others; returns those that belong to the parent alone.
    private func disconnect(
        _ unlisted: [RecordID], from parent: (record: Record, relationship: RelationshipMap)
    ) throws -> [RecordID] {
        guard parent.relationship.definition.isToMany else { return unlisted }
        var changes = ChangeSet(origin: run.origin)
        for id in unlisted { changes.unlink(id, parent.relationship.name, from: parent.record.key) }
        try transaction.apply(changes)
        return []
    }
}
