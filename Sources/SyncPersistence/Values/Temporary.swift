extension Value: Codable {
    public func encode(to encoder: any Encoder) throws { var c = encoder.singleValueContainer(); try c.encodeNil() }
    public init(from decoder: any Decoder) throws { self = .null }
}
extension Value {
    package var taggedJSON: String { "\(self)" }
    package init(taggedJSON: String) throws { self = .string(taggedJSON) }
}
