/// How objects are written in a payload.
public enum SyncFormat: String, Hashable, Sendable, CaseIterable {
    /// An object has its attributes and relationships as members.
    case plain

    /// A document of [JSON:API](https://jsonapi.org): resources in `data` and `included`.
    ///
    /// The resources in `data` are the list that is synced. Those in `included`, and those in `data` that are of another
    /// entity, are stored as well, and delete nothing.
    case jsonAPI
}
