import DifferentialSync
import SyncPersistence

extension SyncRun {
    /// An object of the payload itself.
    struct Root {
        /// The token of its record, and the digest of its primary key, which a caller cannot predict.
        let token: UInt64
        let digest: UInt64
        var element: PayloadElement
        /// Its entry in the payload memory, if none of the records that the entry covers has changed; else -1.
        var entry: Int32 = -1
    }

    /// What is to be done for the objects of a payload.
    struct Work {
        enum Step {
            case insert, update
            /// Nothing, as long as nothing else of the payload changes what it speaks of.
            case skip
        }
        var roots: [Root] = []
        /// The primary keys of their records; nil for expected objects, whose keys are not parsed.
        var keys: [Value?] = []
        /// How many of the objects are of no entity that the schema has for them.
        var misfitCount = 0
        var steps: [Step] = []
        /// The stored records that no object stands for.
        var departing: [RecordID] = []
        /// What is remembered of the last payload; nil for incomplete or small payloads.
        var memory: PayloadMemory?
        /// What tells objects apart, where that is not the primary key.
        var objectKeys: [Int: Value] = [:]
        /// Whether an element is neither an object nor null, so that nothing is deleted.
        var isPartial = false
        /// Whether the payload is the remembered one, about in its order.
        var isRepeated = false
        /// The objects that are to be remembered, and where the tokens of what they specify are.
        var learned: [(root: Int, order: Int, coverage: Range<Int>)] = []
        /// When those were skipped that were; else 0.
        var skipped: [Int] = []

        /// Makes room for so many objects.
        mutating func reserve(_ count: Int) {
            roots.reserveCapacity(count)
            keys.reserveCapacity(count)
        }
    }

    /// Smaller payloads are not remembered.
    private static let memorableCount = 32

    /// After how many objects it is likely how many there are; and for how many room is made at most before they have come.
    private static let sampleCount = 256
    private static let reserveLimit = 1 << 17
}

extension SyncRun {
    /// Compares the objects of a list with the stored records.
    ///
    /// - Parameter isComplete: Whether the payload is compared with the remembered one, and remembered.
    func compare(_ payload: some Payload, _ map: EntityMap, _ scope: SyncScope, isComplete: Bool) throws -> Work {
        tell(.comparing, 0, of: payload.size)
        var work = Work()
        let reportCount = outcome.reports.count
        if isComplete { work.memory = try PayloadMemory(of: map.shape.name, in: transaction) }
        hollow = []
        let count = try readRoots(of: payload, map, &work)
        if !hollow.isEmpty, hollow.count == work.roots.count {
            // Such as `{"data": {}}`: there is no reason to take these names for keys.
            for place in hollow { try reportHollow(map, at: place) }
            work = Work()
        }
        if map.sources.mapKey != nil, !payload.names.isEmpty { layout.add(map: payload) }
        let roots = work.roots
        if roots.count < Self.memorableCount { work.memory = nil }
        if roots.isEmpty, count > 0 {
            // It says nothing of any record, not even which ones there are.
            guard payload.isArray else {
                throw SyncError(noObjectsFor: map.shape.name, outcome.reports.dropFirst(reportCount).first)
            }
            return work
        }
        let stored = try stored(map, scope, work)
        let arriving = roots.indices.map { position in
            Comparison(key: roots[position].digest, digest: roots[position].element.digest, position: position)
        }
        let changes = uncheckedDiff(wins: arriving, loses: stored, primaryKey: { $0.key })
        work.steps = Array(repeating: .skip, count: roots.count)
        var departing: Set<Int> = []
        let isElsewhere =
            try scope.filter != nil || scope.parent != nil || !map.shape.isRoot
            || origin == .remote && transaction.mayHaveEntries(of: map.shape)
        for change in changes?.changes ?? [] {
            switch (change.old, change.new) {
            case (_?, let new?): work.steps[new.position] = .update
            case (let old?, nil): departing.insert(old.position)
            case (nil, let new?):
                // It may be there outside of the scope, or known to the remote and deleted here.
                let isNew = try !isElsewhere || record(map, key(at: new.position, of: work, payload, map)) == nil
                work.steps[new.position] = isNew ? .insert : .update
            case (nil, nil): break
            }
        }
        if !departing.isEmpty {
            var position = 0
            try forEachStoredKey(map, scope, work) { key in
                if departing.contains(position) { work.departing.append(RecordID(map.shape.name, key)) }
                position += 1
            }
        }
        work.skipped = Array(repeating: 0, count: roots.count)
        tell(.comparing, payload.size, of: payload.size)
        return work
    }

