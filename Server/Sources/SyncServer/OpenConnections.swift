import HummingbirdCore
import ServerCore
import Synchronization

/// The number of open connections, within its limit.
final class OpenConnections: AvailableConnectionsDelegate {
    private let limits: Settings.Limits
    private let count = Mutex(0)

    init(_ limits: Settings.Limits) { self.limits = limits }

    /// Whether more connections are open than requests that wait for a change may use.
    var areScarce: Bool { count.withLock { $0 } > limits.waits }

    func connectionOpened() { count.withLock { $0 += 1 } }

    func connectionClosed() { count.withLock { $0 -= 1 } }

    func isAcceptingNewConnections() -> Bool { count.withLock { $0 } < limits.connections }
}
