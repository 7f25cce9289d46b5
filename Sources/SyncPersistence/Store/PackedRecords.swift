#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Records in a compact form, which takes a fifth to a third of their memory.
///
/// A record begins with the number of its shape and the values of its key. The other values follow in the order of the
/// slots. A value is a byte for its case, and its content. Text that the slot has had before, such as the key of a common
/// parent, is the distance to it. Values of rare cases are kept as they are, and the form has their index.
struct PackedRecords: Sendable {
    /// The place of a record.
    struct Place: Sendable {
        fileprivate let chunk: UInt32
        fileprivate let offset: UInt16
    }

    /// The bytes of the records.
    ///
    /// A chunk is not moved while others are added.
    private var chunks: [[UInt8]] = []
    /// The shapes of the records so far, each once.
    private var shapes: [PackedShape] = []
    /// The values of rare cases.
    private var others: [Value] = []

    /// The number of bytes in a chunk, unless a single record has more.
    private static let chunkSize = 1 << 16
}

/// A shape with the order in which the slots of its records are packed.
private struct PackedShape: Sendable {
    let shape: Shape
    /// The positions of the slots, the parts of the key first.
    let order: [Int]
    /// For each position, whether the slot connects the record with another one by a relationship.
    let isLink: [Bool]
    /// Where the last text of each slot begins that is not a repetition; nil if the present chunk has none.
    var texts: [Int?]
    /// The number of records of the shape.
    var count = 0

    /// Creates the order of a shape's values: its key first, so that it is found without the rest.
    init(_ shape: Shape) {
        self.shape = shape
        order = shape.keySlots + shape.slots.indices.filter { !shape.keySlots.contains($0) }
        isLink = shape.slots.indices.map { slot in shape.membershipSeeds.contains { $0.slot == slot } }
        texts = Array(repeating: nil, count: order.count)
    }

    /// Forgets the texts of a chunk that is full.
    mutating func forgetTexts() { texts = Array(repeating: nil, count: order.count) }
}

/// The first byte of a packed value.
private enum Tag: UInt8 {
    case null, no, yes, integer, double, string, repetition, date, uuid, other
}

extension PackedRecords {
    /// Adds a record, and returns its place.
    ///
    /// - Complexity: O(size of the record)
    mutating func append(_ record: Record) -> Place {
        let number = number(of: record.shape)
        if (chunks.last?.count ?? Self.chunkSize) >= Self.chunkSize {
            var chunk: [UInt8] = []
            chunk.reserveCapacity(Self.chunkSize + 1_024)
            chunks.append(chunk)
            for shape in shapes.indices { shapes[shape].forgetTexts() }
        }
        let last = chunks.count - 1
        let place = Place(chunk: UInt32(last), offset: UInt16(chunks[last].count))
        let order = shapes[number].order
        shapes[number].count += 1
        record.values.withUnsafeBufferPointer { values in
            PackedRecords.append(UInt64(number), to: &chunks[last])
            for slot in order {
                PackedRecords.append(values[slot], to: &chunks[last], after: &shapes[number].texts[slot], &others)
            }
        }
        return place
    }

    /// The number of records of a shape that were added.
    func count(of shape: Shape) -> Int { shapes.first { $0.shape === shape }?.count ?? 0 }

    /// Returns the index of a shape in `shapes`, to which a new one is appended.
    private mutating func number(of shape: Shape) -> Int {
        // A transaction stores records of few shapes.
        if let number = shapes.lastIndex(where: { $0.shape === shape }) { return number }
        shapes.append(PackedShape(shape))
        return shapes.count - 1
    }

