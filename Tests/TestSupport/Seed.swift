import Foundation

/// The seed that `DIFFSYNC_SEED` names, to replay a failing run.
package let environmentSeed = ProcessInfo.processInfo.environment["DIFFSYNC_SEED"].flatMap { UInt64($0) }

/// How many damaged inputs a test makes: so many as `DIFFSYNC_FUZZ` says, or else as many as are given.
package func fuzzCount(_ count: Int) -> Int {
    ProcessInfo.processInfo.environment["DIFFSYNC_FUZZ"].flatMap { Int($0) } ?? count
}
