import DifferentialSync
import DifferentialSyncTesting
import Foundation
import SyncPersistence

/// A storage with one defect, for each defect that an author of an adapter may make.
final class BrokenStorage: ForwardingStorage {
    enum Defect: String, CaseIterable, Sendable {
        case putForgetsTheOldRecord, putIgnoresUpdates, putMovesToTheEnd, removeIgnores, removeForgetsTheRecord
        case ignoresSort, ignoresDirection, ignoresLimit, ignoresOffset, ignoresFilter, ignoresEarlyStop
        case nullsLast, tiesReversed, stringsByCanonicalEquivalence, ignoresCaseAlways
        case countIgnoresLimit, countIgnoresFilter
        case keysIgnoreFilter, keysInTheirOrder, keysWithoutInheritance
        case digestConstant, digestWithoutEntity, digestsIgnoreFilter, digestsInOrderOfKeys
        case recordOnlyOfExactShape, queryWithoutInheritance
        case roundsDates, roundsDecimals, emptyTextIsNull, trimsText, losesNullsInArrays
        case losesMetadata, losesHistory, losesJournal, losesLinks
        case losesNullMembers, roundsLargeIntegersInJSON, lowercasesURLs
        case normalizesTexts, cutsTextsAtNUL, emptyBytesAreNull, booleansAreIntegers, wholeDoublesAreIntegers
        case sortsMembers, clampsDates, cutsLongTexts, flattensDeepJSON, oneLineEnd
        case keysTellZerosApart, keysIgnoreComposition, keysIgnoreCase, keysIgnoreTrailingSpaces, keysAreCut
        case tiesReversedWithinLimit, nullsBelongToNoCondition, sortsTextsByUTF16
        case oneCursor, losesEveryThousandthRow, journalLosesInheritedEntity, losesLinkOrder
    }

    let defect: Defect

    private var cursor = 0
    private var rows = 0

    init(_ base: any RecordStorage, _ defect: Defect) {
        self.defect = defect
        super.init(base)
    }

    override func record(_ key: Value, in hierarchy: Shape) throws -> Record? {
        let record = try super.record(key, in: hierarchy) ?? alike(key, in: hierarchy)
        if defect == .keysTellZerosApart, let record, !Self.hasSameZeros(key, record.key) { return nil }
        return defect == .recordOnlyOfExactShape && record?.shape != hierarchy ? nil : record
    }

    override func forEach(_ query: Query, _ body: (Record) throws -> Bool) throws {
        var query = query
        switch defect {
        case .ignoresSort: query.sort = []
        case .ignoresDirection: query.sort = query.sort.map { Query.SortKey($0.path) }
        case .ignoresLimit: query.limit = nil
        case .ignoresOffset: query.offset = 0
        case .ignoresFilter: if !query.entity.hasPrefix("sync.") { query.filter = nil }
        case .ignoresCaseAlways: query.filter = query.filter.map(Self.ignoringCase)
        case .ignoresEarlyStop:
            return try super.forEach(query) { record in
                _ = try body(record)
                return true
            }
        case .queryWithoutInheritance:
            return try super.forEach(query) { $0.entity == query.entity ? try body($0) : true }
        case .tiesReversed where query.sort.count == 1, .nullsLast where query.sort.count == 1,
            .sortsTextsByUTF16 where query.sort.count == 1,
            .tiesReversedWithinLimit where query.sort.count == 1 && query.limit != nil:
            return try disorder(query, body)
        case .nullsBelongToNoCondition: query.filter = query.filter.map(Self.withoutNulls)
        case .oneCursor: return try withOneCursor(query, body)
        case .stringsByCanonicalEquivalence:
            guard case .comparison(let path, .equal, .string(let text))? = query.filter, !path.contains(".") else {
                break
            }
            query.filter = nil
            return try super.forEach(query) { record in
                guard case .string(let other) = record[path], other == text else { return true }
                return try body(record)
            }
        default: break
        }
        try super.forEach(query, body)
    }

    private func disorder(_ query: Query, _ body: (Record) throws -> Bool) throws {
        var records: [Record] = []
        try super.forEach(Query(query.entity, where: query.filter, sort: query.sort)) {
            records.append($0); return true
        }
        let path = query.sort[0].path
        if defect == .sortsTextsByUTF16 {
            records.sort { left, right in
                guard case .string(let left) = left[path], case .string(let right) = right[path] else { return false }
                return Array(left.utf16).lexicographicallyPrecedes(Array(right.utf16)) != query.sort[0].isDescending
            }
        } else if defect == .nullsLast {
            records = records.filter { !$0[path].isNull } + records.filter { $0[path].isNull }
        } else {
            var groups: [[Record]] = []
            for record in records {
                if groups.last?.first?[path] == record[path] {
                    groups[groups.count - 1].append(record)
                } else {
                    groups.append([record])
                }
            }
            records = groups.flatMap { $0.reversed() }
        }
        for record in records.dropFirst(query.offset).prefix(query.limit ?? .max) where try !body(record) { return }
    }

