extension Value {
    /// The value as JSON text that ``init(taggedJSON:)`` reads back unchanged, whatever its case.
    ///
    /// Adapters use it to keep values in text columns or in files. The text is one line.
    ///
    /// ```swift
    /// Value.array([1, 1.0, .date(date)]).taggedJSON  // [1,{"double":1.0},{"date":788918400.0}]
    /// ```
    ///
    /// Null, truth values, integers, doubles with a fraction, text and arrays are plain JSON. Every other value is an
    /// object with one member, a tag with its content. The tags are `double`, `decimal`, `bytes`, `date`, `uuid`, `url`
    /// and `object`. The content of `object` is an array in which names and values alternate. `Codable` uses the same
    /// form.
    ///
    /// The text keeps everything that equality compares, the sign of a zero and the order of members. It does not keep
    /// the bits of a NaN, zeros at the end of a decimal, or the base of a relative URL. A store never holds a value
    /// that is nested too deep to be read back.
    ///
    /// - Complexity: O(*n*) for a value of size *n*
    public var taggedJSON: String {
        var writer = JSONWriter()
        writer.writeTagged(self)
        return writer.text
    }

    /// Creates the value of a ``taggedJSON`` text.
    ///
    /// - Throws: ``JSONError`` if the text has another form, or if arrays and objects are nested more than
    ///   ``JSONOptions/maximumDepthLimit`` levels deep.
    /// - Complexity: O(*n*) for *n* bytes
    public init(taggedJSON text: String) throws(JSONError) {
        let read = { (bytes: UnsafeRawBufferPointer) in
            JSONReader.read(bytes, options: Self.taggedOptions, isText: true, isTagged: true)
        }
        self = try text.withUTF8Bytes(read).get()
    }

    /// The options for tagged text, with the highest depth limit.
    ///
    /// Values from JSON are nested at most 512 levels deep, and a store adds few levels around them.
    private static var taggedOptions: JSONOptions {
        var options = JSONOptions()
        options.depthLimit = JSONOptions.maximumDepthLimit
        options.refusesDuplicateNames = true
        return options
    }
}
