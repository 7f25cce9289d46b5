import SyncPersistence

extension RunFailure {
    /// Whether the answer of the remote was not of the protocol.
    var isIncompatible: Bool { if case .incompatible = reason { true } else { false } }

    /// Returns the delays after the failure; nil if only an action of the app can help.
    func schedule(_ settings: CoordinatorSettings) -> RetrySchedule? {
        switch reason {
        case .throttled: settings.throttledRetries
        case .offline, .unavailable, .postponed, .timedOut, .other: settings.retries
        case .store(let error): error.code == .closed ? nil : settings.retries
        case .incompatible: settings.incompatibleRetries
        case .busy: settings.busyRetries
        case .unauthorized, .gone, .mismatch: nil
        }
    }
}
