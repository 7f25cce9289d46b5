extension Value: Codable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(taggedJSON)
    }
    public init(from decoder: any Decoder) throws {
        try self.init(taggedJSON: decoder.singleValueContainer().decode(String.self))
    }
}
