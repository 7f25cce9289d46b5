extension Value {
    /// The value of a JSON text in UTF-8, as `Data`, `[UInt8]` and other bytes have it.
    ///
    /// ```swift
    /// let value = try Value(json: data)
    /// ```
    ///
    /// A number is an ``integer(_:)`` if it has neither fraction nor exponent and 64 bits hold it, else a
    /// ``double(_:)``, or an exact ``decimal(_:)`` where ``JSONOptions/readsDecimals`` asks for it. Members keep their
    /// order.
    ///
    /// - Throws: ``JSONError`` if the text is not JSON as RFC 8259 and the options have it.
    /// - Complexity: O(*n*) for *n* bytes
    public init(json: some Sequence<UInt8>, options: JSONOptions = JSONOptions()) throws(JSONError) {
        let read = { (bytes: UnsafeRawBufferPointer) in JSONReader.read(bytes, options: options, isText: false) }
        let result =
            json.withContiguousStorageIfAvailable { read(UnsafeRawBufferPointer($0)) }
            ?? Array(json).withUnsafeBytes(read)
        self = try result.get()
    }

    /// The value of a JSON text.
    ///
    /// ```swift
    /// try Value(json: #"{"title": "Milk", "count": 2}"#)
    /// ```
    ///
    /// - Throws: ``JSONError`` if the text is not JSON as RFC 8259 and the options have it.
    /// - Complexity: O(*n*) for *n* bytes
    public init(json: String, options: JSONOptions = JSONOptions()) throws(JSONError) {
        self = try json.withUTF8Bytes { JSONReader.read($0, options: options, isText: true) }.get()
    }
}

extension Value {
    /// The value as JSON text on one line.
    ///
    /// ```swift
    /// try Value.object(object).json  // {"title":"Milk","count":2,"price":1.0}
    /// ```
    ///
    /// What is null, a truth value, a number, text, an array or an object is read back as it was, by ``init(json:options:)-(String,_)``:
    /// a double keeps its point, `1.0`, and has as few digits as are read as the same number. The other cases are
    /// written as what comes closest, and read back as that: a ``decimal(_:)`` as a number, ``bytes(_:)`` as base64 text,
    /// a ``date(_:)`` as text of RFC 3339 in UTC, a ``uuid(_:)`` and a ``url(_:)`` as text.
    ///
    /// - Throws: ``JSONRepresentationError`` if a number is infinite or none, or a date outside of the years 0 to 9999.
    /// - Complexity: O(*n*) for a value of size *n*
    public var json: String {
        get throws(JSONRepresentationError) { try json([]) }
    }

    /// The value as JSON text of a layout, otherwise as ``json-swift.property`` has it.
    ///
    /// ```swift
    /// try value.json([.indented, .sortedNames])
    /// ```
    ///
    /// - Throws: ``JSONRepresentationError`` if a number is infinite or none, or a date outside of the years 0 to 9999.
    /// - Complexity: O(*n*) for a value of size *n*, O(*m* log *m*) for *m* members where they are sorted
    public func json(_ format: JSONFormat) throws(JSONRepresentationError) -> String {
        String(decoding: try jsonBytes(format), as: UTF8.self)
    }

    /// The value as the UTF-8 bytes of JSON text, otherwise as ``json-swift.property`` has it.
    ///
    /// - Throws: ``JSONRepresentationError`` if a number is infinite or none, or a date outside of the years 0 to 9999.
    /// - Complexity: O(*n*) for a value of size *n*
    public func jsonBytes(_ format: JSONFormat = []) throws(JSONRepresentationError) -> [UInt8] {
        var writer = JSONWriter(format: format)
        try writer.write(self)
        return writer.bytes
    }
}
