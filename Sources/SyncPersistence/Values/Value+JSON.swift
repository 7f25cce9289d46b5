extension Value {
    /// The value of a JSON text in UTF-8, as `Data`, `[UInt8]` and other bytes have it.
    ///
    /// ```swift
    /// let value = try Value(json: data)
    /// ```
    ///
    /// A number is an ``integer(_:)`` if it has neither fraction nor exponent and 64 bits hold it, else a
    /// ``double(_:)``. Members keep their order.
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
