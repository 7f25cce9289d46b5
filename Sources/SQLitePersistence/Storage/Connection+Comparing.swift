import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Connection {
    /// Registers the collation and functions for comparisons that SQLite cannot express.
    ///
    /// They run the same code as comparisons in memory. Except for `sync_replaces`, each function reads its operand
    /// from the cache's operands by number.
    ///
    /// | Name | Meaning |
    /// |---|---|
    /// | `sync_replaces(column, …)` | Whether the upsert overwrites the existing row |
    /// | `sync_decimal` | The collation of decimals |
    /// | `sync_matches(number, text)` | Whether a text pattern matches |
    /// | `sync_is(number, json)` | Whether JSON values are equal |
    /// | `sync_isOneOf(number, column, …)` | Whether a set contains the value |
    func registerComparisons() throws {
        let replacement = cache.replacement
        try registerFunction("sync_replaces", argumentCount: nil) { arguments in
            replacement.isToBeWritten(over: arguments)
        }
        try registerCollation("sync_decimal") { left, right in
            let numbers = [left, right].map { Decimal(exactly: String(decoding: $0, as: UTF8.self)) ?? .nan }
            switch Value.decimal(numbers[0]).order(to: .decimal(numbers[1])) {
            case .ascending: return -1
            case .same: return 0
            case .descending: return 1
            }
        }
        let operands = cache.operands
        try registerFunction("sync_matches", argumentCount: 2) { arguments in
            guard arguments.type(at: 1) == .text, case .pattern(let pattern)? = operands[arguments.int64(at: 0)] else {
                return nil
            }
            return pattern.matches(arguments.text(at: 1))
        }
        try registerFunction("sync_is", argumentCount: 2) { arguments in
            guard case .json(let value)? = operands[arguments.int64(at: 0)],
                let stored = try? arguments.value(.json, at: 1), !stored.isNull
            else { return nil }
            return stored == value
        }
        try registerFunction("sync_isOneOf", argumentCount: nil) { arguments in
            guard case .members(let values, let types)? = operands[arguments.int64(at: 0)] else { return nil }
            var parts: [Value] = []
            for (position, type) in types.enumerated() {
                guard let part = try? arguments.value(type, at: position + 1), !part.isNull else { return nil }
                parts.append(part)
            }
            return values.contains(parts.count == 1 ? parts[0] : .array(parts))
        }
    }
}
