/// A named connection of an entity's records to those of another entity, or of the same one.
///
/// ```swift
/// Relationship("author", to: "User", inverse: "posts")
/// Relationship("posts", toMany: "Post", inverse: "author", deleteRule: .cascade)
/// ```
public struct Relationship: Hashable, Sendable {
    /// The name, unique among the properties of its entity.
    public var name: String

    /// The name of the entity of the records at the other end.
    public var destination: String

    /// Whether a record may be connected to several records.
    public var isToMany: Bool

    /// Whether the connected records have an order.
    ///
    /// A record that is connected from its own end is the last one. Those that several devices have added at the same
    /// place are in the order of their keys.
    public var isOrdered: Bool

    /// The name of the destination's relationship that leads back.
    public var inverse: String?

    /// The effect on the records at the other end when a record at this end is deleted.
    public var deleteRule: DeleteRule

    /// Whether it may lead to no record.
    public var isOptional: Bool

    /// The name at the remote, if it differs from ``name``.
    public var remoteKey: String?

    /// Whether it is written when records are exported.
    public var isExportable: Bool

    /// Additional information about the relationship.
    public var userInfo: [String: String]

    /// The name in an older schema.
    ///
    /// Connections that are stored under it are kept. The hint may remain permanently.
    public var renamedFrom: String?

    /// Creates a relationship to one record.
    ///
    /// - Parameters:
    ///   - name: The name, unique among the properties of its entity.
    ///   - destination: The name of the entity of the record at the other end.
    ///   - inverse: The name of the destination's relationship that leads back.
    ///   - deleteRule: The effect on the record at the other end when one at this end is deleted.
    ///   - isOptional: Whether it may lead to no record.
    ///   - remoteKey: The name at the remote.
    ///   - isExportable: Whether it is written when records are exported.
    ///   - userInfo: Additional information about the relationship.
    ///   - renamedFrom: The name in an older schema.
    public init(
        _ name: String, to destination: String, inverse: String? = nil, deleteRule: DeleteRule = .nullify,
        isOptional: Bool = true, remoteKey: String? = nil, isExportable: Bool = true, userInfo: [String: String] = [:],
        renamedFrom: String? = nil
    ) {
        self.name = name
        self.destination = destination
        isToMany = false
        isOrdered = false
        self.inverse = inverse
        self.deleteRule = deleteRule
        self.isOptional = isOptional
        self.remoteKey = remoteKey
        self.isExportable = isExportable
        self.userInfo = userInfo
        self.renamedFrom = renamedFrom
    }

    /// Creates a relationship to any number of records.
    ///
    /// - Parameters:
    ///   - name: The name, unique among the properties of its entity.
    ///   - destination: The name of the entity of the records at the other end.
    ///   - isOrdered: Whether the connected records have an order.
    ///   - inverse: The name of the destination's relationship that leads back.
    ///   - deleteRule: The effect on the records at the other end when one at this end is deleted.
    ///   - remoteKey: The name at the remote.
    ///   - isExportable: Whether it is written when records are exported.
    ///   - userInfo: Additional information about the relationship.
    ///   - renamedFrom: The name in an older schema.
    public init(
        _ name: String, toMany destination: String, isOrdered: Bool = false, inverse: String? = nil,
        deleteRule: DeleteRule = .nullify, remoteKey: String? = nil, isExportable: Bool = true,
        userInfo: [String: String] = [:], renamedFrom: String? = nil
    ) {
        self.name = name
        self.destination = destination
        isToMany = true
        self.isOrdered = isOrdered
        self.inverse = inverse
        self.deleteRule = deleteRule
        isOptional = true
        self.remoteKey = remoteKey
        self.isExportable = isExportable
        self.userInfo = userInfo
        self.renamedFrom = renamedFrom
    }
}

/// The effect of a record's deletion on the records at the other end of a relationship.
public enum DeleteRule: String, Hashable, Sendable, Codable, CaseIterable {
    /// They are kept and disconnected.
    case nullify
    /// They are deleted too.
    case cascade
    /// The record is not deleted while there are any.
    case deny
    /// They are kept unchanged, and refer to a record that does not exist.
    case noAction
}