    /// Adds a value.
    ///
    /// - Parameter earlier: Where a text begins that may be the same.
    private static func append(
        _ value: Value, to chunk: inout [UInt8], after earlier: inout Int?, _ others: inout [Value]
    ) {
        switch value {
        case .null: chunk.append(Tag.null.rawValue)
        case .bool(let flag): chunk.append((flag ? Tag.yes : .no).rawValue)
        case .integer(let number):
            chunk.append(Tag.integer.rawValue)
            // Numbers near zero are short, whatever their sign.
            append(UInt64(bitPattern: (number << 1) ^ (number >> 63)), to: &chunk)
        case .double(let number): append(.double, number.bitPattern, to: &chunk)
        case .date(let date): append(.date, date.timeIntervalSinceReferenceDate.bitPattern, to: &chunk)
        case .string(var text):
            text.withUTF8 { bytes in
                let start = chunk.count
                if let earlier, chunk.withUnsafeBytes({ PackedReader($0, at: earlier).isText(bytes) }) {
                    chunk.append(Tag.repetition.rawValue)
                    append(UInt64(start - earlier), to: &chunk)
                } else {
                    chunk.append(Tag.string.rawValue)
                    append(UInt64(bytes.count), to: &chunk)
                    chunk.append(contentsOf: bytes)
                    earlier = start
                }
            }
        case .uuid(let uuid):
            chunk.append(Tag.uuid.rawValue)
            withUnsafeBytes(of: uuid.uuid) { chunk.append(contentsOf: $0) }
        case .decimal, .bytes, .url, .array, .object:
            chunk.append(Tag.other.rawValue)
            append(UInt64(others.count), to: &chunk)
            others.append(value)
        }
    }

    /// Appends a tag and eight bytes.
    private static func append(_ tag: Tag, _ bits: UInt64, to chunk: inout [UInt8]) {
        chunk.append(tag.rawValue)
        withUnsafeBytes(of: bits) { chunk.append(contentsOf: $0) }
    }

    /// Appends a number by 7 bits in each byte, the lowest first.
    private static func append(_ number: UInt64, to chunk: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            chunk.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        chunk.append(UInt8(truncatingIfNeeded: rest))
    }
}

extension PackedRecords {
    /// Returns a record.
    ///
    /// - Complexity: O(size of the record)
    func record(at place: Place) -> Record {
        chunks[Int(place.chunk)].withUnsafeBytes { bytes in
            var reader = PackedReader(bytes, at: Int(place.offset))
            let packed = shapes[reader.readCount()]
            var values = [Value](repeating: .null, count: packed.order.count)
            for slot in packed.order { values[slot] = reader.readValue(others) }
            return Record(packed.shape, slots: values)
        }
    }

    /// Returns the shape of a record.
    ///
    /// - Complexity: O(1)
    func shape(at place: Place) -> Shape {
        chunks[Int(place.chunk)].withUnsafeBytes { bytes in
            var reader = PackedReader(bytes, at: Int(place.offset))
            return shapes[reader.readCount()].shape
        }
    }

    /// Returns the key of a record.
    ///
    /// - Complexity: O(size of the key)
    func key(at place: Place) -> Value {
        chunks[Int(place.chunk)].withUnsafeBytes { bytes in
            var reader = PackedReader(bytes, at: Int(place.offset))
            let count = shapes[reader.readCount()].shape.keySlots.count
            if count == 1 { return reader.readValue(others) }
            return .array((0..<count).map { _ in reader.readValue(others) })
        }
    }

    /// Whether a record has a key.
    ///
    /// - Complexity: O(size of the key)
    func isKey(_ key: Value, at place: Place) -> Bool {
        guard case .string(var text) = key else { return self.key(at: place) == key }
        return chunks[Int(place.chunk)].withUnsafeBytes { bytes in
            var reader = PackedReader(bytes, at: Int(place.offset))
            guard shapes[reader.readCount()].shape.keySlots.count == 1, let stored = reader.readText() else {
                return false
            }
            // Equal text has equal bytes, because values compare text by its scalars.
            return text.withUTF8 { $0.elementsEqual(stored) }
        }
    }

