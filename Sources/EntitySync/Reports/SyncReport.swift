public import SyncPersistence

/// An object or value of a payload that could not be used: where it stands, what was expected, and what was found.
///
/// The rest of the payload is applied; what the report speaks of is as it was before.
///
/// ```swift
/// let result = try await store.sync(#"[{"id": 7, "age": "old"}]"#, into: "User")
/// result.reports.first?.path  // "[0].age"
/// result.reports.first?.kind  // .unconvertible
/// ```
public struct SyncReport: Hashable, Sendable {
    /// What kind of report it is.
    public let kind: Kind

    /// Where it stands in the payload, such as `[3].notes[1].created_at`; objects of an array are counted from 0.
    public let path: String

    /// The record that it is about, or nil where there is none.
    public let id: RecordID?

    /// The attribute or relationship that it is about, or nil.
    public let property: String?

    /// What was expected, in words.
    public let expected: String

    /// What was found, in words; of text, its beginning.
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

    /// The kinds of report.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// An element of the payload is no object.
        case noObject
        /// An object has no value of the primary key.
        case noKey
        /// Two objects have one key; the later one counts.
        case duplicateKey
        /// Two names of one object reach one attribute with different values, or one name stands twice.
        case duplicateName
        /// A value cannot be made one of its attribute's type.
        case unconvertible
        /// A mandatory attribute or relationship would have no value.
        case missingValue
        /// What stands under a relationship's name has another form than those that a relationship has.
        case wrongShape
        /// A key names a record that is not there.
        case unknownReference
        /// Two places of the payload say different things of one record or link.
        case contradiction
        /// The object is of another entity than its place allows for.
        case wrongEntity
    }
}

extension SyncReport: CustomStringConvertible {
    /// The place, the record and what it needs: `[3].notes[1].created_at (Note 7): expected a date, found the text "x"`.
    public var description: String {
        var place = path.isEmpty ? "the payload" : path
        if let id { place += " (\(property.map { "\(id).\($0)" } ?? id.description))" }
        return "\(place): expected \(expected), found \(found)"
    }
}
