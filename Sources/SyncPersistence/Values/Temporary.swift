extension Value: Codable {
    public func encode(to encoder: any Encoder) throws { fatalError() }
    public init(from decoder: any Decoder) throws { fatalError() }
}
