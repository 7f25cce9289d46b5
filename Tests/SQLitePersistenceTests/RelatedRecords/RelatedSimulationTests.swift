import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

/// Devices edit connected records at random, and synchronize entities and links in any order.
@Suite(.needsStores) struct RelatedSimulationTests {
    @Test(arguments: StoreKind.allCases, [nil, RelatedDevice.Side.local, .remote])
    func noCycleThrowsAndNoEditIsLost(kind: StoreKind, side: RelatedDevice.Side?) async throws {
        let seed = SeededGenerator.testSeed(side == nil ? 51 : side == .local ? 52 : 53)
        print("RelatedSimulationTests.noCycleThrowsAndNoEditIsLost: DIFFSYNC_SEED=\(seed)")
        var seeds = SeededGenerator(seed: seed)
        for run in 0..<(isFullScale ? 60 : kind.runCount) {
            let simulation = try await RelatedSimulation(kind, seed: seeds.next(), devices: 2 + run % 2, side)
            try await simulation.run(steps: 80)
            try await simulation.resolveAll()
            try await expectAgreement(simulation.devices, "seed \(simulation.seed)")
            for device in simulation.devices {
                let lost = try await simulation.ledger.lost(on: device)
                #expect(lost.isEmpty, "seed \(simulation.seed)")
            }
        }
    }
}

/// Devices around remotes without rules, and what their users do.
final class RelatedSimulation {
    let seed: UInt64
    private var generator: SeededGenerator
    private(set) var devices: [RelatedDevice] = []
    private let remotes: RelatedRemotes
    private let side: RelatedDevice.Side?
    private var editCount = 0

    /// What users have made on all devices.
    let ledger = EditLedger()

    init(_ kind: StoreKind, seed: UInt64, devices count: Int, _ side: RelatedDevice.Side?) async throws {
        self.seed = seed
        self.side = side
        generator = SeededGenerator(seed: seed)
        remotes = try RelatedRemotes()
        for _ in 0..<count {
            var device = try await remotes.device(kind)
            device.ledger = ledger
            devices.append(device)
            // From here on, all entities and links have cycles of their own.
            try await device.sync(remotes.names)
        }
    }

    func run(steps: Int) async throws {
        for _ in 0..<steps {
            let device = devices.randomElement(using: &generator)!
            if generator.happens(0.7) { try await edit(device) } else { try await synchronize(device) }
            if generator.happens(0.03), let name = remotes.records.keys.sorted().randomElement(using: &generator) {
                try await device.resolveWaiting(name, generator.happens(0.5) ? .local : .remote)
            }
        }
    }

    /// An edit, unless the schema does not allow it.
    private func edit(_ device: RelatedDevice) async throws {
        editCount += 1
        let name = remotes.records.keys.sorted().randomElement(using: &generator)!
        let key = Value.integer(Int64.random(in: 1...4, using: &generator))
        let shape = try #require(device.store.schema[name])
        let choice = Int.random(in: 0..<10, using: &generator)
        var references: [String: Value] = [:]
        for slot in shape.slots {
            guard case .reference(let destination, _, _) = slot.content, generator.happens(0.5) else { continue }
            let keys = try await device.keys(destination)
            references[slot.name] = keys.randomElement(using: &generator) ?? .null
        }
        let values = references.merging(["name": .string("edit \(editCount)")]) { _, new in new }
        let tags = (1...3).filter { _ in generator.happens(0.4) }.map { Value.integer($0) }.shuffled(using: &generator)
        do {
            let isThere = try await device.keys(name).contains(key)
            if !isThere {
                try await device.put(name, values.merging(["id": key]) { _, new in new })
            } else if choice < 3 {
                try await device.delete(name, key)
            } else if choice < 5, name == "Task" {
                try await device.change { $0.setLinks(RecordID(name, key), "tags", to: tags) }
            } else {
                try await device.update(name, key, values)
            }
        } catch let error as PersistenceError {
            let expected: [PersistenceError.Code] = [.deletionDenied, .missingValue, .danglingReference]
            #expect(expected.contains(error.code), "seed \(seed): \(error)")
        }
    }

