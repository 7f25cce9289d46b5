import Foundation
import SyncValues

extension Value {
    /// Whether an object of Foundation's reader holds the same.
    func isContent(of object: Any) -> Bool {
        switch self {
        case .null: return object is NSNull
        case .bool(let value): return (object as? NSNumber)?.boolValue == value
        case .integer(let value): return (object as? NSNumber)?.int64Value == value
        case .double(let value):
            // Foundation has decimals for most numbers, and its conversion of those is not exact.
            return (object as? NSNumber).map { Double($0.stringValue) == value } ?? false
        case .string(let value): return (object as? String).map { Value.string($0) == .string(value) } ?? false
        case .array(let elements):
            guard let objects = object as? [Any], objects.count == elements.count else { return false }
            return zip(elements, objects).allSatisfy { $0.isContent(of: $1) }
        case .object(let value):
            guard let objects = object as? [String: Any] else { return false }
            // Names that are canonically equivalent are one in Foundation; the values of those are not compared.
            let names = Dictionary(grouping: value.members, by: \.name)
            return names.count == objects.count
                && names.allSatisfy { name, members in
                    members.count > 1 || objects[name].map { members[0].value.isContent(of: $0) } ?? false
                }
        default: return false
        }
    }
}
