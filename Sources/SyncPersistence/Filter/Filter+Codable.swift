/// The coded form of a filter, an object for each case:
///
/// - `{"path": "stars", "is": "greater", "value": 3}`
/// - `{"path": "id", "isOneOf": [7, 8]}`
/// - `{"path": "title", "text": "contains", "pattern": "milk", "ignoresCase": true}`
/// - `{"isNull": "due"}`
/// - `{"and": […]}`, `{"or": […]}` or `{"not": {…}}`
extension Filter: Codable {
    private enum CodingKeys: String, CodingKey {
        case path, `is`, value, isOneOf, text, pattern, ignoresCase, isNull, and, or, not
    }

    /// Encodes the filter as an object; a filter that is nested too deep is an error.
    public func encode(to encoder: any Encoder) throws {
        if Filter.isTooDeep(encoder.codingPath) {
            throw EncodingError.invalidValue(
                self, EncodingError.Context(codingPath: [], debugDescription: Filter.tooDeep))
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .comparison(let path, let comparison, let value):
            try container.encode(path, forKey: .path)
            try container.encode(comparison, forKey: .is)
            try container.encode(value, forKey: .value)
        case .membership(let path, let values):
            try container.encode(path, forKey: .path)
            try container.encode(values, forKey: .isOneOf)
        case .text(let path, let match, let pattern, let ignoresCase):
            try container.encode(path, forKey: .path)
            try container.encode(match, forKey: .text)
            try container.encode(pattern, forKey: .pattern)
            try container.encode(ignoresCase, forKey: .ignoresCase)
        case .isNull(let path): try container.encode(path, forKey: .isNull)
        case .and(let filters): try container.encode(filters, forKey: .and)
        case .or(let filters): try container.encode(filters, forKey: .or)
        case .not(let filter): try container.encode(filter, forKey: .not)
        }
    }

    /// Decodes a filter; a filter that is nested too deep is an error.
    public init(from decoder: any Decoder) throws {
        if Filter.isTooDeep(decoder.codingPath) {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: [], debugDescription: Filter.tooDeep))
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if container.contains(.and) {
            self = .and(try container.decode([Filter].self, forKey: .and))
        } else if container.contains(.or) {
            self = .or(try container.decode([Filter].self, forKey: .or))
        } else if container.contains(.not) {
            self = .not(try container.decode(Filter.self, forKey: .not))
        } else if container.contains(.isNull) {
            self = .isNull(path: try container.decode(String.self, forKey: .isNull))
        } else {
            let path = try container.decode(String.self, forKey: .path)
            if container.contains(.isOneOf) {
                self = .membership(path: path, try container.decode([Value].self, forKey: .isOneOf))
            } else if container.contains(.text) {
                self = .text(
                    path: path, try container.decode(TextMatch.self, forKey: .text),
                    try container.decode(String.self, forKey: .pattern),
                    ignoresCase: try container.decodeIfPresent(Bool.self, forKey: .ignoresCase) ?? false)
            } else {
                self = .comparison(
                    path: path, try container.decode(Comparison.self, forKey: .is),
                    try container.decode(Value.self, forKey: .value))
            }
        }
    }

    /// Whether a coding path leads into more filters within filters than are allowed.
    private static func isTooDeep(_ path: [any CodingKey]) -> Bool {
        // Counts the keys under which filters contain filters. The outermost filter is under none of them.
        path.count >= maximumDepth
            && path.count(where: { [.and, .or, .not].contains(CodingKeys(stringValue: $0.stringValue)) })
                >= maximumDepth
    }

    /// The reason for a filter that is nested too deep.
    private static var tooDeep: String { "the filter is nested more than \(maximumDepth) deep" }
}
