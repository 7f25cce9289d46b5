import DifferentialSync
import SyncPersistence

/// The objects of a list, compared with the stored records.
///
/// Both sides are compared by the digests of their keys and contents. The result is the step of each object (insert,
/// update or skip) and the stored records without an object.
struct ListComparison {
    /// An object of the list.
    struct Object {
        /// The token of the record.
        let token: UInt64
        /// The digest of the record's primary key, which a payload cannot predict.
        let digest: UInt64
        /// The last element with the key of the object.
        fileprivate(set) var element: PayloadElement
        /// The object's entry in the payload memory.
        ///
        /// It is -1 if there is none, or if a record that the entry covers has changed.
        fileprivate(set) var entry: Int32 = -1
    }

    /// The step that a sync takes for an object.
    enum Step {
        /// Stores the object as a new record, or in the existing one.
        case insert, update
        /// Skips the object, unless another object changes a record or relationship that it specifies.
        case skip
    }

    /// The objects of the list, each key once.
    private(set) var objects: [Object] = []
    /// The step of each object.
    private(set) var steps: [Step] = []
    /// The stored records without an object.
    private(set) var unlisted: [RecordID] = []
    /// Whether the list has an element that may mean any record, or a page without a usable element.
    ///
    /// Then nothing is deleted.
    private(set) var isPartial = false
    /// The number of objects whose entity cannot be determined.
    private(set) var unusableCount = 0
    /// The remembered payload; nil for incomplete or small payloads.
    private(set) var memory: PayloadMemory?

    /// The primary keys of the objects' records, up to the last one that was parsed; nil for keys that were not.
    private var keys: [Value?] = []
    /// The keys of objects that are identified by another key than the primary key.
    private var objectKeys: [Int: Value] = [:]
    /// The objects that were skipped, and those to remember.
    private var handled = HandledObjects()

    /// Smaller payloads are not remembered.
    private static let memorableCount = 32

    /// The number of objects from which the number of all objects is estimated.
    private static let sampleCount = 256
    /// For how many objects the estimate reserves memory at most.
    private static let reserveLimit = 1 << 17

    /// Creates an empty comparison.
    init() {}

    /// Compares the objects of a list with the stored records.
    ///
    /// - Parameter isRemembered: Whether the payload is compared with the remembered one, and remembered.
    init(_ list: SyncedList, in run: SyncRun, isRemembered: Bool) throws {
        let (payload, map, reports) = (list.payload, list.map, run.reports)
        run.reportProgress(.comparing, 0, of: payload.size)
        let reportCount = reports.content.listed.count
        if isRemembered { memory = try PayloadMemory(of: map.shape.name, in: run.transaction) }
        let count = try read(list, in: run)
        if map.sources.mapKey != nil, !payload.names.isEmpty { run.reader.add(map: payload) }
        if objects.count < Self.memorableCount { memory = nil }
        if objects.isEmpty, count > 0 {
            // Nothing is deleted, because the payload does not state which records there are.
            isPartial = true
            guard payload.isArray else {
                throw SyncError(
                    noObjectsFor: map.shape.name, reports.content.listed.dropFirst(reportCount).first)
            }
            return
        }
        try compare(list, in: run)
        run.reportProgress(.comparing, payload.size, of: payload.size)
    }
}

extension ListComparison {
    /// Reads the keys of the objects; returns the number of elements.
    private mutating func read(_ list: SyncedList, in run: SyncRun) throws -> Int {
        let (payload, map) = (list.payload, list.map)
        var count = 0
        // By the digests of their keys: a payload cannot be crafted so that two keys have the same digest.
        var positions = TokenTable()
        // The empty objects of a map that identify no record.
        var empty: [Place] = []
        let memory = memory
        objects.reserveCapacity(memory?.count ?? 0)
        try payload.forEachElement(list.keys, memory) { element, key in
            count += 1
            if element.index % 1_000 == 0 {
                try run.cancellation.check()
                if element.index > 0 {
                    run.reportProgress(.comparing, max(element.offset, element.index), of: payload.size)
                }
            }
            switch key {
            case .expected(let entry, let digest):
                guard let memory else { return }
                memory.confirm(entry, at: objects.count)
                objects.append(
                    Object(
                        token: memory.token(of: entry), digest: digest, element: element, entry: Int32(clamping: entry))
                )
            case .found(let token, let digest):
                try add(Object(token: token, digest: digest, element: element), nil, &positions, list, in: run)
            case .read(.key(let key)):
                if element.isEmptyInMap, !map.hasKeyAlone, try !map.isKeyPrimary || run.records.record(map, key) == nil
                {
                    empty.append(payload.place(of: element.index))
                }
                let stored = try run.records.implicitKeys.storedKey(map, key)
                let object = Object(
                    token: map.token(of: stored), digest: stored.digest(seed: DigestedKey.seed), element: element)
                try add(object, (key, stored), &positions, list, in: run)
            case .read(let key): try add(element, withoutKey: key, list, in: run)
            }
        }
        if payload.mayLackElements { isPartial = true }
        handled.isRepeated = memory?.isRepeated(by: objects.count) ?? false
        if !empty.isEmpty, empty.count == objects.count {
            // As in `{"data": {}}`, where the names are not keys.
            for place in empty { try run.reports.addNoProperty(map, at: place) }
            self = ListComparison()
        }
        return count
    }

