import DifferentialSync
import DifferentialSyncTesting
import SQLitePersistence
import StoreSync
import SyncPersistence
import TestSupport
import Testing

/// Random pushes of several devices, most of them faulty, and edits of an app.
@Suite(.needsServiceStore) struct RandomPushTests {
    @Test(arguments: ServiceStores.seeds)
    func devicesKnowWhatTheServiceHas(seed: UInt64) async throws {
        try await run(environmentSeed ?? seed, ServiceWorld(), rounds: 60)
    }

    @Test(arguments: 0..<3 as Range<UInt64>)
    func devicesKnowWhatAServiceOverAFileHas(seed: UInt64) async throws {
        let folder = TemporaryFolder()
        let store = try await SQLiteAdapter.open(at: folder.file("service.db"), schema: ServiceWorld.schema)
        try await run(environmentSeed ?? seed, ServiceWorld(store, limits: SyncLimits(pageRecords: 3)), rounds: 40)
        await store.close()
    }

    private func run(_ seed: UInt64, _ world: ServiceWorld, rounds: Int) async throws {
        var generator = SeededGenerator(seed: seed)
        var devices: [ModelDevice] = []
        for name in ["phone", "tablet", "watch"] { devices.append(try await ModelDevice(name, to: world.service)) }
        for round in 0..<rounds {
            let comment: Comment = "seed \(seed), round \(round)"
            let index = Int.random(in: 0..<devices.count, using: &generator)
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: try await editAsAnApp(world, &generator)
            case 1..<4: _ = try await devices[index].pull(limit: .random(in: 1...5, using: &generator))
            default:
                let count = Int.random(in: 1...8, using: &generator)
                let mutations = (0..<count).map { _ in
                    RandomMutation.next(of: devices[index].known, using: &generator)
                }
                try await devices[index].push(mutations, to: world, comment)
            }
        }
        for index in devices.indices {
            let fingerprint = try await devices[index].pull(limit: nil)
            let (known, content) = (devices[index].known, try await world.content)
            let differing = Set(known.keys).union(content.keys).filter { known[$0] != content[$0] }
            #expect(differing.isEmpty, "seed \(seed), \(devices[index].hand.id)")
            let sum = devices[index].known.values.reduce(StoreFingerprint()) { $0 + StoreFingerprint(of: $1) }
            #expect(fingerprint == sum, "seed \(seed)")
        }
    }

    private func editAsAnApp(_ world: ServiceWorld, _ generator: inout SeededGenerator) async throws {
        let content = try await world.content
        let mutation = RandomMutation.next(of: content, using: &generator)
        // The store refuses faulty edits.
        _ = try? await world.edit { changes in
            switch mutation.change {
            case .delete: changes.delete(mutation.id)
            case .insert(let values), .update(let values):
                changes.update(
                    mutation.id, Dictionary(values.members.map { ($0.name, $0.value) }) { first, _ in first })
            }
        }
    }
}

/// A device that knows what the service has told it, and what the service has accepted from it.
private struct ModelDevice {
    var hand: HandDevice
    var known: [RecordID: Record] = [:]

    init(_ name: String, to service: SyncService) async throws { hand = try await HandDevice(name, to: service) }

    mutating func push(_ mutations: [Mutation], to world: ServiceWorld, _ comment: Comment) async throws {
        hand.number += 1
        let (request, service, device) = (hand.request(mutations), world.service, hand.id)
        // The checks find every fault, so the transaction does not fail.
        let (response, lost) = try await world.store.write { transaction in
            var foreign: [RecordID: Record?] = [:]
            for entry in try transaction.history(after: request.base.sequence, limit: .max)
            where entry.writer != device {
                foreign[entry.id] = .some(try transaction.record(entry.id))
            }
            let response = try service.push(request, in: transaction)
            return (response, try foreign.filter { try transaction.record($0.key) != $0.value }.map(\.key))
        }.result
        #expect(lost.isEmpty, comment)
        #expect(try await service.push(request) == response, comment)
        for (mutation, outcome) in zip(mutations, response.outcomes) {
            guard case .accepted(let amended, _) = outcome else { continue }
            let shape = try #require(ServiceWorld.schema[mutation.id.entity])
            let id = RecordID(shape.root, mutation.id.key)
            switch mutation.change {
            case .delete: known[id] = nil
            case .insert(let values):
                var record = Record(shape, slots: shape.slots.map(\.defaultValue))
                record.setKey(mutation.id.key)
                record.set(values, amended)
                known[id] = record
            case .update(let values):
                // What another writer has made of the record since, with equal values, is accepted as well.
                if known[id]?.entity == shape.name { known[id]?.set(values, amended) }
            }
        }
    }

