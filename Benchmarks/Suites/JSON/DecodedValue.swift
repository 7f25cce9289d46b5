/// A value as one writes it for `JSONDecoder`.
enum DecodedValue: Decodable {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    case array([DecodedValue])
    case object([String: DecodedValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // What is frequent comes first, as each attempt that fails costs an error.
        if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode([String: DecodedValue].self) {
            self = .object(value)
        } else {
            self = .array(try container.decode([DecodedValue].self))
        }
    }
}
