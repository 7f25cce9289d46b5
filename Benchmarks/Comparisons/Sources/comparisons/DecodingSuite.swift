import BenchmarkSupport
import Foundation

/// JSON synced into an SQLite file, against `JSONDecoder` and a file of GRDB's with the same columns and settings.
enum DecodingSuite {
    static let name = "entities"

    private enum Workload: String, CaseIterable {
        case first = "first import"
        case same = "the same payload again"
        case changed = "1 % changed"

        func of(_ shape: JSONPayload.Shape) -> String { "\(rawValue), \(shape.rawValue)" }
    }

    static func run(_ runner: inout Runner) {
        for count in runner.sizes(default: [1_000, 10_000, 100_000]) where (1_000...300_000).contains(count) {
            for shape in JSONPayload.Shape.allCases {
                for workload in Workload.allCases where runner.wants(suite: name, workload: workload.of(shape)) {
                    runner.run(line(workload, shape, count: count))
                }
            }
        }
    }

    private static func line(_ workload: Workload, _ shape: JSONPayload.Shape, count: Int) -> Line {
        let payload = JSONPayload(shape, count: count).data
        let edited = JSONPayload(shape, count: count, editedEvery: 100).data
        let (stored, synced, changes) =
            switch workload {
            case .first: (nil as Data?, payload, shape == .flat ? count : count * 4)
            case .same: (payload, payload, 0)
            case .changed: (payload, edited, (count + 99) / 100)
            }
        // Row by row, 100,000 objects take half a minute.
        let styles = DecodingStore.Style.allCases.filter { $0 == .statements || count <= 10_000 }
        return Line(
            suite: name, workload: workload.of(shape), count: count, payloadBytes: payload.count,
            rounds: count > 10_000 ? 3 : nil,
            contestants: [ours(stored, synced, changes: changes)]
                + styles.map { peer($0, stored, synced, changes: changes) })
    }

    /// Syncs a payload after another one, or into a new store if there is none; what it changes is known.
    private static func ours(_ stored: Data?, _ payload: Data, changes: Int) -> Contestant {
        var store = EntityStore(stored)
        return Contestant(
            "EntitySync", .ours,
            prepare: { if let stored { store.sync(stored) } else { store = EntityStore() } },
            summary: { (_: Void) in "\(store.tally)" }
        ) { precondition(store.sync(payload) == changes) }
    }

    private static func peer(_ style: DecodingStore.Style, _ stored: Data?, _ payload: Data, changes: Int) -> Contestant
    {
        var store = DecodingStore(stored, style: style)
        return Contestant(
            style.rawValue, .peer,
            prepare: { if let stored { store.sync(stored) } else { store = DecodingStore(style: style) } },
            summary: { (_: Void) in "\(store.tally)" }
        ) { precondition(store.sync(payload) == changes) }
    }

    /// They are of comparing first as GRDB's documentation has it, in sizes that it is through with in time.
    static let targets: [Target] = JSONPayload.Shape.allCases.flatMap { shape -> [Target] in
        [(Workload.first, 3.0), (.same, 20)].map { workload, limit in
            .atLeast(
                limit, timesAsFastAs: DecodingStore.Style.records.rawValue, "EntitySync", in: workload.of(shape),
                count: 10_000)
        }
    }
}