    /// Adds an element that identifies no record, which has been reported unless it is no object.
    private mutating func add(
        _ element: PayloadElement, withoutKey key: ObjectKey, _ list: SyncedList, in run: SyncRun
    ) throws {
        let value = try list.payload.value(of: element)
        guard element.isObject, let (object, _) = list.map.object(for: value, inMap: true) else {
            try run.reports.addNoObject(value, at: list.payload.place(of: element.index))
            // Any record may be meant.
            if !value.isNull { isPartial = true }
            return
        }
        if try run.mapping.saysDeleted(object, declaredAs: list.map) { return }
        // Any record may be meant.
        if case .invalid = key { isPartial = true }
        try run.processor.specifyRecords(nestedIn: object, list.map)
    }

    /// Adds an object, or replaces the element of an earlier one with the same key.
    ///
    /// - Parameters:
    ///   - key: The key that identifies the object, and the primary key of its record; nil if it was not parsed.
    ///   - positions: The positions of the objects, by the digests of their primary keys.
    private mutating func add(
        _ object: Object, _ key: (object: Value, stored: Value)?, _ positions: inout TokenTable, _ list: SyncedList,
        in run: SyncRun
    ) throws {
        let (payload, map, element, position) = (list.payload, list.map, object.element, objects.count)
        var object = object
        var earlier: Int?
        if let memory, let entry = memory.entry(of: object.token) {
            earlier = memory.find(entry, at: position)
            if earlier == nil, try memory.isCurrent(entry) { object.entry = Int32(clamping: entry) }
        }
        // A payload can be crafted so that two keys have the same token.
        if let candidate = earlier, objects[candidate].digest != object.digest { earlier = nil }
        if earlier == nil { earlier = positions.number(of: object.digest, orInsert: position) }
        if let earlier {
            let key = try key?.object ?? parsedKey(of: element, list)
            let place = payload.place(of: objects[earlier].element.index)
            try run.reports.addDuplicate(key, map, at: place, counting: payload.place(of: element.index))
            // Parses it, if only to report an error.
            _ = try payload.value(of: objects[earlier].element)
            objects[earlier].element = element
            return
        }
        if let key {
            if !map.isKeyPrimary { objectKeys[position] = key.object }
            keys += Array(repeating: nil, count: position - keys.count)
            keys.append(key.stored)
        }
        objects.append(object)
        if objects.count == Self.sampleCount {
            // With a margin, as one object too many would double the room.
            let count = payload.size / max(element.offset / Self.sampleCount, 1) * 17 / 16
            objects.reserveCapacity(min(count, Self.reserveLimit))
            positions.reserve(min(count, Self.reserveLimit))
        }
    }

    /// Returns the primary key of an object's record; nil if it was not parsed.
    func knownKey(at position: Int) -> Value? { position < keys.count ? keys[position] : nil }

    /// Returns the primary key of an object's record.
    private func key(at position: Int, _ list: SyncedList) throws -> Value {
        try knownKey(at: position) ?? parsedKey(of: objects[position].element, list)
    }

    /// Parses an element for the primary key of its record; null if it has none.
    private func parsedKey(of element: PayloadElement, _ list: SyncedList) throws -> Value {
        let payload = list.payload
        if let key = try payload.key(of: element, list.map) { return key }
        let (name, place) = (payload.name(of: element.index), payload.place(of: element.index))
        let key = try list.keys.key(of: payload.value(of: element), named: name, at: place)
        if case .key(let key) = key { return key }
        return .null
    }

    /// The key that identifies an object; nil if that is the primary key.
    func objectKey(at position: Int) -> Value? { objectKeys.isEmpty ? nil : objectKeys[position] }

    /// Returns the positions of the objects that are processed in a phase.
    func positions(of phase: SyncPhase) -> [Int] {
        objects.indices.filter { (steps[$0] == .insert) == (phase == .inserting) }
    }

    /// Whether no object has a usable entity, so that the payload does not state which records there are.
    var isUnusable: Bool { unusableCount > 0 && unusableCount == objects.count }
}

extension ListComparison {
    /// One side of the comparison: an object, or a stored record with the digest of the object it was stored from.
    private struct Side: Equatable {
        /// The digest of the primary key.
        let key: UInt64
        /// The digest of the object; nil if it is unknown.
        let digest: UInt64?
        /// The position of the object or the stored record.
        let position: Int

        /// Whether the record was stored from an equal object; false if that is unknown.
        static func == (left: Side, right: Side) -> Bool {
            guard let one = left.digest, let other = right.digest else { return false }
            return one == other && left.key == right.key
        }
    }

