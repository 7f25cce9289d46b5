extension Schema: Codable {
    /// Encodes the definitions.
    public func encode(to encoder: any Encoder) throws {
        try entities.encode(to: encoder)
    }

    /// Decodes and checks the definitions.
    ///
    /// - Throws: ``SchemaError`` for invalid definitions.
    public init(from decoder: any Decoder) throws {
        try self.init([Entity](from: decoder))
    }
}

// Default values are omitted, and unknown keys are ignored. So older and newer versions of the library can decode each
// other's definitions.

extension Entity: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, parent, isAbstract, attributes, relationships, userInfo, renamedFrom
    }

    /// Encodes the definition without default values.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(parent, forKey: .parent)
        try container.encode(isAbstract, forKey: .isAbstract, unless: false)
        try container.encode(attributes, forKey: .attributes, unless: [])
        try container.encode(relationships, forKey: .relationships, unless: [])
        try container.encode(userInfo, forKey: .userInfo, unless: [:])
        try container.encodeIfPresent(renamedFrom, forKey: .renamedFrom)
    }

    /// Decodes a definition; omitted properties have their default values.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .name),
            parent: try container.decodeIfPresent(String.self, forKey: .parent),
            isAbstract: try container.decode(.isAbstract, or: false),
            attributes: try container.decode(.attributes, or: []),
            relationships: try container.decode(.relationships, or: []),
            userInfo: try container.decode(.userInfo, or: [:]),
            renamedFrom: try container.decodeIfPresent(String.self, forKey: .renamedFrom))
    }
}

extension Attribute: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, type, isOptional, defaultValue, isPrimaryKey, isIndexed, remoteKey, isExportable, transformer
        case userInfo, renamedFrom
    }

    /// Encodes the definition without default values.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(type, forKey: .type)
        try container.encode(isOptional, forKey: .isOptional, unless: !isPrimaryKey)
        try container.encode(defaultValue, forKey: .defaultValue, unless: .null)
        try container.encode(isPrimaryKey, forKey: .isPrimaryKey, unless: false)
        try container.encode(isIndexed, forKey: .isIndexed, unless: false)
        try container.encodeIfPresent(remoteKey, forKey: .remoteKey)
        try container.encode(isExportable, forKey: .isExportable, unless: true)
        try container.encodeIfPresent(transformer, forKey: .transformer)
        try container.encode(userInfo, forKey: .userInfo, unless: [:])
        try container.encodeIfPresent(renamedFrom, forKey: .renamedFrom)
    }

    /// Decodes a definition; omitted properties have their default values.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .name), try container.decode(AttributeType.self, forKey: .type),
            default: try container.decode(.defaultValue, or: .null),
            isPrimaryKey: try container.decode(.isPrimaryKey, or: false),
            isIndexed: try container.decode(.isIndexed, or: false),
            remoteKey: try container.decodeIfPresent(String.self, forKey: .remoteKey),
            isExportable: try container.decode(.isExportable, or: true),
            transformer: try container.decodeIfPresent(String.self, forKey: .transformer),
            userInfo: try container.decode(.userInfo, or: [:]),
            renamedFrom: try container.decodeIfPresent(String.self, forKey: .renamedFrom))
        // Set after the initializer, which would correct it: validation must report an invalid definition.
        isOptional = try container.decode(.isOptional, or: !isPrimaryKey)
    }
}

extension Relationship: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, destination, isToMany, isOrdered, inverse, deleteRule, isOptional, remoteKey, isExportable
        case userInfo, renamedFrom
    }

    /// Encodes the definition without default values.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(destination, forKey: .destination)
        try container.encode(isToMany, forKey: .isToMany, unless: false)
        try container.encode(isOrdered, forKey: .isOrdered, unless: false)
        try container.encodeIfPresent(inverse, forKey: .inverse)
        try container.encode(deleteRule, forKey: .deleteRule, unless: .nullify)
        try container.encode(isOptional, forKey: .isOptional, unless: true)
        try container.encodeIfPresent(remoteKey, forKey: .remoteKey)
        try container.encode(isExportable, forKey: .isExportable, unless: true)
        try container.encode(userInfo, forKey: .userInfo, unless: [:])
        try container.encodeIfPresent(renamedFrom, forKey: .renamedFrom)
    }

    /// Decodes a definition; omitted properties have their default values.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .name),
            to: try container.decode(String.self, forKey: .destination),
            inverse: try container.decodeIfPresent(String.self, forKey: .inverse),
            deleteRule: try container.decode(.deleteRule, or: .nullify),
            isOptional: try container.decode(.isOptional, or: true),
            remoteKey: try container.decodeIfPresent(String.self, forKey: .remoteKey),
            isExportable: try container.decode(.isExportable, or: true),
            userInfo: try container.decode(.userInfo, or: [:]),
            renamedFrom: try container.decodeIfPresent(String.self, forKey: .renamedFrom))
        isToMany = try container.decode(.isToMany, or: false)
        isOrdered = try container.decode(.isOrdered, or: false)
    }
}

extension KeyedEncodingContainer {
    /// Encodes a value, unless it is the usual one, so that files of schemas are short.
    fileprivate mutating func encode<Value: Encodable & Equatable>(
        _ value: Value, forKey key: Key, unless usual: Value
    ) throws {
        if value != usual { try encode(value, forKey: key) }
    }
}

extension KeyedDecodingContainer {
    /// Decodes a value; returns the usual one if the file has none.
    fileprivate func decode<Value: Decodable>(_ key: Key, or usual: Value) throws -> Value {
        try decodeIfPresent(Value.self, forKey: key) ?? usual
    }
}