    /// Synchronizes some of what there is, in any order, and expects that no local change is lost but to the remote's side.
    private func synchronize(_ device: RelatedDevice) async throws {
        for name in remotes.names.shuffled(using: &generator) where generator.happens(0.6) {
            let before = try await edits(of: device)
            try await sync(device, name, side)
            if side == .remote { continue }
            let after = try await images(of: before.map(\.id), on: device)
            for (edit, record) in zip(before, after) {
                for (slot, value) in edit.values {
                    #expect(record?[slot] == value, "seed \(seed), '\(name)': \(edit.id).\(slot)")
                }
                #expect((record == nil) == edit.isDeletion, "seed \(seed), '\(name)': \(edit.id)")
            }
        }
    }

    private func sync(_ device: RelatedDevice, _ name: String, _ side: RelatedDevice.Side?) async throws {
        do {
            try await device.sync(name, settling: side)
        } catch {
            Issue.record("seed \(seed), '\(name)': \(error)")
            throw error
        }
    }

    /// What was edited on a device and not sent: the values that differ from the shadow's.
    private struct Edit: Sendable {
        let id: RecordID
        let isDeletion: Bool
        let values: [String: Value]
    }

    private func edits(of device: RelatedDevice) async throws -> [Edit] {
        var edits: [Edit] = []
        for name in remotes.records.keys.sorted() {
            for (entry, record) in try await device.entries(name) where record != entry.base {
                let names = record.map { record in entry.base.map(record.changedNames) ?? ["name"] } ?? []
                let values = names.map { ($0, record?[$0] ?? .null) }
                edits.append(
                    Edit(
                        id: RecordID(name, entry.id.key), isDeletion: record == nil,
                        values: Dictionary(uniqueKeysWithValues: values)))
            }
        }
        return edits
    }

    private func images(of ids: [RecordID], on device: RelatedDevice) async throws -> [Record?] {
        try await device.store.read { transaction in try ids.map { try transaction.record($0) } }
    }

    /// Settles all conflicts and all that waits, as users do, until nothing changes.
    func resolveAll() async throws {
        for round in 0..<40 {
            var isQuiet = true
            for device in devices {
                for name in remotes.names { try await sync(device, name, .local) }
                if round > 6 {
                    try await restoreWhatIsMissing(on: device)
                    if round.isMultiple(of: 2) {
                        try await keepWhatWaits(on: device)
                    } else {
                        for name in remotes.records.keys.sorted() { try await device.resolveWaiting(name, .local) }
                    }
                }
                for name in remotes.records.keys where try await !device.entries(name).isEmpty { isQuiet = false }
            }
            if isQuiet, round > 6 { break }
        }
        for device in devices { for name in remotes.names { try await sync(device, name, .local) } }
    }

    /// Stores what waiting records and links name.
    private func restoreWhatIsMissing(on device: RelatedDevice) async throws {
        for root in device.store.schema.roots where root.role == nil || root.role == .links {
            for (entry, _) in try await device.entries(root.name) where entry.isUnresolved {
                guard let remote = entry.remote else { continue }
                for (slot, value) in zip(remote.shape.slots, remote.values) where !value.isNull {
                    guard case .reference(let destination, _, _) = slot.content, destination != "Invoice",
                        try await !device.keys(destination).contains(value)
                    else { continue }
                    try await device.put(destination, ["id": value, "name": "restored"])
                }
            }
        }
    }

    /// Edits what the remote has deleted, so that it is a conflict.
    private func keepWhatWaits(on device: RelatedDevice) async throws {
        for name in remotes.records.keys.sorted() {
            for (entry, record) in try await device.entries(name) where entry.isWaitingForDeletion(of: record) {
                editCount += 1
                try await device.update(name, entry.id.key, ["name": .string("edit \(editCount)")])
            }
        }
    }
}

extension JournalEntry {
    fileprivate func isWaitingForDeletion(of record: Record?) -> Bool {
        record != nil && isUnresolved && record == base && remote == nil
    }
}
