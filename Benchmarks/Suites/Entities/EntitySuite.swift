import BenchmarkSupport

/// JSON synced into an SQLite file, against SQLite's own functions with records that are there already.
enum EntitySuite {
    static let name = "entities"

    static func run(_ runner: inout Runner, sizes: [Int]) {
        for count in sizes where (1_000...300_000).contains(count) {
            for shape in JSONPayload.Shape.allCases where runner.wants(suite: name, workload: workload(of: shape)) {
                runner.run(imports(shape, count: count))
            }
            if runner.wants(suite: name, workload: export) { runner.run(exports(count: count)) }
            for form in StreamForm.allCases where runner.wants(suite: name, workload: form.rawValue) {
                // Text of half a gigabyte shows nothing that 48 MB of it do not.
                if form != .large || count <= 10_000 { runner.run(streams(form, count: count)) }
            }
        }
        for count in runner.sizes(default: formSizes) where (1_000...300_000).contains(count) {
            for form in RelationshipForm.allCases where runner.wants(suite: name, workload: form.rawValue) {
                runner.run(imports(form, count: count))
            }
        }
    }

    static let targets: [Target] =
        JSONPayload.Shape.allCases.flatMap { shape -> [Target] in
            let workload = workload(of: shape)
            return [
                .atMost(
                    shape == .flat ? 1.2 : 1, times: "raw inserts", "first import", in: workload, count: 100_000),
                .peakMemory(atMost: 2, timesPayloadOf: "first import", in: workload, count: 100_000),
                .atMost(
                    shape == .flat ? 0.1 : 0.04, times: "first import", "the same again", in: workload,
                    count: 100_000),
                .atMost(0.2, times: "first import", "1 % changed", in: workload, count: 100_000),
            ]
        } + [.atMost(2, times: "rows read, and bytes written", "exportJSON", in: export, count: 100_000)]
        + streamTargets + formTargets
}
