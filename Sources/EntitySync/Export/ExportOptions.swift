public import SyncPersistence

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The properties of records to export, and their form.
///
/// ```swift
/// var options = ExportOptions(relationships: .ids, names: .camelCase)
/// options.properties["User"] = ["id", "firstName", "company"]
/// let users = try await store.export("User", options: options)
/// ```
public struct ExportOptions: Sendable {
    /// The form of the records that relationships lead to.
    public var relationships: RelationshipStyle

    /// The style of the keys of attributes and relationships without a remote key.
    public var names: NameStyle

    /// The form of dates.
    public var dates: DateStyle

    /// Whether attributes and relationships that are not exportable are exported as well.
    public var includesNonExportable = false

    /// The names of the attributes and relationships to write, by entity.
    ///
    /// An entity that is not listed uses the names of the nearest entity that it inherits from. If there are none, all
    /// properties are written.
    public var properties: [String: Set<String>] = [:]

    /// The number of relationships that are followed in a row; nil for no limit.
    ///
    /// At 1, only the relationships of the query's records are followed.
    public var depthLimit: Int?

    /// Whether the records of the query are members of one object instead of elements of an array.
    ///
    /// Each is named by the value of the attribute with `sync.isMapKey` in its `userInfo`. A record without that value,
    /// or with the value of another record, is an error. An export of one record, or as a type of the app, never writes
    /// a map.
    public var writesMap = false

    /// Whether an object has null for each to-one relationship without a target.
    ///
    /// By default, the relationship is omitted, and a reader that has the record keeps its link. The style
    /// ``RelationshipStyle/nested`` always omits it: Rails accepts no null there. A link to a record that the store
    /// does not have is never null.
    public var writesNullTargets = false

    /// The references of an exported record that are null without a target, although ``writesNullTargets`` is false.
    ///
    /// Nested records omit them.
    package var nullTargets: Set<String> = []

    /// Whether a relationship is written that ``properties`` neither names nor excludes.
    package var includesRelationship: @Sendable (ShapeRelationship) -> Bool = { _ in true }

    /// The transformers that convert values of attributes to those of the remote, by the attributes' transformer names.
    ///
    /// An attribute whose transformer is missing is written by its type.
    public var transformers: [String: AttributeTransformer] = [:]

    /// Creates options.
    ///
    /// - Parameters:
    ///   - relationships: The form of the records that relationships lead to.
    ///   - names: The style of the keys.
    ///   - dates: The form of dates.
    public init(
        relationships: RelationshipStyle = .array, names: NameStyle = .snakeCase, dates: DateStyle = .internetText
    ) {
        self.relationships = relationships
        self.names = names
        self.dates = dates
    }
}

extension ExportOptions {
    /// The forms of the records that relationships lead to.
    public enum RelationshipStyle: Hashable, Sendable, CaseIterable {
        /// Objects and arrays of objects: `"notes": [{"id": 1}]`.
        case array
        /// The form of Rails: `"notes_attributes": {"0": {"id": 1}}`, with `_destroy` for an attribute `destroy`.
        case nested
        /// Keys: `"company_id": 7` and `"notes_ids": [1, 2]`.
        ///
        /// Records whose keys have several parts are objects of these parts, under the same keys as for ``array``.
        case ids
        /// No relationships.
        case none
    }

    /// The styles of keys.
    public enum NameStyle: Hashable, Sendable, CaseIterable {
        /// `firstName` becomes `first_name`.
        case snakeCase
        /// Names are written unchanged.
        case camelCase
    }

    /// The forms of dates.
    public enum DateStyle: Sendable {
        /// RFC 3339 text in UTC, with as many fractional digits as distinguish the date from others.
        case internetText
        /// The result of a function.
        case custom(@Sendable (Date) -> Value)
    }
}
