import Foundation
import SyncPersistence

/// Evaluates filters by what their documentation says, with nothing but the records and the definitions.
struct NaiveFilter {
    let records: [Record]
    let schema: Schema

    func holds(_ filter: Filter, for record: Record) -> Bool {
        switch filter {
        case .comparison(let path, let comparison, let value):
            let found = self.value(path, of: record)
            if found.isNull || value.isNull { return false }
            let order = NaiveFilter.order(found, value)
            switch comparison {
            case .equal: return order == 0
            case .notEqual: return order != 0
            case .less: return order < 0
            case .lessOrEqual: return order <= 0
            case .greater: return order > 0
            case .greaterOrEqual: return order >= 0
            }
        case .membership(let path, let values):
            return values.contains { holds(.comparison(path: path, .equal, $0), for: record) }
        case .text(let path, let match, let pattern, let ignoresCase):
            let text: String
            switch value(path, of: record) {
            case .string(let string): text = string
            case .url(let url): text = url.absoluteString
            default: return false
            }
            func scalars(_ text: String) -> [Unicode.Scalar] {
                Array((ignoresCase ? text.lowercased() : text).unicodeScalars)
            }
            let (all, part) = (scalars(text), scalars(pattern))
            switch match {
            case .hasPrefix: return all.starts(with: part)
            case .hasSuffix: return all.reversed().starts(with: part.reversed())
            case .contains: return all.indices.contains { all[$0...].starts(with: part) } || part.isEmpty
            }
        case .isNull(let path): return value(path, of: record).isNull
        case .and(let filters): return filters.allSatisfy { holds($0, for: record) }
        case .or(let filters): return filters.contains { holds($0, for: record) }
        case .not(let filter): return !holds(filter, for: record)
        }
    }

    /// What is at the end of a path, found by trying the longest name first.
    func value(_ path: String, of record: Record) -> Value {
        if record.shape.slot(named: path) != nil { return record[path] }
        var words = path.split(separator: ".").map(String.init)
        var rest: [String] = []
        while !words.isEmpty {
            let name = words.joined(separator: ".")
            if let relationship = record.shape.relationships.first(where: { $0.definition.name == name })?.definition {
                guard let next = follow(relationship, from: record) else { return .null }
                return rest.isEmpty ? next.key : value(rest.joined(separator: "."), of: next)
            }
            rest.insert(words.removeLast(), at: 0)
        }
        fatalError("no path \(path)")
    }

    private func follow(_ relationship: Relationship, from record: Record) -> Record? {
        let isStoredHere = record.shape.slot(named: relationship.name) != nil
        return records.first { other in
            (isStoredHere
                ? other.key == record[relationship.name] : relationship.inverse.map { other[$0] } == record.key)
                && other.shape.inherits(relationship.destination)
        }
    }

    /// Below, at or above zero as the first value is less than, equal to, or greater than the second.
    static func order(_ left: Value, _ right: Value) -> Int {
        func by<Content: Comparable>(_ left: Content, _ right: Content) -> Int {
            left < right ? -1 : left > right ? 1 : 0
        }
        func byBytes(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Int {
            left.elementsEqual(right) ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
        }
        switch (left, right) {
        case (.bool(let left), .bool(let right)): return by(left ? 1 : 0, right ? 1 : 0)
        case (.integer(let left), .integer(let right)): return by(left, right)
        case (.double(let left), .double(let right)): return by(left, right)
        case (.decimal(let left), .decimal(let right)): return by(left, right)
        case (.date(let left), .date(let right)): return by(left, right)
        case (.string(let left), .string(let right)): return byBytes(left.utf8, right.utf8)
        case (.bytes(let left), .bytes(let right)): return byBytes(left, right)
        case (.uuid(let left), .uuid(let right)): return byBytes(left.uuidString.utf8, right.uuidString.utf8)
        case (.url(let left), .url(let right)): return byBytes(left.absoluteString.utf8, right.absoluteString.utf8)
        default: return left == right ? 0 : 1
        }
    }
}
