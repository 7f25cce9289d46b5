extension Value {
    /// The value as JSON text, from which ``init(taggedJSON:)`` reads it as it was, whatever its case.
    ///
    /// For the authors of adapters, who keep values in columns of text or in files. The text is one line.
    ///
    /// ```swift
    /// Value.array([1, 1.0, .date(date)]).taggedJSON  // [1,{"double":1.0},{"date":788918400.0}]
    /// ```
    ///
    /// Null, truth values, integers, doubles with a fraction, text and arrays are what they are in JSON; everything else
    /// is an object of one member, a tag with its content: `double`, `decimal`, `bytes`, `date`, `uuid`, `url` and
    /// `object`, whose content is an array of names and values in turns. Coding a value has the same form.
    ///
    /// All is kept but what equality does not see: the bits of what is not a number, zeros at the end of a decimal, and
    /// what a locator is relative to. The sign of a zero and the order of members are kept. A store holds no value that is
    /// too deep to be read back.
    ///
    /// - Complexity: O(*n*) for a value of size *n*
    public var taggedJSON: String {
        var writer = JSONWriter()
        writer.writeTagged(self)
        return writer.text
    }

    /// The value of a text of ``taggedJSON``.
    ///
    /// - Throws: ``JSONError`` if the text is none; where arrays and objects are more than ``JSONOptions/maximumDepthLimit`` deep in each other, too.
    /// - Complexity: O(*n*) for *n* bytes
    public init(taggedJSON text: String) throws(JSONError) {
        let read = { (bytes: UnsafeRawBufferPointer) in
            JSONReader.read(bytes, options: Self.taggedOptions, isText: true, isTagged: true)
        }
        self = try text.withUTF8Bytes(read).get()
    }

    /// The value of a text of ``taggedJSON`` in UTF-8 bytes, as a column has them.
    ///
    /// - Throws: ``JSONError`` if the text is none.
    /// - Complexity: O(*n*) for *n* bytes
    package init(taggedJSON bytes: UnsafeRawBufferPointer) throws(JSONError) {
        self = try JSONReader.read(bytes, options: Self.taggedOptions, isText: false, isTagged: true).get()
    }

    /// Values from JSON are at most 512 deep, and not much is put around them.
    private static var taggedOptions: JSONOptions {
        var options = JSONOptions()
        options.depthLimit = JSONOptions.maximumDepthLimit
        options.refusesDuplicateNames = true
        return options
    }
}
