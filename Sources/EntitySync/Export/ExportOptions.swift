public import SyncPersistence

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What is exported of records, and in which form.
///
/// ```swift
/// var options = ExportOptions(relationships: .ids, names: .camelCase)
/// options.properties["User"] = ["id", "firstName", "company"]
/// let users = try await store.export("User", options: options)
/// ```
public struct ExportOptions: Sendable {
    /// How the records that relationships lead to are written.
    public var relationships: RelationshipStyle

    /// How the names of attributes and relationships without a remote key become keys.
    public var names: NameStyle

    /// How dates are written.
    public var dates: DateStyle

    /// Whether attributes and relationships that are not exportable are written all the same.
    public var includesNonExportable = false

    /// The names of the attributes and relationships that are written, by entity.
    ///
    /// What an entity is not named for counts by the nearest that it inherits; if there is none, all are written.
    public var properties: [String: Set<String>] = [:]

    /// How many relationships are followed one after the other, or nil for all; at 1, only those of the records that were
    /// asked for.
    public var depthLimit: Int?

    /// Whether the records that are asked for stand in one object, each under the value of the attribute that has
    /// `sync.isMapKey` in its `userInfo`, instead of in an array.
    ///
    /// A record without that value, or with the value of another, is an error. An export of one record, and one as a type
    /// of an app's own, have no map.
    public var writesMap = false

    /// What makes a remote's values of those of attributes, by the names that attributes have for it.
    ///
    /// An attribute whose transformer is not here is written as its type has it.
    public var transformers: [String: AttributeTransformer] = [:]

    /// Options.
    ///
    /// - Parameters:
    ///   - relationships: How the records that relationships lead to are written.
    ///   - names: How names become keys.
    ///   - dates: How dates are written.
    public init(
        relationships: RelationshipStyle = .array, names: NameStyle = .snakeCase, dates: DateStyle = .internetText
    ) {
        self.relationships = relationships
        self.names = names
        self.dates = dates
    }
}

extension ExportOptions {
    /// How the records that relationships lead to are written.
    public enum RelationshipStyle: Hashable, Sendable, CaseIterable {
        /// As objects and arrays of objects: `"notes": [{"id": 1}]`.
        case array
        /// As Rails takes them in: `"notes_attributes": {"0": {"id": 1}}`, with `_destroy` for an attribute `destroy`.
        case nested
        /// As keys: `"company_id": 7` and `"notes_ids": [1, 2]`.
        ///
        /// Records whose keys have several parts are objects of these, under the same keys as for ``array``.
        case ids
        /// Not at all.
        case none
    }

    /// How names become keys.
    public enum NameStyle: Hashable, Sendable, CaseIterable {
        /// `firstName` becomes `first_name`.
        case snakeCase
        /// Names are written as they are.
        case camelCase
    }

    /// How dates are written.
    public enum DateStyle: Sendable {
        /// As RFC 3339 has it, in UTC, with as many digits of a fraction as tell it from other dates.
        case internetText
        /// As a function has it.
        case custom(@Sendable (Date) -> Value)
    }
}
