/// The scopes in which a cycle introduces itself, one after another.
///
/// The service accepts changes of a record only in a scope that has it. And only in the former scope the device learns
/// that the service was restored from a backup, and has lost records. So the device first finishes the former scope:
///
/// 1. It introduces itself with the former scope, and sends the changes that it has made there.
/// 2. It introduces itself with the new scope, and compares all records.
/// 3. If a record that the new scope lacks was changed meanwhile, it goes back to step 1.
struct ScopeRoute: Sendable {
    /// The scope of the current handshake; nil for all records.
    private(set) var current: String?

    /// The cycle's own scope, where the route ends.
    private let destination: String?

    /// The number of times that the cycle has gone back to the former scope, to send changes that were made meanwhile.
    private var returns = 0

    private let maximumReturns: Int

    /// The former scope that the service has refused in this cycle; nil if it has refused none.
    ///
    /// The service may also have refused the request because of its token, which cannot be distinguished.
    private var refused: DeviceState.FormerScope?

    init(to scope: String?, maximumReturns: Int) {
        (current, destination, self.maximumReturns) = (scope, scope, maximumReturns)
    }

    /// Whether the remote may have records outside the current scope.
    var isScoped: Bool { current != nil }

    /// Whether the current scope is the cycle's own.
    var isAtDestination: Bool { current == destination }

    /// Whether the cycle has gone back as often as it may.
    var returnsAreUsedUp: Bool { returns == maximumReturns }

    /// Whether the current scope is another than that of the last handshake, whose changes, if any, are sent first.
    func leavesScope(of state: DeviceState) -> Bool {
        current != state.scope && refused != DeviceState.FormerScope(name: state.scope)
            && state.former != DeviceState.FormerScope(name: current)
    }

    /// Whether a comparison has a former scope, not refused by the service, to which changes may have to go back.
    func hasFormerScope(_ state: DeviceState) -> Bool { state.former != nil && state.former != refused }

    /// Begins in the scope of the last handshake.
    ///
    /// The device has made its local changes in that scope. Only there can it detect that the service has another
    /// history.
    mutating func begin(_ state: DeviceState) { if state.cursor != nil { current = state.scope } }

    /// Continues in the cycle's own scope.
    mutating func enterDestination() { current = destination }

    /// Continues in the cycle's own scope, because the former one no longer exists.
    mutating func refuseFormer() { (current, refused) = (destination, DeviceState.FormerScope(name: current)) }

    /// Goes back to a former scope; returns false if the cycle has gone back too often.
    mutating func goBack(to scope: String?) -> Bool {
        if returnsAreUsedUp { return false }
        (current, returns) = (scope, returns + 1)
        return true
    }
}
