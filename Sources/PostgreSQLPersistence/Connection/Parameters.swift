import CDifferentialSyncPostgreSQL
import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The values of a statement's parameters, in the form in which they are sent.
///
/// All are sent in PostgreSQL's binary format, except for decimals, which are sent as text.
///
/// The values are appended to one buffer, so that a statement of 1,000 rows takes no allocation for each value.
struct Parameters {
    /// The object identifiers of the types.
    private(set) var types: [Oid] = []

    /// The formats: 1 for binary, 0 for text.
    private var formats: [Int32] = []

    /// The bytes of all values.
    private var bytes: [UInt8] = []

    /// The place of each value in `bytes`; nil for NULL.
    private var places: [Range<Int>?] = []

    /// The number of parameters.
    var count: Int { types.count }

    /// The most bytes that PostgreSQL accepts in a value.
    private static let maximumLength = 1_000_000_000

    /// Throws if a value has more bytes than PostgreSQL accepts.
    ///
    /// libpq would send such a value, and the server would end the connection.
    func checkLengths() throws {
        guard let length = places.lazy.compactMap({ $0?.count }).max(), length > Self.maximumLength else { return }
        throw PostgreSQLError(
            kind: .server("54000"), message: "a value has \(length) bytes, and may have \(Self.maximumLength)")
    }

    /// Calls the body with the values, lengths and formats in the form that libpq expects.
    func withPointers<Result>(
        _ body: ([UnsafePointer<CChar>?], [Int32], [Int32]) throws -> Result
    ) rethrows -> Result {
        try bytes.withUnsafeBufferPointer { bytes in
            try UnsafeRawBufferPointer(bytes).withMemoryRebound(to: CChar.self) { bytes in
                let values = places.map { place in place.flatMap { bytes.baseAddress?.advanced(by: $0.lowerBound) } }
                return try body(values, places.map { Int32(clamping: $0?.count ?? 0) }, formats)
            }
        }
    }
}

extension Parameters {
    /// Adds an integer.
    mutating func append(_ number: Int64) {
        withUnsafeBytes(of: number.bigEndian) { append($0, .integer) }
    }

    /// Adds text, which has no U+0000 and no U+0001.
    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0), .string) }
    }

    /// Adds the bytes of a value.
    private mutating func append(_ value: UnsafeRawBufferPointer, _ type: AttributeType) {
        types.append(type.oid)
        formats.append(1)
        places.append(bytes.count..<bytes.count + value.count)
        bytes.append(contentsOf: value)
        bytes.append(0)
    }

    /// Adds a value as a column's type.
    mutating func append(_ value: Value, as type: AttributeType) throws {
        let start = bytes.count
        types.append(type.oid)
        formats.append(type == .decimal ? 0 : 1)
        if value.isNull { return places.append(nil) }
        try bytes.append(value, as: type)
        places.append(start..<bytes.count)
        // Text ends with a NUL. It also gives an empty value an address, as NULL has none.
        bytes.append(0)
    }

    /// Adds an array of values of a column's type; decimals are elements of text.
    mutating func append(_ values: some Collection<Value>, ofType type: AttributeType) throws {
        types.append(type.arrayOID)
        formats.append(1)
        let start = bytes.count
        bytes.appendBigEndian(Int32(values.isEmpty ? 0 : 1))
        bytes.appendBigEndian(Int32(1))
        bytes.appendBigEndian(Int32(bitPattern: type == .decimal ? AttributeType.string.oid : type.oid))
        if !values.isEmpty {
            bytes.appendBigEndian(Int32(clamping: values.count))
            bytes.appendBigEndian(Int32(1))
        }
        for value in values {
            let place = bytes.count
            bytes.appendBigEndian(Int32(-1))
            if value.isNull { continue }
            try bytes.append(value, as: type)
            withUnsafeBytes(of: Int32(clamping: bytes.count - place - 4).bigEndian) { length in
                bytes.replaceSubrange(place..<place + 4, with: length)
            }
        }
        places.append(start..<bytes.count)
        bytes.append(0)
    }
}

extension [UInt8] {
    /// Appends a number in the order of the network.
    fileprivate mutating func appendBigEndian(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    /// Appends a value in the form of its column.
    fileprivate mutating func append(_ value: Value, as type: AttributeType) throws {
        if type == .json { return append(escaping: try value.json) }
        switch value {
        case .null: break
        case .bool(let value): append(value ? 1 : 0)
        case .integer(let value): appendBigEndian(value)
        case .double(let value): appendBigEndian(value.bitPattern)
        case .date(let value): appendBigEndian(value.timeIntervalSinceReferenceDate.bitPattern)
        case .decimal(let value): append(contentsOf: value.exactText.utf8)
        case .string(let value): append(escaping: value)
        case .url(let value): append(escaping: value.absoluteString)
        case .uuid(let value): Swift.withUnsafeBytes(of: value.uuid) { append(contentsOf: $0) }
        case .bytes(let value): append(contentsOf: value)
        case .array, .object: append(escaping: try value.json)
        }
    }

    /// Appends text in its stored form; see `TextForm`.
    private mutating func append(escaping text: String) {
        var text = text
        text.withUTF8 { bytes in
            if TextForm.isPlain(bytes) { append(contentsOf: bytes) } else { TextForm.append(bytes, to: &self) }
        }
    }
}

extension AttributeType {
    /// The object identifier of the column's type.
    var oid: Oid {
        switch self {
        case .bool: 16
        case .bytes: 17
        case .integer: 20
        case .string, .url, .json: 25
        case .double, .date: 701
        case .decimal: 1700
        case .uuid: 2950
        }
    }

    /// The object identifier of arrays; those of decimals have elements of text.
    var arrayOID: Oid {
        switch self {
        case .bool: 1000
        case .bytes: 1001
        case .integer: 1016
        case .string, .url, .json, .decimal: 1009
        case .double, .date: 1022
        case .uuid: 2951
        }
    }

    /// The name of the column's type in SQL.
    var sqlName: String {
        switch self {
        case .bool: "boolean"
        case .bytes: "bytea"
        case .integer: "bigint"
        case .string, .url, .json: "text"
        case .double, .date: "double precision"
        case .decimal: "numeric"
        case .uuid: "uuid"
        }
    }

    /// Whether values may be larger than an entry of a B-tree.
    var isLong: Bool { [.bytes, .string, .url, .json].contains(self) }
}
