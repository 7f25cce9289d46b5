import DifferentialSyncTesting
import DifferentialSync
package import SyncPersistence

/// Random change sets for a schema, reproducible from a seed.
///
/// They concern few records, so that changes meet, and some of them are invalid.
package struct RandomChanges {
    private let schema: Schema
    private var generator: SeededGenerator
    private var values: RandomValues
    private var records: RandomRecords

    /// The keys of the records that the changes concern, five for each entity.
    private var pool: [(shape: Shape, key: Value)] = []

    /// Creates a generator of changes from a seed.
    package init(of schema: Schema, seed: UInt64) {
        self.schema = schema
        generator = SeededGenerator(seed: seed)
        values = RandomValues(seed: generator.next())
        records = RandomRecords(of: schema, seed: generator.next())
        for shape in schema.shapes where !shape.isAbstract {
            for _ in 0..<5 {
                if let key = records.newKey(of: shape) { pool.append((shape, key)) }
            }
        }
    }

    /// The records that exist in the store, by entity and key.
    private var present: Set<RecordID> = []
    /// The contents of the store before the changes.
    private var image = StoreImage()
    /// The last numbers of earlier commits in the history; within a commit, the order of numbers is not determined.
    private var historyNumbers: [Int64] = [.max, -1]

    /// Returns up to six changes of one origin, most of them of existing records.
    ///
    /// - Parameter image: The present contents of the store.
    package mutating func next(for image: StoreImage) -> ChangeSet {
        self.image = image
        if let last = image.metadata["sync.history.sequence"].flatMap({ Int64($0) }) { historyNumbers.append(last) }
        present = Set(image.records.flatMap { $0.value.map(\.id) })
        let origins: [ChangeSet.Origin] = [.local, .local, .remote, .agreed]
        var changes = ChangeSet(origin: origins.randomElement(using: &generator) ?? .local)
        if generator.happens(0.05) { changes.keepHistory(generator.happens(0.9)) }
        // The shadow is set first, because other changes are compared with it.
        if generator.happens(0.1), let (shape, key) = pool.randomElement(using: &generator) {
            changes.add(.setShadow(entry(shape, key)))
        }
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            if let operation = operation() { changes.add(operation) }
        }
        return changes
    }
}