    /// Determines the steps and the unlisted records.
    private mutating func compare(_ list: SyncedList, in run: SyncRun) throws {
        let map = list.map
        let stored = try stored(list, in: run)
        let arriving = objects.indices.map { position in
            Side(key: objects[position].digest, digest: objects[position].element.digest, position: position)
        }
        let changes = uncheckedDiff(wins: arriving, loses: stored, primaryKey: { $0.key })
        steps = Array(repeating: .skip, count: objects.count)
        var departing: Set<Int> = []
        let scope = list.scope
        let isElsewhere =
            try scope.filter != nil || scope.parent != nil || !map.shape.isRoot
            || run.origin == .remote && run.transaction.mayHaveEntries(of: map.shape)
        for change in changes?.changes ?? [] {
            switch (change.old, change.new) {
            case (_?, let new?): steps[new.position] = .update
            case (let old?, nil): departing.insert(old.position)
            case (nil, let new?):
                // The record may exist outside of the scope, or may have been deleted locally.
                let isNew = try !isElsewhere || run.records.record(map, key(at: new.position, list)) == nil
                steps[new.position] = isNew ? .insert : .update
            case (nil, nil): break
            }
        }
        if departing.isEmpty { return }
        var position = 0
        try forEachStoredKey(list, in: run) { key in
            if departing.contains(position) { unlisted.append(RecordID(map.shape.name, key)) }
            position += 1
        }
    }

    /// Returns the stored records in the scope of the list.
    private func stored(_ list: SyncedList, in run: SyncRun) throws -> [Side] {
        let map = list.map
        var stored: [Side] = []
        // Records that were deleted locally are compared as well, as long as the remote has them.
        let isEdited = try run.origin == .remote && run.transaction.mayHaveEntries(of: map.shape)
        if let memory, !isEdited, list.scope.filter == nil {
            stored.reserveCapacity(objects.count)
            for object in objects where object.entry >= 0 {
                let digest = memory.digest(of: Int(object.entry))
                stored.append(Side(key: object.digest, digest: digest, position: stored.count))
            }
            // If there are no others, none of them needs to be read.
            if try stored.count == run.transaction.count(Query(map.shape.name)) { return stored }
            stored = []
        }
        try forEachStoredKey(list, in: run) { key in
            var digest: UInt64?
            if let memory, let entry = memory.entry(of: map.token(of: key)), try memory.isCurrent(entry) {
                digest = memory.digest(of: entry)
            }
            stored.append(Side(key: DigestedKey(key).digest, digest: digest, position: stored.count))
        }
        return stored
    }

    /// Calls `body` with the key of each stored record to compare, always in the same order.
    ///
    /// These are the records of the scope if unlisted records are deleted, and those of the objects otherwise.
    private func forEachStoredKey(_ list: SyncedList, in run: SyncRun, _ body: (Value) throws -> Void) throws {
        if list.scope.deletes { return try list.scope.forEachKey(list.map, in: run, body) }
        for position in objects.indices {
            let key = try key(at: position, list)
            if try run.records.record(list.map, key) != nil { try body(key) }
        }
    }
}

extension ListComparison {
    /// Whether an object is skipped, unless the sync has written something that it specifies.
    mutating func skips(_ position: Int, _ footprint: SyncFootprint) -> Bool {
        guard steps[position] == .skip else { return false }
        if footprint.isUnwritten || coverage(of: position).map({ !footprint.isWritten($0) }) ?? false {
            handled.skip(position, of: objects.count, footprint)
            return true
        }
        steps[position] = .update
        return false
    }

    /// Counts an object whose entity cannot be determined.
    mutating func addUnusable() { unusableCount += 1 }

    /// Records that an object was processed and can be skipped in the next payload.
    ///
    /// - Parameter start: The number of tokens that were specified before.
    mutating func learn(_ position: Int, _ footprint: SyncFootprint, since start: Int) {
        if memory != nil { handled.learn(position, footprint, since: start) }
    }

    /// Adds the tokens that skipped objects specify to a footprint.
    func specifySkipped(in footprint: SyncFootprint) {
        handled.forEachSkipped { if let coverage = coverage(of: $0) { footprint.specify(coverage) } }
    }

    /// Remembers the objects for the next payload.
    ///
    /// - Returns: Whether there is a memory.
    func remember(_ footprint: SyncFootprint, _ reports: SyncReports, in transaction: any PayloadStore) throws -> Bool {
        guard let memory else { return false }
        try memory.updateUnknownKeys(of: reports, hasSkipped: handled.hasSkipped)
        let isInOrder = !steps.contains(.update)
        if let entries = handled.entries(of: objects, isInOrder: isInOrder, memory, footprint) {
            try memory.store(entries, in: transaction.expectedSequence())
            try transaction.payloadMarks.keep(for: memory.entity)
        }
        return true
    }

    /// Returns the tokens that an object specifies if its entry is current; nil otherwise.
    private func coverage(of position: Int) -> ArraySlice<UInt64>? {
        memory.flatMap { objects[position].coverage(in: $0) }
    }
}
