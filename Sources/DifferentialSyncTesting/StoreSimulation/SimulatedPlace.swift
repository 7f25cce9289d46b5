/// The place of a store in a simulation.
enum SimulatedPlace: Hashable, Sendable {
    /// The store of the account.
    case service
    /// The store of a device, by its number.
    case device(Int)

    /// The first device, if it is the service of others.
    static let relay = SimulatedPlace.device(0)
}
