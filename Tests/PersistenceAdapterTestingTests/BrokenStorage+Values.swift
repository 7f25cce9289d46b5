import DifferentialSyncTesting
import Foundation
import SyncPersistence

extension BrokenStorage {
    /// A record as it is stored.
    func spoilt(_ record: Record) -> Record {
        var values = record.values.map(spoilt)
        if defect == .journalLosesInheritedEntity, case .journal? = record.shape.role {
            // The slots of the root alone.
            let root = schema.hierarchy(of: record.shape)[0]
            for position in values.indices.dropFirst(root.slots.count) { values[position] = .null }
        }
        if defect == .losesLinkOrder, case .links? = record.shape.role, let slot = record.shape.slot(named: "position")
        {
            values[slot] = 0
        }
        return Record(record.shape, slots: values)
    }

    private func spoilt(_ value: Value) -> Value {
        switch (defect, value) {
        case (.roundsDates, .date(let date)):
            .date(Date(timeIntervalSinceReferenceDate: (date.timeIntervalSinceReferenceDate * 1000).rounded() / 1000))
        case (.clampsDates, .date(let date)): .date(min(max(date, .distantPast), .distantFuture))
        case (.roundsDecimals, .decimal(let decimal)):
            .decimal(Decimal(NSDecimalNumber(decimal: decimal).doubleValue))
        case (.lowercasesURLs, .url(let url)): URL(string: url.absoluteString.lowercased()).map { .url($0) } ?? value
        case (.emptyTextIsNull, .string("")), (.emptyBytesAreNull, .bytes(Data())): .null
        case (.trimsText, .string(let text)): .string(text.trimmingCharacters(in: .whitespacesAndNewlines))
        case (.normalizesTexts, .string(let text)): .string(text.precomposedStringWithCanonicalMapping)
        case (.cutsTextsAtNUL, .string(let text)): .string(String(text.prefix { $0 != "\0" }))
        case (.cutsLongTexts, .string(let text)): .string(String(text.prefix(4_000)))
        case (.oneLineEnd, .string(let text)): .string(text.replacingOccurrences(of: "\r\n", with: "\n"))
        case (_, .array(let elements)): .array(spoilt(elements))
        case (_, .object(let object)): .object(spoilt(object))
        default: value
        }
    }

    private func spoilt(_ elements: [Value]) -> [Value] {
        switch defect {
        case .losesNullsInArrays: elements.filter { !$0.isNull }
        case .flattensDeepJSON where Value.array(elements).depth > 100: []
        default: elements.map(spoiltJSON)
        }
    }

    private func spoilt(_ object: ValueObject) -> ValueObject {
        var members = object.members.map { ValueObject.Member(name: $0.name, value: spoiltJSON($0.value)) }
        if defect == .losesNullMembers { members.removeAll { $0.value.isNull } }
        if defect == .sortsMembers { members.sort { $0.name < $1.name } }
        return ValueObject(members)
    }

    /// A value in JSON.
    private func spoiltJSON(_ value: Value) -> Value {
        switch (defect, value) {
        case (.roundsLargeIntegersInJSON, .integer(let number)): .integer(Int64(exactly: Double(number)) ?? .max)
        case (.booleansAreIntegers, .bool(let isTrue)): .integer(isTrue ? 1 : 0)
        case (.wholeDoublesAreIntegers, .double(let number)): Int64(exactly: number).map { .integer($0) } ?? value
        default: spoilt(value)
        }
    }
}

extension BrokenStorage {
    /// The record of another key that the storage takes for the same.
    func alike(_ key: Value, in hierarchy: Shape) throws -> Record? {
        guard hierarchy.role == nil, let root = schema[hierarchy.root], case .string(let text) = key else { return nil }
        let canonical: (String) -> String
        switch defect {
        case .keysIgnoreComposition: canonical = { $0.precomposedStringWithCanonicalMapping }
        case .keysIgnoreCase: canonical = { $0.lowercased() }
        case .keysIgnoreTrailingSpaces: canonical = { String($0.reversed().drop { $0 == " " }.reversed()) }
        case .keysAreCut: canonical = { String($0.prefix(255)) }
        default: return nil
        }
        var found: Record?
        try base.forEach(Query(root.name)) { record in
            guard case .string(let other) = record.key, record.key != key else { return true }
            if Value.string(canonical(other)) == .string(canonical(text)) { found = record }
            return found == nil
        }
        return found
    }

    /// Whether the zeros of two keys have the same sign.
    static func hasSameZeros(_ key: Value, _ other: Value) -> Bool {
        guard case .double(let key) = key, case .double(let other) = other else { return true }
        return key.sign == other.sign
    }
}

extension Value {
    /// How many arrays and objects are in each other.
    fileprivate var depth: Int {
        var (depth, value) = (0, self)
        while case .array(let elements) = value {
            depth += 1
            value = elements.first ?? .null
        }
        return depth
    }
}
