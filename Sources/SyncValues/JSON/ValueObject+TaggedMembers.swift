extension ValueObject {
    /// Returns the object as JSON text in UTF-8, with the values of some members in the tagged form.
    ///
    /// The other members are plain JSON, so that a reader in any language finds its way to the values that JSON has no
    /// form for.
    ///
    /// - Parameter names: The names of the members whose values are written like ``Value/taggedJSON``.
    /// - Throws: ``JSONRepresentationError`` if another member has a number or date that JSON has no form for.
    /// - Complexity: O(*n*) for an object of size *n*
    package func jsonBytes(tagged names: Set<String>) throws(JSONRepresentationError) -> [UInt8] {
        var writer = JSONWriter()
        writer.open("{")
        for position in values.indices {
            writer.separate(isFirst: position == 0)
            writer.write(self.names[position])
            writer.colon()
            if names.contains(self.names[position]) {
                writer.writeTagged(values[position])
            } else {
                do throws(JSONRepresentationError) {
                    try writer.write(values[position])
                } catch {
                    throw error.inside(JSONWriter.step(to: self.names[position]))
                }
            }
        }
        writer.close("}", isEmpty: values.isEmpty)
        return writer.bytes
    }

    /// Creates the object of a JSON text in UTF-8, with the values of some members in the tagged form.
    ///
    /// Names must be unique in every object. Arrays and objects may be nested ``JSONOptions/maximumDepthLimit`` levels
    /// deep.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - names: The names of the members whose values are read like those of ``Value/init(taggedJSON:)``.
    /// - Throws: ``JSONError`` if the text is no object, or no JSON of that form.
    /// - Complexity: O(*n*) for *n* bytes
    package init(json bytes: some Sequence<UInt8>, tagged names: Set<String>) throws(JSONError) {
        let read = { (bytes: UnsafeRawBufferPointer) in JSONReader.readMembers(of: bytes, tagged: names) }
        let result =
            bytes.withContiguousStorageIfAvailable { read(UnsafeRawBufferPointer($0)) }
            ?? Array(bytes).withUnsafeBytes(read)
        self = try result.get()
    }
}

extension JSONReader {
    /// Returns the object of a text in which the values of some members are in the tagged form.
    ///
    /// - Complexity: O(*n*) for *n* bytes
    static func readMembers(
        of bytes: UnsafeRawBufferPointer, tagged tags: Set<String>
    ) -> Result<ValueObject, JSONError> {
        var options = JSONOptions()
        options.depthLimit = JSONOptions.maximumDepthLimit
        options.refusesDuplicateNames = true
        var reader = JSONReader(bytes, options: options, isText: false, isTagged: false)
        reader.outerDepth = 1
        do throws(JSONFault) {
            return .success(try reader.readMembers(tagged: tags))
        } catch {
            return .failure(JSONError(error, in: bytes))
        }
    }

    /// Reads the outermost object, to the end of the text.
    private mutating func readMembers(tagged tags: Set<String>) throws(JSONFault) -> ValueObject {
        guard skipSpace() == UInt8(ascii: "{") else { throw fault(.object) }
        position &+= 1
        var names: [String] = []
        var values: [Value] = []
        var offsets: [Int] = []
        while true {
            let first = skipSpace()
            if first == UInt8(ascii: "}"), names.isEmpty { break }
            guard first == UInt8(ascii: "\"") else { throw fault(names.isEmpty ? .nameOrObjectEnd : .name) }
            offsets.append(position)
            let name = try readString()
            guard skipSpace() == UInt8(ascii: ":") else { throw fault(.colon) }
            position &+= 1
            isTagged = tags.contains(name)
            values.append(try readValue())
            names.append(name)
            let separator = skipSpace()
            if separator == UInt8(ascii: "}") { break }
            guard separator == UInt8(ascii: ",") else { throw fault(.commaOrObjectEnd) }
            position &+= 1
        }
        position &+= 1
        skipSpace()
        if position < bytes.count { throw fault(.end) }
        if let duplicate = ValueObject.firstDuplicate(in: names) { throw fault(.uniqueName, at: offsets[duplicate]) }
        return ValueObject(distinct: names, values)
    }
}
