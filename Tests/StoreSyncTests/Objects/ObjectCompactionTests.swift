import DifferentialSyncTesting
import Foundation
import StoreSync
import SyncPersistence
import TestSupport
import Testing

/// Compaction of a history, at any time.
@Suite struct ObjectCompactionTests {
    let objects = InMemoryObjects()

    private func remote(
        _ objects: (any ObjectStore)? = nil, limits: SyncLimits = SyncLimits(), maximumSegments: Int = 64
    ) -> ObjectRemote {
        ObjectRemote(objects ?? self.objects, account: "ann", limits: limits, maximumSegments: maximumSegments)
    }

    @Test func aCompactionChangesNothingForDevices() async throws {
        var phone = HandDrivenDevice("phone", remote())
        var tablet = HandDrivenDevice("tablet", remote())
        try await phone.greet()
        try await tablet.greet()
        for key in 0..<20 as Range<Int64> {
            try await phone.push(.insert(key, "a"), .update(key / 2, "b"), .delete(key / 4))
        }
        _ = try await tablet.remote.pull(PullRequest(device: "tablet", cursor: tablet.cursor, limit: 5))
        try await tablet.pull(limit: 5)
        var early = HandDrivenDevice("early", remote())
        try await early.greet()
        let page = try await early.remote.pull(PullRequest(device: "early", cursor: early.cursor, limit: 3))
        early.cursor = page.cursor
        for entry in page.entries {
            if case .present(let values) = entry.state { early.records[entry.id] = values }
        }
        try await tablet.remote.compact()
        try await early.pull(limit: 3)
        var late = HandDrivenDevice("late", remote())
        try await late.greet()
        try await late.pull(limit: 3)
        #expect(late.records == tablet.records && early.records == tablet.records)
        #expect(try await tablet.push(.update(19, "c")) == [.accepted()])
        try await late.pull()
        #expect(late.texts[19] == "c" && late.records[note(19)]?["done"] == false)
    }

    @Test func aCompactionDuringAPushAndAPushDuringACompactionBothCount() async throws {
        let (objects, compactor) = (objects, remote())
        var phone = HandDrivenDevice("phone", remote())
        try await phone.greet()
        for key in 0..<5 as Range<Int64> { try await phone.push(.insert(key, "a")) }
        let isFirst = Locked(true)
        let pushing = objects.withWriteHook { name in
            if name == "head", isFirst.exchange(with: false) { try await compactor.compact() }
        }
        var tablet = HandDrivenDevice("tablet", remote(pushing))
        try await tablet.greet()
        isFirst.exchange(with: true)
        try await tablet.pull()
        #expect(try await tablet.push(.update(1, "b")) == [.accepted()])

        let rival = Locked<HandDrivenDevice?>(phone)
        let compacting = objects.withWriteHook { name in
            guard name == "head", var phone = rival.exchange(with: nil) else { return }
            try await phone.push(.insert(9, "c"))
        }
        try await remote(compacting).compact()
        try await tablet.pull()
        #expect(tablet.texts == [0: "a", 1: "b", 2: "a", 3: "a", 4: "a", 9: "c"])
    }

    @Test func ofTwoCompactionsOneSucceeds() async throws {
        let objects = objects
        var phone = HandDrivenDevice("phone", remote())
        try await phone.greet()
        for key in 0..<5 as Range<Int64> { try await phone.push(.insert(key, "a")) }
        let (other, isFirst) = (remote(), Locked(true))
        let watched = objects.withWriteHook { name in
            if name == "head", isFirst.exchange(with: false) { try await other.compact() }
        }
        await #expect(throws: RemoteError.later()) { try await remote(watched).compact() }
        try await remote().compact()
        try await remote().compact()
        // What the first one has written is gone with the next.
        #expect(try await objects.list(prefix: "").count == 3, "a head, a segment and an index")
        try await phone.pull(comparison: 0)
        #expect(phone.texts.count == 5)
    }

