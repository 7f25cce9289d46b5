#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A named value of an entity's records.
///
/// ```swift
/// Attribute("id", .integer, isPrimaryKey: true)
/// Attribute("title", .string, isOptional: false, default: "untitled")
/// ```
public struct Attribute: Hashable, Sendable {
    /// The name, unique among the properties of its entity.
    public var name: String

    /// The type of its values.
    public var type: AttributeType

    /// Whether it may be null; an attribute of the primary key may not.
    public var isOptional: Bool

    /// The value in a new record if none is given.
    public var defaultValue: Value

    /// Whether it is the primary key, or a part of it in the order of the attributes.
    public var isPrimaryKey: Bool

    /// Whether a store keeps an index of it, so that filters by it need not read every record.
    public var isIndexed: Bool

    /// The name at the remote, if it differs from ``name``.
    public var remoteKey: String?

    /// Whether it is written when records are exported.
    public var isExportable: Bool

    /// The name of the transformer between its values and those of the remote; nil if its type determines the
    /// conversion.
    public var transformer: String?

    /// Additional information about the attribute.
    public var userInfo: [String: String]

    /// The name in an older schema.
    ///
    /// Values that are stored under it are kept. The hint may remain permanently.
    public var renamedFrom: String?

    /// Creates an attribute.
    ///
    /// - Parameters:
    ///   - name: The name, unique among the properties of its entity.
    ///   - type: The type of its values.
    ///   - isOptional: Whether it may be null.
    ///   - defaultValue: The value in a new record if none is given.
    ///   - isPrimaryKey: Whether it is the primary key, or a part of it.
    ///   - isIndexed: Whether a store keeps an index of it.
    ///   - remoteKey: The name at the remote.
    ///   - isExportable: Whether it is written when records are exported.
    ///   - transformer: The name of the transformer between its values and those of the remote.
    ///   - userInfo: Additional information about the attribute.
    ///   - renamedFrom: The name in an older schema.
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

/// The type of an attribute's values.
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
    /// A JSON value of any kind, with arrays and objects nested at most 512 levels deep.
    case json

    /// Whether a value is of this type; null is of every type.
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
    /// How many levels of arrays and objects a JSON reader accepts by default.
    package static let maximumJSONDepth = JSONOptions().depthLimit

    /// Whether JSON has a form for the value that is read back unchanged, with at most `depth` levels of arrays and
    /// objects.
    func isJSON(depth: Int = maximumJSONDepth) -> Bool {
        switch self {
        case .null, .bool, .integer, .string: true
        case .double(let number): number.isFinite
        case .array(let elements): depth > 0 && elements.allSatisfy { $0.isJSON(depth: depth - 1) }
        case .object(let object): depth > 0 && object.values.allSatisfy { $0.isJSON(depth: depth - 1) }
        case .decimal, .bytes, .date, .uuid, .url: false
        }
    }

    /// Whether there are more than `depth` levels of arrays and objects.
    package func isDeeper(than depth: Int = maximumJSONDepth) -> Bool {
        switch self {
        case .array(let elements): depth == 0 || elements.contains { $0.isDeeper(than: depth - 1) }
        case .object(let object): depth == 0 || object.values.contains { $0.isDeeper(than: depth - 1) }
        default: false
        }
    }
}
