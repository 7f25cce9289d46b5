#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The rows that the sync of payloads keeps in a store: remembered payloads, pending links, and marks of a comparison.
///
/// Each row has a family and a number.
package final class PayloadRows {
    /// The shape of the rows.
    private static let shapeName = "sync.payloads"

    /// Reads and writes the rows.
    private let store: ReadTransaction
    /// Counts a change of a row.
    private let metadata: MetadataLog

    /// Creates the rows of a transaction.
    ///
    /// - Parameters:
    ///   - store: Reads what is stored.
    ///   - metadata: Knows that a commit has internal changes.
    init(of store: ReadTransaction, _ metadata: MetadataLog) {
        self.store = store
        self.metadata = metadata
    }

    /// Calls a body with the rows of a family by their number, until it returns false.
    package func forEach(of family: String, _ body: (Int64, UnsafeRawBufferPointer) throws -> Bool) throws {
        let query = Query(Self.shapeName, where: .comparison(path: "family", .equal, .string(family)))
        try store.storage.forEach(query) {
            guard case .integer(let number) = $0["number"], case .bytes(let content) = $0["content"] else {
                return true
            }
            return try content.withUnsafeBytes { try body(number, $0) }
        }
    }

    /// Returns the numbers of a family's rows.
    ///
    /// - Complexity: O(number of rows)
    package func numbers(of family: String) throws -> [Int64] {
        var numbers: [Int64] = []
        try forEach(of: family) { number, _ in
            numbers.append(number)
            return true
        }
        return numbers
    }

    /// Returns the content of a row; nil if there is none.
    package func content(_ family: String, _ number: Int64) throws -> [UInt8]? {
        let record = try store.storage.record([.string(family), .integer(number)], in: store.shape(Self.shapeName))
        guard case .bytes(let content)? = record?["content"] else { return nil }
        return Array(content)
    }

    /// Stores the content of a row, or removes the row for nil.
    package func set(_ family: String, _ number: Int64, _ content: [UInt8]?) throws {
        let shape = try store.shape(Self.shapeName)
        if let content {
            let record = Record(
                shape, slots: [.string(family), .integer(number), .integer(0), .bytes(Data(content))])
            _ = try store.storage.put(record)
        } else {
            _ = try store.storage.remove([.string(family), .integer(number)], in: shape)
        }
        metadata.setHasInternalChanges()
    }

    /// Returns the values in a row of pending links or lists; none if there is no row.
    package func values(_ family: String, _ number: Int64) throws -> [Value] {
        guard let content = try content(family, number),
            case .array(let values)? = try? Value(taggedJSON: String(decoding: content, as: UTF8.self))
        else { return [] }
        return values
    }

    /// Stores the values in a row of pending links or lists, or removes the row if there are none.
    package func setValues(_ values: [Value], _ family: String, _ number: Int64) throws {
        try set(family, number, values.isEmpty ? nil : Array(Value.array(values).taggedJSON.utf8))
    }
}
