extension BoundFilter {
    /// Creates a resolved and checked filter for the records of a shape.
    ///
    /// - Throws: ``PersistenceError`` for an unknown name, or for a value that an attribute cannot be compared with. It
    ///   also throws for a filter deeper than ``Filter/maximumDepth``, or with more than
    ///   ``Filter/maximumConditionCount`` conditions.
    /// - Complexity: O(size of the filter), times the depth of ``Filter/or(_:)`` within ``Filter/or(_:)``
    package init(_ filter: Filter, of shape: Shape, in schema: Schema) throws {
        if filter.isTooDeep {
            throw PersistenceError(
                .tooDeep,
                "the filter is nested more than \(Filter.maximumDepth) deep: "
                    + "join conditions by one 'and' or 'or' of many")
        }
        self = try BoundFilter.bind(filter, shape, schema)
        let count = conditionCount
        if count > Filter.maximumConditionCount {
            throw PersistenceError(
                .tooManyConditions,
                "the filter has \(count) conditions, and may have \(Filter.maximumConditionCount): "
                    + "ask by one 'isOne(of:)' for several values of a field")
        }
    }

    private var conditionCount: Int {
        switch self {
        case .constant, .comparison, .membership, .text, .isNull: 1
        case .and(let filters), .or(let filters): filters.reduce(0) { $0 + $1.conditionCount }
        case .not(let filter): filter.conditionCount
        }
    }

    private static func bind(_ filter: Filter, _ shape: Shape, _ schema: Schema) throws -> BoundFilter {
        switch filter {
        case .comparison(let path, let comparison, let value):
            return try compare(BoundPath(path, from: shape, in: schema), comparison, value)
        case .membership(let path, let values):
            return try contain(BoundPath(path, from: shape, in: schema), values)
        case .text(let path, let match, let text, let ignoresCase):
            let path = try BoundPath(path, from: shape, in: schema)
            guard path.types == [.string] || path.types == [.url] else {
                throw path.wrongType("is not text: only text and locators contain, begin and end with text")
            }
            return .text(path, TextPattern(match, text, ignoresCase: ignoresCase))
        case .isNull(let path): return .isNull(try BoundPath(path, from: shape, in: schema))
        case .and(let filters): return .and(try filters.map { try bind($0, shape, schema) })
        case .or(let filters): return .joined(byOr: try filters.map { try bind($0, shape, schema) })
        case .not(let filter): return .not(try bind(filter, shape, schema))
        }
    }

    private static func compare(
        _ path: BoundPath, _ comparison: Filter.Comparison, _ value: Value
    ) throws -> BoundFilter {
        if comparison.isOrdering, !path.isOrdered {
            throw path.wrongType("is \(path.kind), which has no order: compare whether it is equal")
        }
        switch try path.comparand(value) {
        case nil: return .constant(false)
        case .exact(let value): return .comparison(path, comparison, value)
        case .inexact(let floor):
            switch comparison {
            case .equal: return .constant(false)
            case .notEqual: return .not(.isNull(path))
            case .less, .lessOrEqual:
                return floor.map { .comparison(path, .lessOrEqual, $0) } ?? .constant(false)
            case .greater, .greaterOrEqual:
                return floor.map { .comparison(path, .greater, $0) } ?? .not(.isNull(path))
            }
        }
    }

    /// Returns the filter for values that are members of a list.
    private static func contain(_ path: BoundPath, _ values: [Value]) throws -> BoundFilter {
        var members: Set<Value> = []
        members.reserveCapacity(values.count)
        for value in values {
            if case .exact(let value)? = try path.comparand(value) { members.insert(value) }
        }
        return members.isEmpty ? .constant(false) : .membership(path, members)
    }
}

extension Filter.Comparison {
    /// Whether the comparison requires an order.
    package var isOrdering: Bool { self != .equal && self != .notEqual }
}

extension BoundPath {
    /// Whether the values at the end have an order.
    ///
    /// JSON and keys of several parts have none.
    var isOrdered: Bool { types.count == 1 && types[0] != .json }

    /// The kind of the values at the end, in words.
    var kind: String { types.count == 1 ? types[0].phrase : "a key of \(types.count) parts" }

    /// Returns the error for a path that is compared with a value of another type.
    func wrongType(_ message: String) -> PersistenceError {
        PersistenceError(.wrongType, "in '\(start.name)' this \(message)", property: text)
    }

    /// Returns the counterpart of a value among the values at the end; nil for null.
    func comparand(_ value: Value) throws -> Comparand? {
        if value.isNull { return nil }
        if types.count == 1 {
            if let comparand = Comparand(value, as: types[0]) { return comparand }
        } else if case .array(let parts) = value, parts.count == types.count {
            let comparands = zip(parts, types).map { Comparand($0, as: $1) }
            if !comparands.contains(nil) { return Comparand(parts: comparands.compactMap { $0 }) }
        }
        throw wrongType("is \(kind), and cannot be compared with \(value.phrase)\(remedy(for: value))")
    }

    /// Returns what may stand in the place of a value of the wrong type; empty if that is plain.
    private func remedy(for value: Value) -> String {
        switch (types, value) {
        case ([.decimal], .double(let number)) where number.isFinite:
            ": a double is, from 1e-100 to 1e100; else give a decimal"
        case ([.json], _) where value.isDeeper(): " that is nested more than \(Value.maximumJSONDepth) deep"
        case (_, .array) where types.count > 1: ": give an array of \(types.map(\.phrase).joined(separator: ", "))"
        default: ""
        }
    }
}

extension AttributeType {
    /// The kind in words, with an article.
    var phrase: String {
        switch self {
        case .bool: "a truth value"
        case .integer: "an integer"
        case .double: "a double"
        case .decimal: "a decimal"
        case .string: "text"
        case .bytes: "bytes"
        case .date: "a date"
        case .uuid: "a UUID"
        case .url: "a URL"
        case .json: "JSON"
        }
    }
}
