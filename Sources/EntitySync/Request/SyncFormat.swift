/// The form of objects in a payload.
public enum SyncFormat: String, Hashable, Sendable, CaseIterable {
    /// An object has its attributes and relationships as members.
    case plain

    /// A document of [JSON:API](https://jsonapi.org): resources in `data` and `included`.
    ///
    /// For example, this document is synced into `User`, and its included company is stored as well:
    ///
    /// ```
    /// {"data": [{"type": "users", "id": "7", "attributes": {"name": "Ada"},
    ///            "relationships": {"company": {"data": {"type": "companies", "id": "1"}}}}],
    ///  "included": [{"type": "companies", "id": "1", "attributes": {"name": "Analytical Engines"}}]}
    /// ```
    ///
    /// The resources in `data` are the list that is synced. Resources in `included`, and those of another entity in
    /// `data`, are stored as well. They do not delete records.
    case jsonAPI
}
