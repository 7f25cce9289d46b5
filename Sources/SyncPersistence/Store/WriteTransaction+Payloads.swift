#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Rows that a store keeps for the sync of payloads, and marks of the records that have changed since.
///
/// Marks are kept once there are rows. They are stored beside the rows, in the family without a name, by
/// ``RecordToken``. When there are too many marks, all rows so far are void instead.
extension WriteTransaction {
    private static let marksName = "sync.payloads"
    private static let familiesName = "sync.payloadFamilies"
    private static let horizonName = "sync.payloadsHorizon"

    /// The largest number of marks.
    package static let markLimit = 20_000

    /// The commit up to which all rows are void.
    package func payloadHorizon() throws -> Int64 { try number(Self.horizonName) ?? 0 }

    /// The number of the commit if anything changes.
    package func expectedSequence() throws -> Int64 { try nextSequence() }

    /// Returns the last commit that has changed the record or relationship of a token, as far as is known.
    package func mark(_ token: UInt64) throws -> Int64? {
        let key: Value = ["", .integer(Int64(bitPattern: token))]
        guard case .integer(let sequence)? = try storage.record(key, in: shape("sync.payloads"))?["sequence"] else {
            return nil
        }
        return sequence
    }

    /// Returns all marks.
    package func marks() throws -> [UInt64: Int64] {
        var marks: [UInt64: Int64] = [:]
        try storage.forEach(Query("sync.payloads", where: .comparison(path: "family", .equal, ""))) { record in
            if case .integer(let token) = record["number"], case .integer(let sequence) = record["sequence"] {
                marks[UInt64(bitPattern: token)] = sequence
            }
            return true
        }
        return marks
    }

    /// Returns the number of marks; nil if none are kept.
    package func markCount() throws -> Int? { try number(Self.marksName).map { min(Int($0), Self.markLimit) } }

    /// Keeps marks from now on, for the rows of a family.
    package func keepMarks(of family: String) throws {
        if try markCount() == nil { try note("0", as: Self.marksName) }
        let families = try payloadFamilies()
        if !families.contains(family) { try note((families + [family]).joined(separator: "\n"), as: Self.familiesName) }
    }

    /// Whether no other family has rows.
    package func isOnlyPayloadFamily(_ family: String) throws -> Bool {
        try payloadFamilies().allSatisfy { $0 == family }
    }

    private func payloadFamilies() throws -> [String] {
        try metadata(Self.familiesName)?.split(separator: "\n").map(String.init) ?? []
    }

    /// Calls a body with the rows of a family by their number, until it returns false.
    package func forEachPayloadNote(
        of family: String, _ body: (Int64, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        try storage.forEach(Query("sync.payloads", where: .comparison(path: "family", .equal, .string(family)))) {
            guard case .integer(let number) = $0["number"], case .bytes(let content) = $0["content"] else {
                return true
            }
            return try content.withUnsafeBytes { try body(number, $0) }
        }
    }

    /// Returns a row of a family.
    package func payloadNote(_ family: String, _ number: Int64) throws -> [UInt8]? {
        let record = try storage.record([.string(family), .integer(number)], in: shape("sync.payloads"))
        guard case .bytes(let content)? = record?["content"] else { return nil }
        return Array(content)
    }

    /// Stores a row of a family, or removes it for nil.
    package func setPayloadNote(_ family: String, _ number: Int64, _ content: [UInt8]?) throws {
        let shape = try shape("sync.payloads")
        if let content {
            let record = Record(
                shape, slots: [.string(family), .integer(number), .integer(0), .bytes(Data(content))])
            _ = try storage.put(record)
        } else {
            _ = try storage.remove([.string(family), .integer(number)], in: shape)
        }
        hasNotes = true
    }

    /// Marks what the commit with a number has changed.
    func mark(in sequence: Int64) throws {
        guard var count = try markCount() else { return }
        var tokens: Set<UInt64> = []
        if let payloadMarks {
            tokens.formUnion(payloadMarks)
        } else {
            tokens = try entryTokens()
            for change in touched {
                RecordToken.forEach(from: change.old, to: change.new) { tokens.insert($0) }
                if count + tokens.count > Self.markLimit { break }
            }
        }
        if tokens.isEmpty { return }
        let shape = try shape("sync.payloads")
        if count + tokens.count > Self.markLimit {
            try note("\(sequence - 1)", as: Self.horizonName)
            for token in try marks().keys {
                _ = try storage.remove(["", .integer(Int64(bitPattern: token))], in: shape)
            }
            return try { _ = try note("0", as: Self.marksName) }()
        }
        for token in tokens.sorted() {
            let mark = Record(shape, slots: ["", .integer(Int64(bitPattern: token)), .integer(sequence), .null])
            if try storage.put(mark) == nil { count += 1 }
        }
        try note("\(count)", as: Self.marksName)
    }
}
