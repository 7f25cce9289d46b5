import Foundation

/// The seed in `DIFFSYNC_SEED`, which replays a failed run; nil if it is not set.
package let environmentSeed = ProcessInfo.processInfo.environment["DIFFSYNC_SEED"].flatMap { UInt64($0) }

/// Returns how many damaged inputs a test makes: the number in `DIFFSYNC_FUZZ`, or the given one.
package func fuzzCount(_ count: Int) -> Int {
    ProcessInfo.processInfo.environment["DIFFSYNC_FUZZ"].flatMap { Int($0) } ?? count
}