    /// Returns a record's shape and key, and the number of its links.
    ///
    /// - Complexity: O(number of slots), and O(size of the key) for a shape without relationships
    func outline(at place: Place) -> Commit.Changes.Outline {
        chunks[Int(place.chunk)].withUnsafeBytes { bytes in
            var reader = PackedReader(bytes, at: Int(place.offset))
            let number = reader.readCount()
            let shape = shapes[number].shape
            var linkCount = shape.role == .links ? 1 : 0
            if linkCount == 0, !shape.membershipSeeds.isEmpty {
                for slot in shapes[number].order where reader.skipValue() && shapes[number].isLink[slot] {
                    linkCount += 1
                }
            }
            return Commit.Changes.Outline(shape: shape, key: key(at: place), linkCount: linkCount)
        }
    }
}

/// Reads packed values.
private struct PackedReader {
    // because: a reader exists only within a call of `withUnsafeBytes`.
    private let bytes: UnsafeRawBufferPointer
    private var position: Int

    init(_ bytes: UnsafeRawBufferPointer, at position: Int) { (self.bytes, self.position) = (bytes, position) }

    /// Reads the tag of a value.
    private mutating func readTag() -> Tag {
        defer { position += 1 }
        guard let tag = Tag(rawValue: bytes[position]) else { preconditionFailure("a packed value has a case") }
        return tag
    }

    /// Reads a number that has 7 bits in each byte.
    private mutating func readNumber() -> UInt64 {
        var (number, shift) = (0 as UInt64, 0 as UInt64)
        while true {
            let byte = bytes[position]
            position += 1
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
    }

    /// Reads the index or the count of something in memory.
    mutating func readCount() -> Int { Int(readNumber()) }

    /// Reads eight bytes.
    private mutating func readBits() -> UInt64 {
        defer { position += 8 }
        return bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
    }

    /// Reads a count and as many bytes.
    private mutating func readBytes() -> UnsafeRawBufferPointer {
        let count = readCount()
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    }

    /// Reads how far before a position the text stands that is repeated there; returns its bytes.
    private mutating func readRepetition(from position: Int) -> UnsafeRawBufferPointer {
        var reader = PackedReader(bytes, at: position - readCount())
        return reader.readText() ?? UnsafeRawBufferPointer(rebasing: bytes[0..<0])
    }

    /// Reads a value, and returns its bytes if it is text; nil otherwise.
    mutating func readText() -> UnsafeRawBufferPointer? {
        let start = position
        switch readTag() {
        case .string: return readBytes()
        case .repetition: return readRepetition(from: start)
        default: return nil
        }
    }

    /// Whether a text has these bytes.
    consuming func isText(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let bytes = readText(), bytes.count == text.count else { return false }
        return bytes.elementsEqual(text)
    }

    /// Reads a value.
    ///
    /// - Parameter others: The values of cases that are not packed.
    mutating func readValue(_ others: [Value]) -> Value {
        let start = position
        switch readTag() {
        case .null: return .null
        case .no: return .bool(false)
        case .yes: return .bool(true)
        case .integer:
            let number = readNumber()
            return .integer(Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1))
        case .double: return .double(Double(bitPattern: readBits()))
        case .string: return .string(String(decoding: readBytes(), as: UTF8.self))
        case .repetition: return .string(String(decoding: readRepetition(from: start), as: UTF8.self))
        case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: readBits())))
        case .uuid:
            defer { position += 16 }
            return .uuid(UUID(uuid: bytes.loadUnaligned(fromByteOffset: position, as: uuid_t.self)))
        case .other: return others[readCount()]
        }
    }

    /// Moves behind a value, and returns whether it is not null.
    mutating func skipValue() -> Bool {
        switch readTag() {
        case .null: return false
        case .no, .yes: break
        case .integer, .repetition, .other: _ = readNumber()
        case .double, .date: position += 8
        case .string: _ = readBytes()
        case .uuid: position += 16
        }
        return true
    }
}
