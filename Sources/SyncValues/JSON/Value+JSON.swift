extension Value {
    /// Creates the value of a JSON text in UTF-8, from `Data`, `[UInt8]` or other bytes.
    ///
    /// ```swift
    /// let value = try Value(json: data)
    /// ```
    ///
    /// A number is an ``integer(_:)`` if it has neither fraction nor exponent and fits in 64 bits. Otherwise it is a
    /// ``double(_:)``, or an exact ``decimal(_:)`` if ``JSONOptions/readsDecimals`` is set. Members keep their order.
    ///
    /// A byte order mark before the text is skipped. If a name is repeated in an object, the last value counts, at the
    /// position of the first. With ``JSONOptions/refusesDuplicateNames``, a repeated name is an error instead. The
    /// value does not show that a name was repeated. A sync of the text reports repeated names; a sync of the value
    /// cannot.
    ///
    /// - Throws: ``JSONError`` if the text is not JSON by RFC 8259 and the options.
    /// - Complexity: O(*n*) for *n* bytes
    public init(json: some Sequence<UInt8>, options: JSONOptions = JSONOptions()) throws(JSONError) {
        let read = { (bytes: UnsafeRawBufferPointer) in JSONReader.read(bytes, options: options, isText: false) }
        let result =
            json.withContiguousStorageIfAvailable { read(UnsafeRawBufferPointer($0)) }
            ?? Array(json).withUnsafeBytes(read)
        self = try result.get()
    }

    /// Creates the value of a JSON text.
    ///
    /// ```swift
    /// try Value(json: #"{"title": "Milk", "count": 2}"#)
    /// ```
    ///
    /// As for bytes, a byte order mark is skipped, and the last value of a repeated name counts.
    ///
    /// - Throws: ``JSONError`` if the text is not JSON by RFC 8259 and the options.
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
    /// ``init(json:options:)-(String,_)`` reads null, truth values, numbers, text, arrays and objects back unchanged. A
    /// double keeps its point, `1.0`, and has the fewest digits that are read as the same number.
    ///
    /// The other cases are written in the closest JSON form, and read back as that:
    /// - a ``decimal(_:)`` as a number;
    /// - ``bytes(_:)`` as base64 text;
    /// - a ``date(_:)`` as text of RFC 3339 in UTC;
    /// - a ``uuid(_:)`` and a ``url(_:)`` as text.
    ///
    /// - Throws: ``JSONRepresentationError`` if a number is infinite or NaN, or a date is outside of the years 0 to
    ///   9999.
    /// - Complexity: O(*n*) for a value of size *n*
    public var json: String {
        get throws(JSONRepresentationError) { try json([]) }
    }

    /// Returns the value as JSON text in a layout, otherwise like ``json-swift.property``.
    ///
    /// ```swift
    /// try value.json([.indented, .sortedNames])
    /// ```
    ///
    /// - Throws: ``JSONRepresentationError`` if a number is infinite or NaN, or a date is outside of the years 0 to
    ///   9999.
    /// - Complexity: O(*n*) for a value of size *n*; O(*m* log *m*) for *m* members if they are sorted
    public func json(_ format: JSONFormat) throws(JSONRepresentationError) -> String {
        String(decoding: try jsonBytes(format), as: UTF8.self)
    }

    /// Returns the value as the UTF-8 bytes of JSON text, otherwise like ``json-swift.property``.
    ///
    /// - Throws: ``JSONRepresentationError`` if a number is infinite or NaN, or a date is outside of the years 0 to
    ///   9999.
    /// - Complexity: O(*n*) for a value of size *n*
    public func jsonBytes(_ format: JSONFormat = []) throws(JSONRepresentationError) -> [UInt8] {
        var writer = JSONWriter(format: format)
        try writer.write(self)
        return writer.bytes
    }
}
