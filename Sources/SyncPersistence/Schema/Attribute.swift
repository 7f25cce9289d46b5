#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A named value of an entity.
///
/// ```swift
/// Attribute("id", .integer, isPrimaryKey: true)
/// Attribute("title", .string, isOptional: false, default: "untitled")
/// ```
public struct Attribute: Hashable, Sendable {
    /// The name, unique among the properties of its entity.
    public var name: String

    /// What kind of value it holds.
    public var type: AttributeType

    /// Whether it may be null; an attribute of the primary key never is.
    public var isOptional: Bool

    /// What a new record has where none is given.
    public var defaultValue: Value

    /// Whether it is the primary key, or a part of it in the order of the attributes.
    public var isPrimaryKey: Bool

    /// Whether a store keeps an index of it, so that filters by it need not look at every record.
    public var isIndexed: Bool

    /// What it is called at a remote, where that differs from ``name``.
    public var remoteKey: String?

    /// Whether it is written when records are exported.
    public var isExportable: Bool

    /// The name of what makes its values of a remote's, and a remote's of its own, or nil where its type says it.
    public var transformer: String?

    /// What else is noted of it.
    public var userInfo: [String: String]

    /// Its name in an older schema, so that what is stored under it is kept; it may stand here for good.
    public var renamedFrom: String?

    /// An attribute.
    ///
    /// - Parameters:
    ///   - name: The name, unique among the properties of its entity.
    ///   - type: What kind of value it holds.
    ///   - isOptional: Whether it may be null.
    ///   - defaultValue: What a new record has where none is given.
    ///   - isPrimaryKey: Whether it is the primary key, or a part of it.
    ///   - isIndexed: Whether a store keeps an index of it.
    ///   - remoteKey: What it is called at a remote.
    ///   - isExportable: Whether it is written when records are exported.
    ///   - transformer: The name of what makes its values of a remote's, and back.
    ///   - userInfo: What else is noted of it.
    ///   - renamedFrom: Its name in an older schema.
    public init(
        _ name: String, _ type: AttributeType, isOptional: Bool = true, default defaultValue: Value = .null,
        isPrimaryKey: Bool = false, isIndexed: Bool = false, remoteKey: String? = nil,
        isExportable: Bool = true, transformer: String? = nil, userInfo: [String: String] = [:],
        renamedFrom: String? = nil
    ) {
        self.name = name
        self.type = type
        self.isOptional = isOptional && !isPrimaryKey
        self.defaultValue = defaultValue
        self.isPrimaryKey = isPrimaryKey
        self.isIndexed = isIndexed
        self.remoteKey = remoteKey
        self.isExportable = isExportable
        self.transformer = transformer
        self.userInfo = userInfo
        self.renamedFrom = renamedFrom
    }
}

/// What kind of value an attribute holds.
public enum AttributeType: String, Hashable, Sendable, Codable, CaseIterable {
    /// A truth value.
    case bool
    /// A 64-bit integer.
    case integer
    /// A floating-point number.
    case double
    /// An exact decimal number.
    case decimal
    /// Text.
    case string
    /// Bytes.
    case bytes
    /// A point in time.
    case date
    /// A universally unique identifier.
    case uuid
    /// A uniform resource locator.
    case url
    /// A JSON value of any kind, of arrays and objects at most 512 deep in each other.
    case json

    /// Whether a value is of this kind; null is of each.
    public func admits(_ value: Value) -> Bool {
        switch (self, value) {
        case (_, .null), (.bool, .bool), (.integer, .integer), (.string, .string),
            (.bytes, .bytes), (.uuid, .uuid), (.url, .url):
            true
        case (.double, .double(let number)): !number.isNaN
        case (.decimal, .decimal(let number)): !number.isNaN
        case (.date, .date(let date)): !date.timeIntervalSinceReferenceDate.isNaN
        case (.json, _): value.isJSON()
        default: false
        }
    }
}

extension Value {
    /// How deep arrays and objects may be in each other to be read as they were written.
    package static let maximumJSONDepth = JSONOptions().depthLimit

    /// Whether JSON has a form for it that reads back as the same value, with so many levels of arrays and objects.
    func isJSON(depth: Int = maximumJSONDepth) -> Bool {
        switch self {
        case .null, .bool, .integer, .string: true
        case .double(let number): number.isFinite
        case .array(let elements): depth > 0 && elements.allSatisfy { $0.isJSON(depth: depth - 1) }
        case .object(let object): depth > 0 && object.values.allSatisfy { $0.isJSON(depth: depth - 1) }
        case .decimal, .bytes, .date, .uuid, .url: false
        }
    }

    /// Whether there are more levels of arrays and objects than these.
    package func isDeeper(than depth: Int = maximumJSONDepth) -> Bool {
        switch self {
        case .array(let elements): depth == 0 || elements.contains { $0.isDeeper(than: depth - 1) }
        case .object(let object): depth == 0 || object.values.contains { $0.isDeeper(than: depth - 1) }
        default: false
        }
    }
}
