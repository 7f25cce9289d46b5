import AllocationCounter

extension Target {
    /// A contestant needs at most so many bytes for an element beyond its result.
    package static func memory(atMost limit: Double, _ contestant: String, in workload: String, count: Int) -> Target {
        Target(
            text: "\(workload), n = \(grouped(count)): \(contestant) ≤ \(fixed(limit, 2)) B/element beyond the result",
            limit: limit, isUpperLimit: true, isMeasurable: allocation_counter_is_supported()
        ) { rows in
            row(contestant, in: workload, count: count, rows)?.extraPeakBytes
        }
    }

    /// A contestant's peak of memory, with its result, is at most so many bytes beyond the caches of its stores.
    ///
    /// - Parameter caches: The size of the caches, which the contestant fills.
    package static func peakMemory(
        atMost limit: Double, beyondCachesOf caches: Double, _ contestant: String, in workload: String, count: Int
    ) -> Target {
        Target(
            text: "\(workload), n = \(grouped(count)): peak of \(contestant) ≤ \(fixed(limit / 1e6, 0)) MB "
                + "beyond the stores' caches of \(fixed(caches / 1e6, 0)) MB, in bytes",
            limit: limit, isUpperLimit: true, isMeasurable: allocation_counter_is_supported()
        ) { rows in
            row(contestant, in: workload, count: count, rows).flatMap { row in
                row.peakBytes.map { $0 * Double(row.divisor) - caches }
            }
        }
    }

    /// A contestant's peak of memory, with its result, is at most so many times that of another.
    package static func peakMemory(
        atMost limit: Double, times other: String, _ contestant: String, in workload: String, count: Int
    ) -> Target {
        Target(
            text: "\(workload), n = \(grouped(count)): peak of \(contestant) ≤ \(fixed(limit, 2)) × that of \(other)",
            limit: limit, isUpperLimit: true, isMeasurable: allocation_counter_is_supported()
        ) { rows in
            guard let first = row(contestant, in: workload, count: count, rows)?.peakBytes,
                let second = row(other, in: workload, count: count, rows)?.peakBytes
            else { return nil }
            return first / second
        }
    }

    /// A contestant's peak of memory, with its result, is at most so many times the bytes of its payload.
    package static func peakMemory(
        atMost limit: Double, timesPayloadOf contestant: String, in workload: String, count: Int
    ) -> Target {
        Target(
            text: "\(workload), n = \(grouped(count)): peak of \(contestant) ≤ \(fixed(limit, 2)) × its payload",
            limit: limit, isUpperLimit: true, isMeasurable: allocation_counter_is_supported()
        ) { rows in
            row(contestant, in: workload, count: count, rows)?.peakByPayload
        }
    }

    /// A contestant's peak of memory, with its result, is at most so many times that of another workload.
    package static func peakMemory(
        atMost limit: Double, _ contestant: String, in workload: String, count: Int,
        timesThatIn other: String, count otherCount: Int
    ) -> Target {
        let (place, otherPlace) = (
            "\(workload), n = \(grouped(count))", "\(other), n = \(grouped(otherCount))"
        )
        return Target(
            text: "\(place): peak of \(contestant) ≤ \(fixed(limit, 2)) × that in \(otherPlace)",
            limit: limit, isUpperLimit: true, isMeasurable: allocation_counter_is_supported()
        ) { rows in
            guard let row = row(contestant, in: workload, count: count, rows), let peak = row.peakBytes,
                let otherRow = Target.row(contestant, in: other, count: otherCount, rows),
                let otherPeak = otherRow.peakBytes
            else { return nil }
            return peak * Double(row.divisor) / (otherPeak * Double(otherRow.divisor))
        }
    }
}
