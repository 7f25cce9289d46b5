#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Filter: CustomStringConvertible {
    /// The condition as one would write it, such as `author.name == "Ada" && (stars > 3 || !(due is null))`.
    ///
    /// It shows the values that are compared with.
    public var description: String { text(depth: 1, within: .or) }

    /// How tightly the parts of a filter are bound.
    private enum Tightness: Int {
        case or, and, not
    }

    private func text(depth: Int, within outer: Tightness) -> String {
        if depth > Filter.maximumDepth { return "…" }
        switch self {
        case .comparison(let path, let comparison, let value):
            return "\(path) \(comparison.symbol) \(value.literal)".enclosed(outer == .not)
        case .membership(let path, let values):
            return "\(path) is one of \(Value.array(values).literal)".enclosed(outer == .not)
        case .text(let path, let match, let text, let ignoresCase):
            let phrase = "\(path) \(match.phrase) \(text.debugDescription)\(ignoresCase ? " ignoring case" : "")"
            return phrase.enclosed(outer == .not)
        case .isNull(let path): return "\(path) is null".enclosed(outer == .not)
        case .and(let filters):
            if filters.isEmpty { return "true" }
            return filters.map { $0.text(depth: depth + 1, within: .and) }.joined(separator: " && ")
                .enclosed(filters.count > 1 && outer == .not)
        case .or(let filters):
            if filters.isEmpty { return "false" }
            let inner = filters.count > 1 ? Tightness.or : outer
            return filters.map { $0.text(depth: depth + 1, within: inner) }.joined(separator: " || ")
                .enclosed(filters.count > 1 && outer != .or)
        case .not(let filter): return "!" + filter.text(depth: depth + 1, within: .not)
        }
    }
}

extension Filter.Comparison {
    fileprivate var symbol: String {
        switch self {
        case .equal: "=="
        case .notEqual: "!="
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        }
    }
}

extension Filter.TextMatch {
    fileprivate var phrase: String {
        switch self {
        case .contains: "contains"
        case .hasPrefix: "begins with"
        case .hasSuffix: "ends with"
        }
    }
}

extension String {
    fileprivate func enclosed(_ isEnclosed: Bool) -> String { isEnclosed ? "(\(self))" : self }
}

extension Value {
    /// The value as one would write it; of JSON, no more than the first level.
    fileprivate var literal: String {
        guard case .array(let elements) = self else { return short }
        return "[" + elements.prefix(10).map(\.short).joined(separator: ", ") + (elements.count > 10 ? ", …]" : "]")
    }

    private var short: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .string(let value): value.debugDescription
        case .bytes(let value): value.count == 1 ? "1 byte" : "\(value.count) bytes"
        case .date(let value): "\(value)"
        case .uuid(let value): value.uuidString
        case .url(let value): value.absoluteString.debugDescription
        case .array(let elements): elements.isEmpty ? "[]" : "[…]"
        case .object(let object): object.members.isEmpty ? "{}" : "{…}"
        }
    }
}
