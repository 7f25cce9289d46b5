import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Connection {
    /// Makes known to SQL how values are compared where SQLite has no way of its own.
    ///
    /// The same code compares them in memory.
    func registerComparisons() throws {
        try registerCollation("sync_decimal") { left, right in
            let numbers = [left, right].map { Decimal(exactly: String(decoding: $0, as: UTF8.self)) ?? .nan }
            switch Value.decimal(numbers[0]).order(to: .decimal(numbers[1])) {
            case .ascending: return -1
            case .same: return 0
            case .descending: return 1
            }
        }
        let lookup = self.lookup
        try registerFunction("sync_matches", argumentCount: 2, isDeterministic: false) { arguments in
            guard arguments.type(at: 1) == .text, case .pattern(let pattern)? = lookup[arguments.int64(at: 0)] else {
                return .null
            }
            return .integer(pattern.matches(arguments.text(at: 1)) ? 1 : 0)
        }
        try registerFunction("sync_is", argumentCount: 2, isDeterministic: false) { arguments in
            guard case .json(let value)? = lookup[arguments.int64(at: 0)],
                let stored = arguments.value(.json, at: 1)
            else { return .null }
            return .integer(stored == value ? 1 : 0)
        }
        try registerFunction("sync_isOneOf", argumentCount: 2, isDeterministic: false) { arguments in
            guard case .members(let values, let type)? = lookup[arguments.int64(at: 0)],
                let stored = arguments.value(type, at: 1)
            else { return .null }
            return .integer(values.contains(stored) ? 1 : 0)
        }
    }
}

extension FunctionArguments {
    /// The value that a column of a type holds; nil for NULL, and for what the column cannot hold.
    fileprivate func value(_ type: AttributeType, at index: Int) -> Value? {
        switch (type, self.type(at: index)) {
        case (_, .null): nil
        case (.bool, .integer): .bool(int64(at: index) != 0)
        case (.integer, .integer): .integer(int64(at: index))
        case (.double, .double), (.double, .integer): .double(double(at: index))
        case (.date, .double), (.date, .integer): .date(Date(timeIntervalSinceReferenceDate: double(at: index)))
        case (.string, .text): .string(text(at: index))
        case (.bytes, .blob): .bytes(data(at: index))
        case (.decimal, .text): Decimal(exactly: text(at: index)).map { .decimal($0) }
        case (.uuid, .text): UUID(uuidString: text(at: index)).map { .uuid($0) }
        case (.url, .text): URL(string: text(at: index)).map { .url($0) }
        case (.json, .text): try? Value(json: text(at: index))
        default: nil
        }
    }
}