    /// The stored records that the payload speaks of.
    private func stored(_ map: EntityMap, _ scope: SyncScope, _ work: Work) throws -> [Comparison] {
        var stored: [Comparison] = []
        // What was deleted here is noted too, where the remote still speaks of it.
        let isEdited = try origin == .remote && transaction.mayHaveEntries(of: map.shape)
        if let memory = work.memory, !isEdited, scope.filter == nil {
            stored.reserveCapacity(work.roots.count)
            for root in work.roots where root.entry >= 0 {
                let digest = memory.entries.digest(of: Int(root.entry))
                stored.append(Comparison(key: root.digest, digest: digest, position: stored.count))
            }
            // If these are all that there are, none of them has to be read.
            if try stored.count == transaction.count(Query(map.shape.name)) { return stored }
            stored = []
        }
        try forEachStoredKey(map, scope, work) { key in
            var digest: UInt64?
            if let memory = work.memory, let entry = memory.entry(of: map.token(of: key)), try memory.isCurrent(entry) {
                digest = memory.entries.digest(of: entry)
            }
            stored.append(Comparison(key: DigestedKey(key).digest, digest: digest, position: stored.count))
        }
        return stored
    }

    /// Reads what tells the objects apart; returns the number of elements.
    private func readRoots(of payload: some Payload, _ map: EntityMap, _ work: inout Work) throws -> Int {
        var count = 0
        // Where the objects stand by the digests of their keys, which nobody can choose to be the same.
        var positions = TokenTable()
        let memory = work.memory
        work.reserve(memory?.entries.count ?? 0)
        try payload.forEachElement(map, self, memory) { element, key in
            count += 1
            if element.index % 1_000 == 0 {
                try cancellation.check()
                if element.index > 0 { tell(.comparing, max(element.offset, element.index), of: payload.size) }
            }
            let position = work.roots.count
            switch key {
            case .expected(let entry, let digest):
                guard let memory else { return }
                memory.confirm(entry, at: position)
                work.keys.append(nil)
                let token = memory.entries.token(of: entry)
                work.roots.append(Root(token: token, digest: digest, element: element, entry: Int32(clamping: entry)))
            case .read(.key(let key)):
                let stored = try storedKey(map, key)
                var root = Root(
                    token: map.token(of: stored), digest: stored.digest(seed: DigestedKey.seed), element: element)
                var earlier: Int?
                if let memory, let entry = memory.entry(of: root.token) {
                    earlier = memory.find(entry, at: position)
                    if earlier == nil, try memory.isCurrent(entry) { root.entry = Int32(clamping: entry) }
                }
                // Tokens can be chosen so that two keys have one.
                if try earlier.map({ try self.key(at: $0, of: work, payload, map) != stored }) ?? true {
                    earlier = positions.number(of: root.digest, orInsert: position)
                }
                if let earlier, try self.key(at: earlier, of: work, payload, map) == stored {
                    let place = payload.place(of: work.roots[earlier].element.index)
                    try reportDuplicate(key, map, at: place, counting: payload.place(of: element.index))
                    _ = try payload.value(of: work.roots[earlier].element)
                    work.roots[earlier].element = element
                    return
                }
                if !map.isKeyPrimary { work.objectKeys[position] = key }
                work.keys.append(stored)
                work.roots.append(root)
                if work.roots.count == Self.sampleCount {
                    let count = payload.byteCount / max(element.offset, 1) * Self.sampleCount
                    work.reserve(min(count, Self.reserveLimit))
                    positions.reserve(min(count, Self.reserveLimit))
                }
            case .read:
                if !element.isObject {
                    let value = try payload.value(of: element)
                    try reportElement(value, at: payload.place(of: element.index))
                    // Any record may be meant.
                    if !value.isNull { work.isPartial = true }
                }
            }
        }
        work.isRepeated = memory?.isRepeated(by: work.roots.count) ?? false
        return count
    }

    /// The primary key of an object's record.
    private func key(at position: Int, of work: Work, _ payload: some Payload, _ map: EntityMap) throws -> Value {
        if let key = work.keys[position] { return key }
        let element = work.roots[position].element
        let key = try rootKey(
            of: payload.value(of: element), named: payload.name(of: element.index),
            at: payload.place(of: element.index),
            map)
        if case .key(let key) = key { return key }
        return .null
    }

