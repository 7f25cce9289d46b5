/// One step of a ``SimulationScript``.
///
/// Devices, records and messages are counted from 0. A number that is too large begins again at 0, so that each part of a
/// script is a script. A step that makes no sense in its state has no effect.
public enum SimulationOperation: Hashable, Sendable, Codable {
    /// A user inserts a record of an entity. Its values follow from the number, which no other edit has.
    case insert(device: Int, entity: Int, number: Int)
    /// A user changes an attribute of a record.
    case update(device: Int, record: Int, number: Int)
    /// A user deletes a record.
    case delete(device: Int, record: Int)
    /// A user connects a record with another one by one of its relationships.
    case connect(device: Int, record: Int, relationship: Int, to: Int)
    /// A user disconnects a record from one of those that a relationship leads to.
    case disconnect(device: Int, record: Int, relationship: Int)

    /// A device begins a cycle, unless one is in progress.
    case begin(device: Int)
    /// A message arrives.
    case deliver(message: Int)
    /// A message is lost.
    case lose(message: Int)
    /// A message will arrive twice.
    case duplicate(message: Int)
    /// A device stops waiting for an answer.
    case giveUp(device: Int)
    /// The program on a device ends, and its cycle with it.
    case crash(device: Int)
    /// The store of a device fails at its next commit.
    case fail(device: Int, at: StoreFailure)
    /// The service's store fails at its next commit.
    case failService(at: StoreFailure)

    /// A device's store is copied.
    case backUp(device: Int)
    /// A device's store is replaced by its last copy.
    case restore(device: Int)
    /// A copy of a device's store becomes another device.
    case clone(device: Int)
    /// The service's store is copied.
    case backUpService
    /// The service's store is replaced by its last copy, in a new epoch.
    case restoreService
    /// The service with a number removes all of its tombstones: 0 is the service, and 1 the relay if there is one.
    case prune(service: Int)
    /// The service answers the next requests with `RemoteError.throttled(after:)`.
    case throttle(requests: Int)
    /// The service refuses changes, or accepts them again.
    case refuse(Bool)
    /// A device is signed in to another account, or to its own one again.
    case changeAccount(device: Int, isOther: Bool)
    /// A device synchronizes another scope from its next cycle on: 0 is all records, and 1 the simulator's first scope.
    case changeScope(device: Int, to: Int)
    /// The schema of a device grows.
    case grow(device: Int)
    /// The schema of the service grows.
    case growService

    /// A user resolves one of the conflicts that a device lists.
    case resolve(device: Int, conflict: Int, by: Choice)
    /// A user has a device send its refused changes again.
    case release(device: Int)
    /// A user gives up a change that was refused.
    case discard(device: Int, record: Int)

    /// A user's choice between the versions of a record.
    public enum Choice: String, Hashable, Sendable, Codable, CaseIterable {
        /// The local version.
        case local
        /// The remote's version.
        case remote
    }
}
