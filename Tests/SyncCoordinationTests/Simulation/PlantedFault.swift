/// A fault of the driver of coordinators, with which tests show that the simulation finds such faults.
enum PlantedFault: String, CaseIterable, Sendable {
    /// Commits and notifications are lost during a cycle.
    case losesWakeUps
    /// Each edit requests a cycle at once, whatever the wait.
    case typingEndsWaits
    /// A stop does not wait for the cycle in progress, and the next start begins another.
    case stopsWithoutWaiting
    /// There is no timer for the next cycle after a failure.
    case forgotRetries
    /// The commits of cycles are not reported, and so are taken for those of others.
    case forgetsOwnCommits
    /// The result of a renewal never arrives.
    case losesRenewals
}