    /// Hands over the keys of the stored records that the payload speaks of, in an order that stays: all of its scope if
    /// what is missing is to be deleted.
    private func forEachStoredKey(
        _ map: EntityMap, _ scope: SyncScope, _ work: Work, _ body: (Value) throws -> Void
    ) throws {
        guard scope.deletes else {
            for position in work.roots.indices {
                if let key = work.keys[position], try record(map, key) != nil { try body(key) }
            }
            return
        }
        guard let (parent, relationship) = scope.parent else {
            try transaction.forEachKey(of: map.shape.name, where: scope.filter, body)
            return try deletedHere(map, where: scope.filter).forEach(body)
        }
        let keys = try keys(of: relationship, to: parent, map) + withdrawn(relationship, to: parent, map)
        guard let filter = scope.filter else { return try keys.forEach(body) }
        let inside = Set(try transaction.records(Query(map.shape.name, where: filter)).map(\.key))
            .union(try deletedHere(map, where: filter))
        for key in keys where inside.contains(key) { try body(key) }
    }

    /// Does what is to be done for objects of a list.
    func process(
        _ positions: [Int], _ phase: SyncPhase, _ work: inout Work, _ payload: some Payload, _ map: EntityMap,
        _ scope: SyncScope
    ) throws {
        var latest = progress
        for (done, position) in positions.enumerated() {
            if done % 1_000 == 0 {
                try cancellation.check()
                tell(phase, done, of: positions.count)
            }
            footprint.beginObject()
            if work.steps[position] == .skip {
                if !isWritten(position, work) {
                    work.skipped[position] = footprint.object
                    continue
                }
                work.steps[position] = .update
            }
            let element = work.roots[position].element
            let key = try key(at: position, of: work, payload, map)
            let (place, name) = (payload.place(of: element.index), payload.name(of: element.index))
            guard let (object, json) = map.object(for: try payload.value(of: element), inMap: name != nil)
            else { continue }
            let start = footprint.specified.count
            let misfitsBefore = misfitCount
            try reportDuplicateNames(payload.duplicateNames, at: place)
            let filling = Filling(
                object: object, map: map, key: work.objectKeys[position] ?? key, place: place, isNested: false,
                parent: scope.parent?.id)
            filling.surroundings = rootSurroundings(named: name, json, map)
            if work.objectKeys[position] != nil { filling.storedKey = key }
            try process(filling, of: key, map, scope)
            if misfitCount > misfitsBefore { work.misfitCount += 1 }
            // What is settled at the end may be reported then.
            let before = latest
            latest = progress
            if before == latest, drafts.isEmpty {
                work.learned.append((position, footprint.object, start..<footprint.specified.count))
            }
        }
        tell(phase, positions.count, of: positions.count)
    }

    private func process(_ filling: Filling, of key: Value, _ map: EntityMap, _ scope: SyncScope) throws {
        if let (id, relationship) = scope.parent, case .reference(let slot, _, _) = relationship.storage {
            filling.owner = Filling.Owner(slot: slot, key: id.key, isParent: true)
            filling.inverse = relationship.name
        }
        try process(filling)
        if let (id, relationship) = scope.parent { try connect(key, with: id, relationship, map) }
    }
}

extension SyncRun {
    /// Connects a record with the parent of the payload, where the record does not name that itself.
    private func connect(
        _ key: Value, with parent: RecordID, _ relationship: RelationshipMap, _ map: EntityMap
    ) throws {
        if case .reference = relationship.storage { return }
        guard let record = try record(map, key), !isDraft(record), try !isGone(map, key) else { return }
        if try related(record.id, relationship.name).contains(parent.key) { return }
        var changes = ChangeSet(origin: origin)
        changes.link(record.id, relationship.name, to: parent.key)
        try transaction.apply(changes)
    }
}

/// A record, by a digest of its key, and the digest of the object that it was stored from, while a payload is compared with what
/// is stored.
private struct Comparison: Equatable {
    let key: UInt64
    /// None if nothing is known of the object that a record was stored from.
    let digest: UInt64?
    /// Where it stands among the objects of the payload, or among the stored records.
    let position: Int

    static func == (left: Comparison, right: Comparison) -> Bool {
        guard let one = left.digest, let other = right.digest else { return false }
        return one == other && left.key == right.key
    }
}