    @Test func aCompactionFailsAfterALaterOneHasDeletedWhatItWrote() async throws {
        let limits = SyncLimits(pageRecords: 4, pushRecords: 10, bytes: 100_000)
        var phone = HandDrivenDevice("phone", remote(limits: limits, maximumSegments: 1_000))
        try await phone.greet()
        for key in 0..<10 as Range<Int64> {
            try await phone.push(.insert(4 * key, "a"), .insert(4 * key + 1, "b"), .insert(4 * key + 2, "c"))
        }
        try await phone.remote.compact()
        try await phone.push(.insert(100, "a"), .insert(101, "b"), .insert(102, "c"))
        // While all is compacted, small segments are added and merged, and unused objects are deleted.
        let rival = Locked<HandDrivenDevice?>(phone)
        let merging = remote(limits: limits, maximumSegments: 1)
        let watched = objects.withWriteHook { name in
            guard name == "head", let phone = rival.exchange(with: nil) else { return }
            var merger = HandDrivenDevice(phone.name, merging)
            (merger.cursor, merger.number) = (phone.cursor, phone.number)
            try await merger.push(.insert(103, "d"))
            try await merger.push(.insert(104, "e"))
        }
        await #expect(throws: RemoteError.later()) { try await remote(watched, limits: limits).compact() }
        var tablet = HandDrivenDevice("tablet", remote())
        try await tablet.greet()
        try await tablet.pull()
        #expect(tablet.records.count == 35)
    }

    @Test func aCompactionHasFewRecordsInMemory() async throws {
        let limits = SyncLimits(pageRecords: 50, pushRecords: 50, bytes: 100_000)
        var phone = HandDrivenDevice("phone", remote(limits: limits, maximumSegments: 10_000))
        try await phone.greet()
        for first in stride(from: 0, to: 3_000, by: 50) as StrideTo<Int64> {
            try await phone.push((first..<first + 50).map { .insert($0, "a") })
        }
        try await phone.remote.compact()
        try await phone.push((0..<50).map { .update($0 * 60, "b") })
        // The segments that were read since the last write.
        let unwritten = Locked(0)
        let most = Locked(0)
        let counted = objects.withReadHook { name in
            if name == "head" { return }
            let count = unwritten.next()
            most.withLock { $0 = max($0, count) }
        }
        let watched = counted.withWriteHook { _ in unwritten.withLock { $0 = 0 } }
        try await remote(watched, limits: limits).compact()
        #expect(most.current <= 4, "\(most.current) segments")
        try await phone.pull(comparison: 0)
        #expect(phone.texts.count == 3_000)
        #expect(phone.texts[60] == "b" && phone.texts[61] == "a")
    }

    @Test func theHeadStaysSmall() async throws {
        let limits = SyncLimits(pageRecords: 10, pushRecords: 10, bytes: 100_000)
        var phone = HandDrivenDevice("phone", remote(limits: limits, maximumSegments: 4))
        try await phone.greet()
        var most = 0
        for key in 0..<150 as Range<Int64> {
            try await phone.push(.insert(key, "a"))
            if key > 20 { try await phone.push(.update(key - 20, "b")) }
            most = max(most, try await objects.list(prefix: "").count)
        }
        #expect(most < 60, "150 records in pages of 10")
        var tablet = HandDrivenDevice("tablet", remote(limits: limits))
        try await tablet.greet()
        try await tablet.pull()
        #expect(tablet.records == phone.records && tablet.records.count == 150)
    }

    @Test func forgottenDeletionsNeedAComparison() async throws {
        var phone = HandDrivenDevice("phone", remote())
        var tablet = HandDrivenDevice("tablet", remote())
        try await phone.greet()
        try await tablet.greet()
        try await phone.push(.insert(1, "a"), .insert(2, "b"))
        try await tablet.pull()
        try await phone.push(.delete(1))
        try await phone.remote.compact(forgettingDeletionsThrough: .max)
        await #expect(throws: RemoteError.self) { try await tablet.pull() }
        await #expect(throws: RemoteError.self) { try await tablet.push(.update(1, "x")) }
        #expect(try await tablet.greet().horizon == 3)
        tablet.cursor = SyncCursor(epoch: tablet.cursor.epoch, sequence: 0)
        #expect(try await tablet.pull(comparison: 3) == [note(2)])
        #expect(try await tablet.push(.update(2, "x")) == [.accepted()])
    }

