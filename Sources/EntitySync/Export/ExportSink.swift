import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A receiver of the pieces of an exported document.
///
/// The pieces arrive in the order of the text:
///
/// ```
/// beginArray  element  beginObject  key("id")  value(7)  endObject  endArray
/// ```
///
/// The same graph is thus written as bytes by ``JSONSink``, without a value of the whole document, and as a value by
/// ``ValueSink``.
protocol ExportSink: Sendable {
    /// Whether values keep their cases instead of being converted to their JSON form.
    var keepsCases: Bool { get }

    /// Begins an object, as a member, an element or the whole document.
    mutating func beginObject()
    /// Ends the object that was begun last.
    mutating func endObject()
    /// Begins an array, as a member, an element or the whole document.
    mutating func beginArray()
    /// Ends the array that was begun last.
    mutating func endArray()
    /// Receives the key of the next value.
    mutating func key(_ key: ExportPlan.Key)
    /// Receives the separator before an element of an array.
    mutating func element()
    /// Receives a value.
    mutating func value(_ value: Value) throws
}

/// Writes a document as JSON.
struct JSONSink: ExportSink {
    /// The writer of the text so far.
    private var writer: JSONWriter
    /// For each open object or array, whether it is still empty.
    private var isFirst: [Bool] = []

    /// Creates a sink without text.
    init(format: JSONFormat) { writer = JSONWriter(format: format) }

    /// The text so far, in UTF-8.
    var bytes: [UInt8] { writer.bytes }

    /// Always false, because text has no dates, bytes or UUIDs.
    var keepsCases: Bool { false }

    mutating func beginObject() { begin("{") }
    mutating func endObject() { end("}") }
    mutating func beginArray() { begin("[") }
    mutating func endArray() { end("]") }

    /// Writes a comma if necessary, and the key with its colon.
    ///
    /// The key was escaped when it was planned, so its bytes are copied.
    mutating func key(_ key: ExportPlan.Key) {
        element()
        writer.bytes.append(contentsOf: key.bytes)
    }

    /// Writes a comma, except before the first part of a container.
    mutating func element() {
        writer.separate(isFirst: isFirst[isFirst.count - 1])
        isFirst[isFirst.count - 1] = false
    }

    /// Writes a value as plain JSON.
    ///
    /// - Throws: `JSONRepresentationError` for a number or date without a JSON form.
    mutating func value(_ value: Value) throws { try writer.write(value) }

    /// Writes an opening bracket, and expects the first part of a container.
    private mutating func begin(_ bracket: StaticString) {
        writer.open(bracket)
        isFirst.append(true)
    }

    /// Writes a closing bracket, on a line of its own unless the container is empty.
    private mutating func end(_ bracket: StaticString) {
        writer.close(bracket, isEmpty: isFirst.removeLast())
    }
}

/// Builds a document as a value.
struct ValueSink: ExportSink {
    /// The document when it is complete.
    private(set) var document = Value.null
    /// Whether dates, bytes, UUIDs, locators and decimals keep their cases instead of becoming text or numbers.
    let keepsCases: Bool

    /// The open objects and arrays, the innermost last.
    private var open: [Container] = []

    /// An open object or array.
    private struct Container {
        /// The names of an object's members so far; empty for an array.
        var names: [String] = []
        /// The values so far.
        var values: [Value] = []
    }

    /// Creates a sink without a document.
    init(keepsCases: Bool) { self.keepsCases = keepsCases }

    mutating func beginObject() { open.append(Container()) }
    mutating func beginArray() { open.append(Container()) }
    /// Does nothing, because a value is appended to the container that is open.
    mutating func element() {}

    mutating func endObject() {
        let container = open.removeLast()
        add(.object(ValueObject(names: container.names, values: container.values)))
    }

    mutating func endArray() { add(.array(open.removeLast().values)) }

    mutating func key(_ key: ExportPlan.Key) { open[open.count - 1].names.append(key.name) }

    mutating func value(_ value: Value) throws {
        guard !keepsCases else { return add(value) }
        // Writing a value without a JSON form throws an error with the reason.
        switch value {
        case .date(let date): add(.string(try date.internetText ?? value.json))
        case .uuid(let uuid): add(.string(uuid.uuidString))
        case .url(let url): add(.string(url.absoluteString))
        case .double(let number) where !number.isFinite: add(.string(try value.json))
        default: add(value)
        }
    }

    /// Appends a value to the open container, or makes it the document if none is open.
    private mutating func add(_ value: Value) {
        if open.isEmpty { document = value } else { open[open.count - 1].values.append(value) }
    }
}
