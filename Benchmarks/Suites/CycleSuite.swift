import BenchmarkSupport
import DifferentialSync
import DifferentialSyncTesting

/// A whole cycle with 50 local and 50 remote changes.
enum CycleSuite {
    static let name = "cycle"
    static let journaled = "journaled, 50 + 50 changes"
    static let arrays = "arrays, 50 + 50 changes"

    static func run(_ runner: inout Runner, sizes: [Int]) {
        for count in sizes where count >= 1_000 {
            if runner.wants(suite: name, workload: journaled) {
                runner.run(
                    Line(
                        suite: name, workload: journaled, count: count, divisor: 1,
                        contestants: [journaledContestant(count: count)]))
            }
            if runner.wants(suite: name, workload: arrays) {
                runner.run(
                    Line(
                        suite: name, workload: arrays, count: count, divisor: 1,
                        contestants: arrayContestants(count: count)))
            }
        }
    }

    /// Edits, remote changes and cycle, over and over on one collection; only the cycle is timed.
    private static func journaledContestant(count: Int) -> Contestant {
        var generator = SeededGenerator(seed: UInt64(count))
        let elements = (0..<count).map { _ in TextRecord.random(using: &generator) }
        var version = RemoteVersion(epoch: "e", commit: "0")
        var collection = unfailing { try JournaledCollection(elements, version: version, primaryKey: \.id) }
        var keys = elements.map(\.id)
        var cycles = 0
        var pull = Pull<TextRecord, String>.nothing
        return Contestant(
            "journaled collection", .ours,
            prepare: {
                keys.shuffle(upTo: 90, using: &generator)
                for key in keys[..<40] { unfailing { try collection.edit(key) { $0 = $0.edited() } } }
                for key in keys[40..<45] { collection.remove(key) }
                let remote = keys[45..<90].compactMap { collection[$0] }
                let added = (0..<10).map { _ in TextRecord.random(using: &generator) }
                for record in added[..<5] { unfailing { try collection.insert(record) } }
                cycles += 1
                version.commit = "\(cycles), pulled"
                pull = .changes(
                    changed: remote[5...].map { $0.edited() } + added[5...], deleted: remote[..<5].map(\.id), version)
                for (position, record) in zip(Array(40..<50), added) { keys[position] = record.id }
            },
            summary: { (outcome: SyncOutcome) in "\(outcome.counts)" },
            {
                unfailing {
                    // The push is refused, and what was pulled is merged before the second one.
                    var cycle = SyncCycle<TextRecord, String>(
                        pushID: "\(cycles)", recognizesPushes: true, policy: .localWins)
                    _ = try cycle.begin(&collection)
                    _ = try cycle.pushed(.refused, &collection)
                    guard case .push(let push) = try cycle.pulled(pull, &collection) else {
                        preconditionFailure("there are local changes")
                    }
                    precondition(push.changes.counts.total == 50)
                    version.commit = push.id
                    guard case .finished(let outcome) = try cycle.pushed(.accepted(version), &collection) else {
                        preconditionFailure("nothing is left to push")
                    }
                    return outcome
                }
            })
    }

    private static func arrayContestants(count: Int) -> [Contestant] {
        var generator = SeededGenerator(seed: UInt64(count))
        let shadow = (0..<count).map { _ in TextRecord.random(using: &generator) }
        var client = shadow.map { $0.copied() }
        var remote = shadow.map { $0.copied() }
        for position in 0..<45 {
            client[position * 3 * (count / 150)] = client[position * 3 * (count / 150)].edited()
            remote[(position * 3 + 1) * (count / 150)] = remote[(position * 3 + 1) * (count / 150)].edited()
        }
        for _ in 0..<5 {
            client.append(.random(using: &generator))
            remote.append(.random(using: &generator))
        }
        let summary = { (merged: [TextRecord]) in
            "\(merged.count) elements, of which \(merged.count { $0.revision == 1 }) edited"
        }
        return [
            Contestant("synchronize", .ours, summary: summary) {
                unfailing {
                    try synchronize(
                        client: client, shadow: shadow, remote: remote, primaryKey: \.id, policy: .localWins
                    ).client
                }
            },
            Contestant("six steps with dictionaries", .peer, summary: summary) {
                let local = Peers.dictionaryOfRecords(wins: client, loses: shadow)
                let merged = Peers.dictionaryMerge(into: remote, local)
                let push = Peers.dictionaryOfRecords(wins: merged, loses: remote)
                precondition(push.add.count == 5)
                return merged
            },
        ]
    }

    static let targets: [Target] = [
        .grows(atMost: 1.5, "journaled collection", in: journaled, from: 10_000, to: 1_000_000),
        .atMost(nanoseconds: 1_000_000, "journaled collection", in: journaled, count: 1_000_000),
    ]
}

extension Array {
    /// Moves `count` random elements to the front.
    fileprivate mutating func shuffle(upTo count: Int, using generator: inout SeededGenerator) {
        for position in 0..<count { swapAt(position, Int.random(in: position..<self.count, using: &generator)) }
    }
}
