import Foundation

/// The seed that `DIFFSYNC_SEED` names, to replay a failing run.
package let environmentSeed = ProcessInfo.processInfo.environment["DIFFSYNC_SEED"].flatMap { UInt64($0) }
