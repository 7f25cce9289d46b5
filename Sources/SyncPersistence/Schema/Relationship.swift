/// A named connection of an entity's records to those of another, or of the same.
///
/// ```swift
/// Relationship("author", to: "User", inverse: "posts")
/// Relationship("posts", toMany: "Post", inverse: "author", deleteRule: .cascade)
/// ```
public struct Relationship: Hashable, Sendable {
    /// The name, unique among the properties of its entity.
    public var name: String

    /// The entity of the records at the other end.
    public var destination: String

    /// Whether a record may be connected to several.
    public var isToMany: Bool

    /// Whether those have an order.
    public var isOrdered: Bool

    /// The relationship of the destination that leads back.
    public var inverse: String?

    /// What becomes of the records at the other end when a record of this end is deleted.
    public var deleteRule: DeleteRule

    /// Whether it may lead nowhere.
    public var isOptional: Bool

    /// What it is called at a remote, where that differs from ``name``.
    public var remoteKey: String?

    /// Whether it is written when records are exported.
    public var isExportable: Bool

    /// What else is noted of it.
    public var userInfo: [String: String]

    /// Its name in an older schema, so that what is stored under it is kept; it may stand here for good.
    public var renamedFrom: String?

    /// A relationship to one record.
    ///
    /// - Parameters:
    ///   - name: The name, unique among the properties of its entity.
    ///   - destination: The entity of the record at the other end.
    ///   - inverse: The relationship of the destination that leads back.
    ///   - deleteRule: What becomes of the record at the other end when one of this end is deleted.
    ///   - isOptional: Whether it may lead nowhere.
    ///   - remoteKey: What it is called at a remote.
    ///   - isExportable: Whether it is written when records are exported.
    ///   - userInfo: What else is noted of it.
    ///   - renamedFrom: Its name in an older schema.
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

    /// A relationship to any number of records.
    ///
    /// - Parameters:
    ///   - name: The name, unique among the properties of its entity.
    ///   - destination: The entity of the records at the other end.
    ///   - isOrdered: Whether they have an order.
    ///   - inverse: The relationship of the destination that leads back.
    ///   - deleteRule: What becomes of the records at the other end when one of this end is deleted.
    ///   - remoteKey: What it is called at a remote.
    ///   - isExportable: Whether it is written when records are exported.
    ///   - userInfo: What else is noted of it.
    ///   - renamedFrom: Its name in an older schema.
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

/// What becomes of the records at the other end of a relationship when a record is deleted.
public enum DeleteRule: String, Hashable, Sendable, Codable, CaseIterable {
    /// They stay, unconnected.
    case nullify
    /// They are deleted too.
    case cascade
    /// The record is not deleted as long as there are any.
    case deny
    /// They stay as they are, and name a record that is not there.
    case noAction
}
