import AllocationCounter

/// One way to do the job of a line.
package struct Contestant {
    /// What a contestant is to the others of its line.
    package enum Role: String, Sendable, Codable {
        /// The least that any algorithm has to do.
        case bound
        /// This library.
        case ours
        /// Another way to do the same job.
        case peer
    }

    package let name: String
    package let role: Role

    /// Does the job once; returns the seconds it took, and a summary of the result by which contestants are compared.
    let run: (_ meter: inout Meter) -> Double
    let summarize: () -> String
    let count: () -> [Tally]

    /// - Parameters:
    ///   - prepare: What is done before each run, and not timed.
    ///   - summary: The result in a line of text, the same for all contestants of a line that do the whole job; empty
    ///     for others.
    ///   - counting: Runs the job once more and counts; nothing unless given.
    ///   - job: What is timed. Its result is released after the clock has stopped.
    package init<Result>(
        _ name: String, _ role: Role, prepare: @escaping () -> Void = {},
        summary: @escaping (Result) -> String = { _ in "" }, counting: @escaping () -> [Tally] = { [] },
        _ job: @escaping () -> Result
    ) {
        self.name = name
        self.role = role
        count = counting
        run = { meter in
            prepare()
            meter.start()
            let clock = ContinuousClock()
            let start = clock.now
            let result = job()
            let duration = start.duration(to: clock.now)
            meter.finish()
            withExtendedLifetime(result) {}
            return Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
        }
        summarize = {
            prepare()
            return summary(job())
        }
    }
}

extension Contestant {
    private init(_ name: String, _ role: Role, measure: @escaping () -> Double) {
        self.name = name
        self.role = role
        run = { _ in measure() }
        summarize = { "" }
        count = { [] }
    }

    /// A contestant of a line that measures bytes: a nanosecond stands for a byte.
    package static func bytes(_ name: String, _ role: Role, _ count: @escaping () -> Int) -> Contestant {
        Contestant(name, role, measure: { Double(count()) * 1e-9 })
    }
}

/// Reads the memory meter while a result is still held.
struct Meter {
    let counts: Bool
    private(set) var extraPeakBytes: Int?
    private(set) var peakBytes: Int?

    init(counts: Bool) {
        self.counts = counts && allocation_counter_is_supported()
    }

    func start() {
        if counts { allocation_counter_start() }
    }

    mutating func finish() {
        guard counts else { return }
        peakBytes = Int(allocation_counter_peak_bytes())
        extraPeakBytes = Int(allocation_counter_peak_bytes() - allocation_counter_live_bytes())
        allocation_counter_stop()
    }
}

/// What was measured of one contestant of one line.
package struct Row: Codable, Sendable {
    package let suite: String
    package let workload: String
    package let count: Int
    package let contestant: String
    package let role: Contestant.Role

    /// The median time, divided by the number of elements (or by one, for lines that are measured as a whole).
    package let nanoseconds: Double

    /// The peak of memory beyond what was there before and what the result holds, divided likewise; nil where it cannot
    /// be counted.
    package let extraPeakBytes: Double?

    /// The same with what the result holds.
    package let peakBytes: Double?
    package let rounds: Int

    /// By what time and memory are divided.
    package let divisor: Int

    /// How large the text is that is read, for lines that read one.
    package let payloadBytes: Int?

    /// What was counted in one more run.
    package let tallies: [Tally]
}

extension Row {
    /// The peak of memory with what the result holds, as a ratio to the payload's bytes.
    package var peakByPayload: Double? {
        guard let peakBytes, let payloadBytes else { return nil }
        return peakBytes * Double(divisor) / Double(payloadBytes)
    }
}

/// A line of a suite: contestants that do one job.
package struct Line {
    let suite: String
    let workload: String
    let count: Int
    let divisor: Int
    let payloadBytes: Int?
    let rounds: Int?
    let contestants: [Contestant]

    /// - Parameters:
    ///   - divisor: By how many elements a time is divided; `count` unless given.
    ///   - payloadBytes: How large the text is that is read; peaks of memory are compared with it.
    ///   - rounds: How often each contestant runs, unless the command line says.
    package init(
        suite: String, workload: String, count: Int, divisor: Int? = nil, payloadBytes: Int? = nil, rounds: Int? = nil,
        contestants: [Contestant]
    ) {
        self.suite = suite
        self.workload = workload
        self.count = count
        self.divisor = divisor ?? count
        self.payloadBytes = payloadBytes
        self.rounds = rounds
        self.contestants = contestants
    }

    /// Runs the contestants in turn, several rounds, and takes the median of each.
    ///
    /// One round more, which is not timed, warms everything up and measures memory.
    func measure(rounds: Int?, progress: (String) -> Void) -> [Row] {
        var summaries: [(String, String)] = []
        for contestant in contestants {
            let summary = contestant.summarize()
            if !summary.isEmpty { summaries.append((contestant.name, summary)) }
        }
        if let first = summaries.first {
            for other in summaries where other.1 != first.1 {
                fatalError("\(workload), n = \(count): '\(first.0)' finds \(first.1), '\(other.0)' finds \(other.1)")
            }
        }
        var memory: [Meter] = []
        var longest = 0.0
        for contestant in contestants {
            var meter = Meter(counts: true)
            longest = max(longest, contestant.run(&meter))
            memory.append(meter)
        }
        let rounds = rounds ?? self.rounds ?? max(5, min(101, Int(1.0 / max(longest, 1e-6)) | 1))
        var times: [[Double]] = contestants.map { _ in [] }
        for round in 1...rounds {
            progress("round \(round) of \(rounds)")
            for (index, contestant) in contestants.enumerated() {
                var meter = Meter(counts: false)
                times[index].append(contestant.run(&meter))
            }
        }
        return contestants.indices.map { index in
            Row(
                suite: suite, workload: workload, count: count, contestant: contestants[index].name,
                role: contestants[index].role,
                nanoseconds: times[index].sorted()[rounds / 2] * 1e9 / Double(divisor),
                extraPeakBytes: memory[index].extraPeakBytes.map { Double($0) / Double(divisor) },
                peakBytes: memory[index].peakBytes.map { Double($0) / Double(divisor) }, rounds: rounds,
                divisor: divisor, payloadBytes: payloadBytes, tallies: contestants[index].count())
        }
    }
}

/// Ends the program on an error that the workloads do not bring about.
package func unfailing<Value>(_ body: () throws -> Value) -> Value {
    do { return try body() } catch { fatalError("\(error)") }
}