    @Test func anUpdateOfACompactedRecordReadsFewObjects() async throws {
        let reads = Locked<[String]>([])
        let counted = objects.withReadHook { name in reads.withLock { $0.append(name) } }
        let limits = SyncLimits(pageRecords: 100, pushRecords: 5_000, bytes: 1_000_000)
        var phone = HandDrivenDevice("phone", remote(limits: limits))
        try await phone.greet()
        let inserts = (0..<5_000).map { Mutation.insert($0, "text \($0)") }
        for start in stride(from: 0, to: 5_000, by: 1_000) {
            let request = phone.request(Array(inserts[start..<start + 1_000]))
            #expect(try await phone.remote.push(request).outcomes == Array(repeating: .accepted(), count: 1_000))
            phone.number += 1
        }
        try await phone.remote.compact()
        #expect(try await objects.list(prefix: "").count == 1 + 50 + 3, "a head, segments and indexes")
        var tablet = HandDrivenDevice("tablet", remote(counted, limits: limits))
        try await tablet.greet()
        try await tablet.pull()
        tablet = HandDrivenDevice("tablet", remote(counted, limits: limits))
        tablet.cursor = try await tablet.remote.pull(
            PullRequest(device: "tablet", cursor: SyncCursor(epoch: tablet.greet().epoch, sequence: 5_000))
        ).cursor
        reads.exchange(with: [])
        let outcomes = try await tablet.push(.update(77, "a"), .update(4_999, "b"), .update(9_999, "c"), .delete(5))
        #expect(outcomes[0] == .accepted() && outcomes[1] == .accepted() && outcomes[3] == .accepted())
        guard case .refused("missing", _) = outcomes[2] else {
            Issue.record("\(outcomes)")
            return
        }
        // The head twice, at most three indexes, and two segments.
        #expect(reads.current.count <= 7, "\(reads.current)")
        phone.cursor = SyncCursor(epoch: tablet.cursor.epoch, sequence: 5_000)
        #expect(try await phone.pull() == [note(77), note(4_999), note(5)])
        #expect(phone.records[note(77)] == RandomMessages.object(["text": "a", "done": false]))
    }

    @Test func aPushAfterMoreOwnPushesReadsNoMoreObjects() async throws {
        let reads = Locked<[String]>([])
        let counted = objects.withReadHook { name in reads.withLock { $0.append(name) } }
        var phone = HandDrivenDevice("phone", remote(counted, limits: SyncLimits(pageRecords: 1_000)))
        try await phone.greet()
        // The history is compacted after the 17th push, and again after the 26th.
        for number in 1...25 as ClosedRange<Int64> {
            if number == 22 { reads.exchange(with: []) }
            let inserts = (0..<1_000).map { Mutation.insert(number * 1_000 + $0, "") }
            #expect(try await phone.push(inserts) == Array(repeating: .accepted(), count: 1_000))
        }
        // Each push reads the head twice, and the segment of the push before.
        #expect(reads.current.count <= 4 * 3, "\(reads.current)")
    }

    @Test func nothingAcknowledgedIsLostWhateverFails() async throws {
        let seed = SeededGenerator.testSeed(41)
        for run in 0..<UInt64(isFullScale ? 400 : 20) {
            var world = World(seed: seed &+ run)
            try await world.run(steps: 80)
        }
    }

    /// Devices over objects that fail, with a model of what was acknowledged.
    private struct World {
        let seed: UInt64
        let objects = InMemoryObjects()
        var generator: SeededGenerator
        var devices: [HandDrivenDevice] = []
        var underWay: [PushRequest?] = []
        /// The number of each device's last push that is in the model.
        var counted: [Int64] = [0, 0, 0]
        var acknowledged: [RecordID: ValueObject] = [:]

