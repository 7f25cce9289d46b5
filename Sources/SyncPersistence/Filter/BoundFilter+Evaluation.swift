#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension BoundFilter {
    /// Returns a function that determines whether a record matches the filter.
    ///
    /// The function is created once and called for many records.
    ///
    /// - Parameter follow: A function that returns the record to which a step leads from another, or nil.
    package func predicate(
        follow: @escaping (BoundPath.Step, Record) -> Record?
    ) -> (Record) -> Bool {
        switch self {
        case .constant(let result): return { _ in result }
        case .comparison(let path, let comparison, let value):
            return path.predicate(follow) { comparison.holds($0, value) }
        case .membership(let path, let values): return path.predicate(follow) { values.contains($0) }
        case .text(let path, let pattern):
            return path.predicate(follow) { value in
                switch value {
                case .string(let text): pattern.matches(text)
                case .url(let url): pattern.matches(url.absoluteString)
                default: false
                }
            }
        case .isNull(let path): return path.predicate(follow) { $0.isNull }
        case .and(let filters):
            let predicates = filters.map { $0.predicate(follow: follow) }
            return { record in
                for predicate in predicates {
                    if !predicate(record) { return false }
                }
                return true
            }
        case .or(let filters):
            let predicates = filters.map { $0.predicate(follow: follow) }
            return { record in
                for predicate in predicates {
                    if predicate(record) { return true }
                }
                return false
            }
        case .not(let filter):
            let predicate = filter.predicate(follow: follow)
            return { record in !predicate(record) }
        }
    }
}

extension BoundPath {
    /// Returns a function that returns the value of a record at the end of the path; null if a step leads to no record.
    ///
    /// The function is created once and called for many records.
    ///
    /// - Parameter follow: A function that returns the record to which a step leads from another, or nil.
    package func value(
        follow: @escaping (Step, Record) -> Record?
    ) -> (Record) -> Value {
        let (steps, end) = (steps, end)
        return { record in
            var record = record
            for step in steps {
                guard let next = follow(step, record) else { return .null }
                record = next
            }
            switch end {
            case .slot(let slot): return slot.value(of: record)
            case .key: return record.key
            }
        }
    }

    /// Returns a function that determines whether the value of a record at the end of the path satisfies a condition.
    fileprivate func predicate(
        _ follow: @escaping (Step, Record) -> Record?, _ condition: @escaping (Value) -> Bool
    ) -> (Record) -> Bool {
        if let slot = ownSlot { return { record in condition(slot.value(of: record)) } }
        let value = value(follow: follow)
        return { record in condition(value(record)) }
    }
}
