import BenchmarkSupport
import Foundation
import SyncPersistence

/// Reading JSON into values, against Foundation's readers.
enum JSONSuite {
    static let name = "json"

    static func run(_ runner: inout Runner, sizes: [Int]) {
        // Foundation takes seconds for 100,000 objects.
        for count in sizes where (10_000...100_000).contains(count) {
            for shape in JSONPayload.Shape.allCases where runner.wants(suite: name, workload: shape.rawValue) {
                let data = JSONPayload(shape, count: count).data
                runner.run(
                    Line(suite: name, workload: shape.rawValue, count: count, contestants: contestants(data)))
            }
        }
    }

    private static func contestants(_ data: Data) -> [Contestant] {
        [
            Contestant("look at each byte", .bound) { data.withUnsafeBytes { $0.reduce(0, &+) } },
            Contestant("Value(json:)", .ours, summary: { (value: Value) in "\(JSONTally(value))" }) {
                unfailing { try Value(json: data) }
            },
            Contestant("JSONSerialization", .peer, summary: { (value: Any) in "\(JSONTally(foundation: value))" }) {
                unfailing { try JSONSerialization.jsonObject(with: data) }
            },
            Contestant("JSONDecoder", .peer, summary: { (value: DecodedValue) in "\(JSONTally(value))" }) {
                unfailing { try JSONDecoder().decode(DecodedValue.self, from: data) }
            },
        ]
    }

    static let targets: [Target] = [10_000, 100_000].flatMap { count in
        JSONPayload.Shape.allCases.map(\.rawValue).flatMap { workload -> [Target] in
            [
                .atLeast(4, timesAsFastAs: "JSONSerialization", "Value(json:)", in: workload, count: count),
                .atLeast(8, timesAsFastAs: "JSONDecoder", "Value(json:)", in: workload, count: count),
                .peakMemory(atMost: 0.25, times: "JSONSerialization", "Value(json:)", in: workload, count: count),
            ]
        }
    }
}
