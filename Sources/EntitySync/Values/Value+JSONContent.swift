import SyncPersistence

extension Value {
    /// Returns the value as plain JSON is read back; nil if it is not JSON or nested too deep.
    ///
    /// Decimals become doubles, and values without a JSON form become text.
    ///
    /// - Parameter depth: The greatest number of levels of arrays and objects.
    /// - Complexity: O(*n*) for a value of size *n*
    func jsonContent(depth: Int = maximumJSONDepth) -> Value? {
        switch self {
        case .null, .bool, .integer, .string: return self
        case .double(let number): return number.isFinite ? .some(self) : nil
        case .decimal: return double.map { .double($0) }
        case .bytes, .date, .uuid, .url: return text.map { .string($0) }
        case .array(let elements):
            return Self.content(of: elements, depth: depth).map { .array($0) }
        case .object(let object):
            return Self.content(of: object.values, depth: depth).map {
                .object(ValueObject(distinct: object.names, $0))
            }
        }
    }

    /// Returns the elements as plain JSON is read back; nil if one of them is nested too deep.
    private static func content(of elements: [Value], depth: Int) -> [Value]? {
        guard depth > 0 else { return nil }
        var content: [Value] = []
        content.reserveCapacity(elements.count)
        for element in elements {
            guard let element = element.jsonContent(depth: depth - 1) else { return nil }
            content.append(element)
        }
        return content
    }
}