extension RandomChanges {
    /// Returns a random operation, seldom an invalid one; nil if none could be made.
    private mutating func operation() -> ChangeSet.Operation? {
        let there = generator.happens(0.6) ? pool.filter { present.contains(RecordID($0.shape.name, $0.key)) } : []
        guard let (shape, key) = (there.isEmpty ? pool : there).randomElement(using: &generator) else { return nil }
        let name = shape.lineage.randomElement(using: &generator) ?? shape.name
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<6: return .put(record(shape, key))
        case 6..<8: return .update(RecordID(name, key), [:].merging(update(shape)) { $1 })
        case 8..<10: return .delete(RecordID(name, key))
        case 10..<15: return relationship(shape, key)
        case 15: return .exact(change(shape, key, present: image.records[shape.root]?.first { $0.key == key }))
        case 16:
            return .setMetadata(
                ["a", "b"].randomElement(using: &generator) ?? "a",
                generator.happens(0.7) ? "\(generator.next() % 3)" : nil)
        case 17:
            return generator.happens(0.1)
                ? historyNumbers.randomElement(using: &generator).map { .forgetHistory(through: $0) } : nil
        default: return generator.happens(0.3) ? invalid(shape, key) : .put(record(shape, key))
        }
    }

    /// Returns a record with few different values, so that it often equals the stored one.
    private mutating func record(_ shape: Shape, _ key: Value) -> Record {
        var record = Record(shape, slots: shape.slots.map(\.defaultValue))
        let template = generator.happens(0.3) ? records.record(of: shape, key: key) : nil
        for (position, slot) in shape.slots.enumerated() {
            if case .reference(let destination, _, _) = slot.content {
                record[slot.name] = generator.happens(slot.isOptional ? 0.5 : 0.05) ? .null : keyOf(destination)
            } else if let template {
                record[slot.name] = template.values[position]
            } else if !slot.isOptional && record[slot.name].isNull {
                record[slot.name] = values.value(for: slot)
            }
        }
        let parts = if shape.keySlots.count > 1, case .array(let parts) = key { parts } else { [key] }
        for (position, part) in zip(shape.keySlots, parts) { record[shape.slots[position].name] = part }
        return record
    }

    /// Returns the key of a record of an entity, present or not; rarely the key of another entity's record.
    private mutating func keyOf(_ entity: String) -> Value {
        let isThere = generator.happens(0.95)
        let keys = pool.filter { shape, key in
            shape.inherits(entity) ? !isThere || present.contains(RecordID(shape.name, key)) : generator.happens(0.002)
        }.map(\.key)
        return keys.randomElement(using: &generator) ?? .null
    }

    /// Returns a new value for one property.
    private mutating func update(_ shape: Shape) -> [String: Value] {
        guard let slot = shape.slots.randomElement(using: &generator) else { return [:] }
        if case .reference(let destination, _, _) = slot.content {
            return [slot.name: generator.happens(0.3) ? .null : keyOf(destination)]
        }
        return [slot.name: values.value(for: slot)]
    }

    /// Returns an exact change, mostly of the present record, seldom of another version.
    private mutating func change(_ shape: Shape, _ key: Value, present: Record?) -> Change<Record> {
        let new = record(shape, key)
        guard let old = generator.happens(0.1) ? record(shape, key) : present else { return .add(new) }
        return generator.happens(0.3) ? .delete(old) : .replace(old: old, new: new)
    }

    /// Returns a journal entry with random images.
    private mutating func entry(_ shape: Shape, _ key: Value) -> JournalEntry {
        JournalEntry(
            id: RecordID(shape.name, key), base: generator.happens(0.3) ? nil : record(shape, key),
            isUnresolved: generator.happens(0.5), remote: generator.happens(0.3) ? nil : record(shape, key))
    }

    /// Returns an operation that links or unlinks records; nil if the entity has no relationships.
    private mutating func relationship(_ shape: Shape, _ key: Value) -> ChangeSet.Operation? {
        guard let relationship = shape.relationships.randomElement(using: &generator)?.definition else { return nil }
        let id = RecordID(shape.name, key)
        let other = keyOf(relationship.destination)
        if other.isNull { return nil }
        switch Int.random(in: 0..<3, using: &generator) {
        case 0:
            let place = generator.happens(0.5) ? nil : Int.random(in: -1...4, using: &generator)
            return .link(id, relationship: relationship.name, to: other, at: place)
        case 1: return .unlink(id, relationship: relationship.name, from: other)
        default:
            let count =
                relationship.isToMany ? Int.random(in: 0...3, using: &generator) : generator.happens(0.7) ? 1 : 0
            let keys = (0..<count).map { _ in keyOf(relationship.destination) }.filter { !$0.isNull }
            return .setLinks(id, relationship: relationship.name, to: keys)
        }
    }

    /// Returns an operation that a store must refuse, in most cases.
    private mutating func invalid(_ shape: Shape, _ key: Value) -> ChangeSet.Operation {
        let id = RecordID(shape.name, key)
        switch Int.random(in: 0..<7, using: &generator) {
        case 0: return .update(id, ["no such name": 1])
        case 1: return .delete(RecordID("no such entity", key))
        case 2: return .link(id, relationship: "no such relationship", to: key, at: nil)
        case 3: return .setMetadata("sync.own", "1")
        case 4:
            let slot = shape.slots[shape.keySlots[0]]
            return .update(id, [slot.name: values.value(for: slot)])
        case 5:
            guard let abstract = schema.shapes.first(where: \.isAbstract) else { fallthrough }
            return .put(Record(abstract, slots: abstract.slots.map { values.value(for: $0) }))
        default:
            var record = record(shape, key)
            if let slot = shape.slots.randomElement(using: &generator) { record[slot.name] = .double(.nan) }
            return .put(record)
        }
    }
}
