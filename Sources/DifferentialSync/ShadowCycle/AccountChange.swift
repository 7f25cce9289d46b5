/// The choices for a ``SyncCycle`` whose remote belongs to another account than the collection.
///
/// A collection belongs to the account of the first cycle that began with one.
public enum AccountChange: Hashable, Sendable, Codable {
    /// The cycle throws a ``CycleError`` with the code ``CycleError/Code/otherAccount``, and changes nothing.
    case refuse
    /// The cycle is a first contact with the new account: the elements of both sides are kept.
    ///
    /// All local elements are pushed to the new account. A record that both sides have with different values is a
    /// conflict.
    case merge
    /// The elements of the new account replace those of the collection.
    ///
    /// - Warning: Local changes that the old account has not received are lost.
    case replace
}