        init(seed: UInt64) {
            self.seed = seed
            generator = SeededGenerator(seed: seed)
            for index in 0..<3 {
                let faulty = FaultyObjects(objects, seed: seed &+ UInt64(index), probability: 0.05)
                let limits = SyncLimits(pageRecords: 4, pushRecords: 10, bytes: 200)
                let names = Locked(0)
                devices.append(
                    HandDrivenDevice(
                        "d\(index)",
                        ObjectRemote(faulty, account: "ann", limits: limits, maximumSegments: 3) {
                            "\(index)-\(names.next())"
                        }))
                underWay.append(nil)
            }
        }

        mutating func run(steps: Int) async throws {
            for _ in 0..<steps {
                let index = Int.random(in: devices.indices, using: &generator)
                do {
                    try await step(index)
                } catch is FaultyObjects.Failure {
                    continue
                }
            }
            for index in devices.indices { try await finish(index) { try await $0.send(index) } }
            for index in devices.indices { try await finish(index) { try await $0.devices[index].pull() } }
            var last = HandDrivenDevice("last", ObjectRemote(objects, account: "ann"))
            try await last.greet()
            try await last.pull()
            #expect(last.records == acknowledged, "seed \(seed)")
            for device in devices { #expect(device.records == acknowledged, "\(device.name), seed \(seed)") }
        }

        private mutating func step(_ index: Int) async throws {
            if devices[index].cursor.epoch.isEmpty { try await devices[index].greet() }
            if underWay[index] != nil { return try await send(index) }
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: try? await devices[index].remote.compact()
            case 1...3: try await devices[index].pull(limit: Int.random(in: 1...5, using: &generator))
            default:
                var mutations: [Mutation] = []
                for key in Set((0..<3).map { _ in Int64.random(in: 0..<12, using: &generator) }).sorted() {
                    let text = "\(generator.next() % 1_000)"
                    if devices[index].records[note(key)] == nil {
                        mutations.append(.insert(key, text))
                    } else {
                        mutations.append(generator.happens(0.3) ? .delete(key) : .update(key, text))
                    }
                }
                underWay[index] = devices[index].request(mutations)
                try await send(index)
            }
        }

        private mutating func send(_ index: Int) async throws {
            guard let request = underWay[index] else { return }
            let response: PushResponse
            do {
                response = try await devices[index].remote.push(request)
            } catch {
                // The answer may be lost, and others may build on what the push has changed.
                try await acknowledge(index, ObjectRemote(objects, account: "ann").lastPush(of: devices[index].name))
                throw error
            }
            try await acknowledge(index, response)
            underWay[index] = nil
            devices[index].number += 1
            for (mutation, outcome) in zip(request.mutations, response.outcomes) {
                #expect(outcome == .accepted() || outcome == .conflict, "\(outcome), seed \(seed)")
                guard outcome == .accepted() else { continue }
                devices[index].records[mutation.id] = mutation.applied(to: devices[index].records[mutation.id])
            }
        }

        /// Makes the changes of the push under way in the model, once.
        private mutating func acknowledge(_ index: Int, _ response: PushResponse?) async throws {
            guard let request = underWay[index], let response, response.name == request.name,
                counted[index] < request.name.number
            else { return }
            counted[index] = request.name.number
            for (mutation, outcome) in zip(request.mutations, response.outcomes) where outcome == .accepted() {
                acknowledged[mutation.id] = mutation.applied(to: acknowledged[mutation.id])
            }
        }

        /// Makes a step until it does not fail.
        private mutating func finish(_ index: Int, _ step: (inout World) async throws -> Void) async throws {
            while true {
                do {
                    if devices[index].cursor.epoch.isEmpty { try await devices[index].greet() }
                    return try await step(&self)
                } catch is FaultyObjects.Failure {
                    continue
                }
            }
        }
    }
}
