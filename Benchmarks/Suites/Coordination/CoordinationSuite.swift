import BenchmarkSupport
import SyncCoordination
import SyncPersistence

/// A coordinator against a bare cycle, and the updates of an observed section.
enum CoordinationSuite {
    static let name = "coordination"
    static let changes = "10 changes of a store"
    static let inside = "an observed section of 50, a change within"
    static let crossing = "an observed section of 50, a record leaves and returns"

    static func run(_ runner: inout Runner, sizes: [Int]) {
        for count in sizes where count >= 1_000 {
            if runner.wants(suite: name, workload: changes), count <= 100_000 { runner.run(cycles(count: count)) }
            for workload in [inside, crossing] where runner.wants(suite: name, workload: workload) {
                runner.run(updates(workload, count: count))
            }
        }
    }

    private static func cycles(count: Int) -> Line {
        let pair = CoordinatedPair(count: count)
        func check(_ outcome: StoreOutcome) { precondition(outcome.isSynced && outcome.pushedCount == 10) }
        return Line(
            suite: name, workload: changes, count: count, divisor: 1,
            contestants: [
                Contestant("bare cycle", .peer, prepare: { pair.edit(10) }) { check(pair.cycle()) },
                Contestant("coordinator", .ours, prepare: { pair.edit(10) }) { check(pair.coordinatedCycle()) },
            ])
    }

    /// Each contestant makes the commits; the observers also wait for the values that follow.
    private static func updates(_ workload: String, count: Int) -> Line {
        let stores: [(name: String, section: ObservedSection)] = [
            ("SQLite", ObservedSection(StoreFile(schema: BenchmarkRow.schema), count: count)),
            ("in memory", ObservedSection(InMemoryAdapter(schema: BenchmarkRow.schema), count: count)),
        ]
        func commit(_ section: ObservedSection, _ wait: () -> Void) {
            if workload == inside {
                section.editWithin()
                wait()
            } else {
                for isIncluded in [false, true] {
                    section.move(isIncluded: isIncluded)
                    wait()
                }
            }
        }
        return Line(
            suite: name, workload: workload, count: count, divisor: 1, rounds: 21,
            contestants: stores.flatMap { name, section in
                [
                    Contestant("commit alone, \(name)", .bound, prepare: { section.drain() }) { commit(section) {} },
                    Contestant("commit and update, \(name)", .ours, prepare: { section.drain() }) {
                        commit(section) { section.drain() }
                    },
                ]
            })
    }

    static let targets: [Target] = [
        .grows(atMost: 1.5, "coordinator", in: changes, from: 1_000, to: 100_000),
        .atMost(1.2, times: "bare cycle", "coordinator", in: changes, count: 100_000),
        .grows(atMost: 1.5, "commit and update, SQLite", in: inside, from: 1_000, to: 1_000_000),
        .grows(atMost: 1.5, "commit and update, in memory", in: inside, from: 1_000, to: 1_000_000),
        .grows(atMost: 1.5, "commit and update, SQLite", in: crossing, from: 1_000, to: 1_000_000),
    ]
}

/// Rows with a place in an order and a text.
enum BenchmarkRow {
    static let schema = unfailing {
        try Schema {
            Entity("Row") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("place", .integer, isIndexed: true)
                Attribute("text", .string)
            }
        }
    }

    /// Returns the insertions of rows, each at the place of its number.
    static func insertions(count: Int) -> ChangeSet {
        var changes = ChangeSet(origin: .local)
        for id in 0..<Int64(count) {
            unfailing {
                try changes.put(
                    Record(
                        "Row", in: schema, ["id": .integer(id), "place": .integer(id), "text": .string("row \(id)")]))
            }
        }
        return changes
    }
}