    private static func ignoringCase(_ filter: Filter) -> Filter {
        if case .text(let path, let match, let text, _) = filter {
            .text(path: path, match, text, ignoresCase: true)
        } else {
            filter
        }
    }

    /// As SQL has it: what is compared with null is neither true nor false.
    private static func withoutNulls(_ filter: Filter) -> Filter {
        if case .not(.comparison(let path, _, _)) = filter { filter && !Field(path).isNull } else { filter }
    }

    /// A query within another one ends that.
    private func withOneCursor(_ query: Query, _ body: (Record) throws -> Bool) throws {
        cursor += 1
        let own = cursor
        try super.forEach(query) { record in try cursor == own && body(record) }
    }

    override func count(_ query: Query) throws -> Int {
        var query = query
        if defect == .countIgnoresLimit { query.limit = nil }
        if defect == .countIgnoresFilter { query.filter = nil }
        return try super.count(query)
    }

    override func forEachKey(_ entity: Shape, where filter: Filter?, _ body: (Value) throws -> Void) throws {
        var keys: [Value] = []
        try super.forEach(Query(entity.name, where: defect == .keysIgnoreFilter ? nil : filter)) {
            if defect != .keysWithoutInheritance || $0.shape == entity { keys.append($0.key) }
            return true
        }
        if defect == .keysInTheirOrder { keys.sort { "\($0)" < "\($1)" } }
        for key in keys { try body(key) }
    }

    override func forEachDigest(
        _ entity: Shape, where filter: Filter?, _ body: (Value, UInt64) throws -> Void
    ) throws {
        var rows: [(Value, UInt64)] = []
        try super.forEach(Query(entity.name, where: defect == .digestsIgnoreFilter ? nil : filter)) {
            rows.append(($0.key, digest(of: $0)))
            return true
        }
        if defect == .digestsInOrderOfKeys { rows.sort { "\($0.0)" < "\($1.0)" } }
        for (key, digest) in rows { try body(key, digest) }
    }

    override func digest(of record: Record) -> UInt64 {
        switch defect {
        case .digestConstant: 0
        case .digestWithoutEntity: UInt64(truncatingIfNeeded: record.values.hashValue)
        default: super.digest(of: record)
        }
    }

    override func put(_ record: Record) throws -> Record? {
        switch defect {
        case .putForgetsTheOldRecord:
            _ = try super.put(record)
            return nil
        case .putIgnoresUpdates:
            if let old = try super.record(record.key, in: record.shape), !record.entity.hasPrefix("sync.") {
                return old
            }
        case .putMovesToTheEnd where !record.entity.hasPrefix("sync."):
            let old = try super.remove(record.key, in: record.shape)
            _ = try super.put(record)
            return old
        default: break
        }
        if isLost(record) { return nil }
        guard let old = try alike(record.key, in: record.shape) else { return try super.put(spoilt(record)) }
        _ = try super.remove(old.key, in: old.shape)
        _ = try super.put(spoilt(record))
        return old
    }

    override func insert(_ record: Record) throws {
        // Not by what the storage refuses to store twice: the defect is to be seen, and not to end the test.
        if isLost(record) { return }
        if let other = try alike(record.key, in: record.shape) { _ = try super.remove(other.key, in: other.shape) }
        _ = try super.put(spoilt(record))
    }

    override func remove(_ key: Value, in hierarchy: Shape) throws -> Record? {
        switch defect {
        case .removeIgnores: return try super.record(key, in: hierarchy)
        case .removeForgetsTheRecord:
            _ = try super.remove(key, in: hierarchy)
            return nil
        default: return try super.remove(key, in: hierarchy)
        }
    }

    private func isLost(_ record: Record) -> Bool {
        if record.shape.role == nil { rows += 1 }
        return switch defect {
        case .losesEveryThousandthRow: rows.isMultiple(of: 1_000) && record.shape.role == nil
        case .losesMetadata: record.entity == "sync.metadata" && record["name"] != "sync.sequence"
        case .losesHistory: record.entity == "sync.history"
        case .losesJournal: record.entity.hasPrefix("sync.journal.")
        case .losesLinks: record.entity.hasPrefix("sync.links.")
        default: false
        }
    }
}
