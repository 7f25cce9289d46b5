public import SyncPersistence

/// An object or value of a payload that could not be used: its place, what was expected, and what was found.
///
/// The rest of the payload is applied. A value that cannot be used changes nothing.
///
/// ```swift
/// let result = try await store.sync(#"[{"id": 7, "age": "old"}]"#, into: "User")
/// result.reports.first?.path  // "[0].age"
/// result.reports.first?.kind  // .unconvertible
/// ```
public struct SyncReport: Hashable, Sendable {
    /// The kind of the report.
    public let kind: Kind

    /// The path in the payload, such as `[3].notes[1].created_at`.
    ///
    /// Indices begin at 0.
    public let path: String

    /// The record that the report is about; nil if there is none.
    public let id: RecordID?

    /// The attribute or relationship that the report is about; nil if there is none.
    public let property: String?

    /// A description of what was expected.
    public let expected: String

    /// A description of what was found; for text, its beginning.
    public let found: String

    init(
        _ kind: Kind, at path: String, of id: RecordID? = nil, _ property: String? = nil, expected: String,
        found: String
    ) {
        self.kind = kind
        self.path = path
        self.id = id
        self.property = property
        self.expected = expected
        self.found = found
    }

    /// The kinds of reports.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// An element of the payload is not an object.
        case noObject
        /// An object has no value of the primary key.
        case noKey
        /// Two objects have the same key.
        ///
        /// The later one counts.
        case duplicateKey
        /// Two names of an object match one attribute with different values, or an object has the same name twice.
        case duplicateName
        /// A value cannot be converted to the type of its attribute.
        case unconvertible
        /// A mandatory attribute or relationship would have no value.
        case missingValue
        /// The value of a relationship has a wrong form, such as text instead of a list of objects.
        case wrongShape
        /// A key identifies no existing record.
        case unknownReference
        /// Two places of the payload contradict each other about a record or link.
        case contradiction
        /// The entity of an object is not allowed at its place.
        case wrongEntity
    }
}

extension SyncReport: CustomStringConvertible {
    /// The path, the record, and the problem: `[3].notes[1].created_at (Note 7): expected a date, found the text "x"`.
    public var description: String {
        var place = path.isEmpty ? "the payload" : path
        if let id { place += " (\(property.map { "\(id).\($0)" } ?? id.description))" }
        return "\(place): expected \(expected), found \(found)"
    }
}
