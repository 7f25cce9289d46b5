import DifferentialSync
import DifferentialSyncTesting
import StoreSync
import SyncPersistence
import TestSupport
import Testing

/// Whole stores that synchronize over objects, without a service.
@Suite struct ObjectCycleTests {
    let objects = InMemoryObjects()
    let temporary = TemporaryFolder()

    private func remote(_ objects: any ObjectStore) -> ObjectRemote {
        let limits = SyncLimits(pageRecords: 5, pushRecords: 4, bytes: 2_000)
        return ObjectRemote(
            objects, account: "ada", limits: limits, maximumSegments: 3, makeName: Planner.names("object"))
    }

    private func share(_ phone: Device, _ laptop: Device, _ remote: ObjectRemote) async throws {
        try await phone.edit { changes, schema in
            try changes.put(Record("Area", in: schema, ["id": 1, "name": "home"]))
            try changes.put(Record("Project", in: schema, ["id": 1, "name": "garden", "area": 1]))
            for id in 1...7 as ClosedRange<Int64> {
                try changes.put(
                    Record("Task", in: schema, ["id": .integer(id), "title": .string("task \(id)"), "project": 1]))
            }
            try changes.put(Record("Tag", in: schema, ["id": 1, "name": "spring"]))
            changes.setLinks(RecordID("Project", 1), "tasks", to: [2, 1, 7, 6, 5, 4, 3])
            changes.link(RecordID("Task", 1), "tags", to: 1)
        }
        for device in [phone, laptop] { #expect(try await device.sync(with: remote).isSynced) }
    }

    private func expectAgreement(
        _ devices: Device..., note: Comment? = nil, location: SourceLocation = #_sourceLocation
    ) async throws {
        try await expectEqualContents(of: devices.map(\.store), note, location: location)
    }

    @Test func storesAgreeWithoutAService() async throws {
        for objects in [objects, try FolderObjects(path: temporary.path)] as [any ObjectStore] {
            let (phone, laptop) = (try Device("phone"), try Device("laptop"))
            let remote = remote(objects)
            try await share(phone, laptop, remote)
            #expect(try await laptop.related("Project", 1, "tasks") == [2, 1, 7, 6, 5, 4, 3])
            #expect(try await laptop.related("Tag", 1, "tasks") == [1])
            try await phone.edit { changes, _ in
                changes.update(RecordID("Task", 1), ["title": "dig deep"])
                changes.delete(RecordID("Task", 3))
            }
            try await laptop.edit { changes, _ in
                changes.update(RecordID("Task", 1), ["isDone": true])
                changes.update(RecordID("Task", 2), ["title": "sow beans"])
            }
            for device in [phone, laptop, phone] {
                let outcome = try await device.sync(with: remote)
                #expect(outcome.isSynced && outcome.conflicts.isEmpty)
            }
            #expect(try await phone.value("Task", 1, "isDone") == true)
            #expect(try await laptop.value("Task", 1, "title") == "dig deep")
            try await expectAgreement(phone, laptop)
            try await remote.compact()
            let third = try Device("third")
            #expect(try await third.sync(with: remote).isSynced)
            try await expectAgreement(phone, laptop, third)
        }
    }

    @Test func deletedObjectsAreSentAgain() async throws {
        let (phone, laptop) = (try Device("phone"), try Device("laptop"))
        let remote = remote(objects)
        try await share(phone, laptop, remote)
        try await laptop.edit { changes, _ in changes.update(RecordID("Task", 2), ["title": "edited"]) }
        for name in try await objects.list(prefix: "") { try await objects.delete(name) }
        for device in [phone, laptop, phone, laptop] { #expect(try await device.sync(with: remote).isSynced) }
        #expect(try await phone.value("Task", 2, "title") == "edited")
        #expect(try await phone.related("Project", 1, "tasks").count == 7)
        try await expectAgreement(phone, laptop)
    }

    @Test func devicesAgreeWhateverFails() async throws {
        let seed = SeededGenerator.testSeed(61)
        for run in 0..<UInt64(isFullScale ? 100 : 10) {
            var generator = SeededGenerator(seed: seed &+ run)
            let objects = InMemoryObjects()
            let devices = try ["a", "b", "c"].map { try Device($0) }
            let faulty = remote(FaultyObjects(objects, seed: seed &+ run, probability: 0.03))
            try await share(devices[0], devices[1], remote(objects))
            try await devices[2].sync(with: remote(objects))
            for _ in 0..<25 {
                let device = devices[Int.random(in: devices.indices, using: &generator)]
                let (task, choice) = (
                    Int64.random(in: 1...9, using: &generator), Int.random(in: 0..<5, using: &generator)
                )
                let title = Value.string("title \(generator.next() % 100)")
                if choice < 3 {
                    try await device.edit { changes, schema in
                        if choice == 0 {
                            changes.delete(RecordID("Task", .integer(task)))
                        } else {
                            try changes.put(
                                Record("Task", in: schema, ["id": .integer(task), "title": title, "project": 1]))
                        }
                    }
                } else {
                    _ = try await device.sync(with: faulty, SyncPolicies(.remoteWins))
                }
            }
            for device in devices + devices + devices {
                #expect(
                    try await device.sync(with: remote(objects), SyncPolicies(.remoteWins)).isSynced,
                    "seed \(seed &+ run)")
            }
            try await expectAgreement(devices[0], devices[1], devices[2], note: "seed \(seed &+ run)")
        }
    }
}