    /// Pulls all pages, and returns the fingerprint of the last one.
    mutating func pull(limit: Int?) async throws -> StoreFingerprint? {
        while true {
            let page = try await hand.page(after: hand.cursor.sequence, limit: limit)
            for entry in page.entries {
                let shape = try #require(ServiceWorld.schema[entry.id.entity])
                let id = RecordID(shape.root, entry.id.key)
                if case .present(let values) = entry.state {
                    var record = Record(shape, slots: shape.slots.map(\.defaultValue))
                    record.set(values, nil)
                    known[id] = record
                } else {
                    known[id] = nil
                }
            }
            hand.cursor = page.cursor
            if !page.hasMore { return page.fingerprint }
        }
    }
}

extension Record {
    fileprivate mutating func set(_ values: ValueObject, _ others: ValueObject?) {
        for member in Array(values.members) + Array((others ?? ValueObject()).members) {
            self[member.name] = member.value
        }
    }

    fileprivate mutating func setKey(_ key: Value) {
        let names = shape.keySlots.map { shape.slots[$0].name }
        if names.count > 1, case .array(let parts) = key {
            for (name, part) in zip(names, parts) { self[name] = part }
        } else {
            self[names[0]] = key
        }
    }
}

/// Mutations of few records, so that they meet.
private enum RandomMutation {
    static func next(of known: [RecordID: Record], using generator: inout SeededGenerator) -> Mutation {
        let entities = [
            "Project", "Project", "Task", "Task", "Task", "Tag", "Bill", "Person", "Person", "Desk", "Cat", "Dog",
            ServiceWorld.links, "Animal",
        ]
        let records = known.values.sorted { "\($0.id)" < "\($1.id)" }
        if generator.happens(0.4), let record = records.randomElement(using: &generator) {
            if generator.happens(0.4) { return Mutation(RecordID(record.shape.root, record.key), .delete) }
            return Mutation(record.id, .update(values(of: record.shape, isWhole: false, using: &generator)))
        }
        let entity = entities.randomElement(using: &generator) ?? "Tag"
        guard let shape = ServiceWorld.schema[entity] else { return .delete(entity, 1) }
        let number = number(using: &generator)
        let key: Value =
            switch entity {
            case "Tag": text(using: &generator)
            case "Bill": [2026, number]
            case ServiceWorld.links: [text(using: &generator), number]
            default: number
            }
        let id = RecordID(entity, key)
        if generator.happens(0.1) { return Mutation(id, .delete) }
        let values = values(of: shape, isWhole: true, using: &generator)
        return Mutation(id, generator.happens(0.1) ? .update(values) : .insert(values))
    }

    private static func values(
        of shape: Shape, isWhole: Bool, using generator: inout SeededGenerator
    ) -> ValueObject {
        var values: [String: Value] = [:]
        for (position, slot) in shape.slots.enumerated()
        where !shape.keySlots.contains(position) && (isWhole || generator.happens(0.4)) {
            let value: Value =
                switch slot.columnTypes[0] {
                case .integer: number(using: &generator)
                case .bool: .bool(generator.happens(0.5))
                case .json: [number(using: &generator)]
                default: text(using: &generator)
                }
            values[slot.name] = generator.happens(slot.isOptional ? 0.3 : 0.02) ? .null : value
        }
        return ValueObject(values)
    }

    private static func number(using generator: inout SeededGenerator) -> Value {
        .integer(.random(in: 1...4, using: &generator))
    }

    private static func text(using generator: inout SeededGenerator) -> Value {
        .string(["a", "b", "c"].randomElement(using: &generator) ?? "a")
    }
}
