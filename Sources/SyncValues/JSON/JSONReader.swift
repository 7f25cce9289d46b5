/// A reader of one JSON value from UTF-8 bytes, strictly according to RFC 8259.
///
/// It uses stacks of its own instead of the call stack, so that only the limit restricts the depth of the text.
///
/// For `{"a": [1, 2,` the stacks hold:
///
/// | stack | content |
/// |---|---|
/// | open containers | an object, an array |
/// | values | 1, 2 |
/// | names | a |
///
/// A closing bracket moves the values and names of the innermost container into an array or object. That value is then
/// pushed for the container around it.
struct JSONReader: ~Copyable {
    // because: the bytes are only used within the call of `read` that lends them.
    /// The text, in UTF-8.
    var bytes: UnsafeRawBufferPointer
    /// The offset of the next byte to read.
    var position = 0
    /// How many arrays and objects are open around the text.
    var outerDepth = 0
    /// The limits, and what is read beyond RFC 8259.
    let options: JSONOptions
    /// Whether the bytes come from a string, and so are UTF-8.
    let isText: Bool
    /// Whether objects are tags, as in `Value.taggedJSON`.
    var isTagged: Bool
    /// The buffer for strings with escapes.
    var scratch: [UInt8] = []
    /// The names of members that were read last.
    var cache = NameCache()

    /// The paths of names that occur twice in an object, from the value that is read; at most 100.
    var duplicates: [String] = []

    /// The open containers, the outermost first.
    private var open: [Container] = []
    /// The elements and the values of members so far, of all open containers.
    private var values = MoveStack<Value>()
    /// The names of members so far, of all open objects.
    ///
    /// The last name of each has no value yet.
    private var names = MoveStack<String>()
    /// The names of earlier objects, which the objects of a list share.
    private var lists = NameLists()
    /// The predicted names of the next objects.
    private var predictions = NamePredictions()
    /// The offsets of the members' names in the text, only kept if duplicates are refused.
    private var nameOffsets: [Int] = []

    /// An array or object, and the position of its first value on the stack of values.
    private struct Container {
        /// The kind of a container; a tagged object is the array under the tag `object`.
        enum Kind { case array, object, taggedObject }
        var kind: Kind
        /// The position of its first value on the stack of values.
        var start: Int
        /// How many names matched the prediction and are not on the stack of names; nil once a name differs.
        var predicted: Int? = 0
    }

    /// Creates a reader at the first byte.
    init(_ bytes: UnsafeRawBufferPointer, options: JSONOptions, isText: Bool, isTagged: Bool) {
        self.bytes = bytes
        self.options = options
        self.isText = isText
        self.isTagged = isTagged
    }

    /// Returns the value of the JSON text in the bytes.
    ///
    /// - Complexity: O(*n*) for *n* bytes
    static func read(
        _ bytes: UnsafeRawBufferPointer, options: JSONOptions, isText: Bool, isTagged: Bool = false
    ) -> Result<Value, JSONError> {
        var reader = JSONReader(bytes, options: options, isText: isText, isTagged: isTagged)
        do throws(JSONFault) {
            // Some servers put a byte order mark before the text. The library writes none.
            if bytes.starts(with: [0xEF, 0xBB, 0xBF]), !isTagged { reader.position = 3 }
            let value = try reader.readValue()
            reader.skipSpace()
            if reader.position < bytes.count { throw reader.fault(.end) }
            return .success(value)
        } catch {
            return .failure(JSONError(error, in: bytes))
        }
    }
}

extension JSONReader {
    /// Reads the value that begins at the position, and moves behind it.
    ///
    /// - Complexity: O(*n*) for a value of *n* bytes
    mutating func readValue() throws(JSONFault) -> Value {
        var expectation = JSONFault.Expectation.value
        while true {
            guard var value = try readStart(or: expectation) else {
                expectation = open.last?.kind == .array ? .valueOrArrayEnd : .value
                continue
            }
            // A complete value is added to the open container. That may complete the container, and so on.
            while true {
                guard let container = open.last else { return value }
                values.push(consume value)
                let end = container.kind == .object ? UInt8(ascii: "}") : UInt8(ascii: "]")
                let separator = skipSpace()
                if separator == UInt8(ascii: ",") {
                    position &+= 1
                    let mayEnd = options.allowsTrailingCommas
                    if !mayEnd || skipSpace() != end {
                        if container.kind == .array {
                            expectation = mayEnd ? .valueOrArrayEnd : .value
                        } else {
                            try readName(of: container.kind, or: mayEnd ? .nameOrObjectEnd : .name)
                            expectation = .value
                        }
                        break
                    }
                } else if separator != end {
                    throw fault(container.kind == .object ? .commaOrObjectEnd : .commaOrArrayEnd)
                }
                value = try close()
            }
        }
    }

    /// Reads a scalar or an empty container.
    ///
    /// For any other container, it reads up to its first value and returns nil.
    private mutating func readStart(or expectation: JSONFault.Expectation) throws(JSONFault) -> Value? {
        switch skipSpace() {
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): return try readNumber()
        case UInt8(ascii: "["):
            try push(.array)
            if skipSpace() == UInt8(ascii: "]") { return try close() }
            return nil
        case UInt8(ascii: "{"):
            if isTagged {
                if let content = try readTag() { return content }
                try push(.taggedObject)
                if skipSpace() == UInt8(ascii: "]") { return try close() }
                try readName(of: .taggedObject, or: .name)
            } else {
                try push(.object)
                if skipSpace() == UInt8(ascii: "}") { return try close() }
                try readName(of: .object, or: .nameOrObjectEnd)
            }
            return nil
        case UInt8(ascii: "t"):
            try skip("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try skip("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try skip("null")
            return .null
        default: throw fault(expectation)
        }
    }

    /// Opens a container at its opening bracket.
    ///
    /// - Throws: `JSONFault` if the depth exceeds the limit.
    private mutating func push(_ kind: Container.Kind) throws(JSONFault) {
        guard open.count + outerDepth < options.depthLimit else { throw fault(.depth(options.depthLimit)) }
        open.append(Container(kind: kind, start: values.count))
        position &+= 1
    }

    /// Closes the innermost container at its closing bracket, and returns its value.
    ///
    /// An object takes its array of names from the prediction or from an earlier object with equal names, if there is
    /// one.
    ///
    /// - Throws: `JSONFault` if a name is repeated and the options refuse that.
    private mutating func close() throws(JSONFault) -> Value {
        let container = open.removeLast()
        position &+= 1
        let values = values.pop(downTo: container.start)
        if container.kind == .array { return .array(values) }
        if container.kind == .taggedObject { try endTag() }
        if let predicted = container.predicted, predicted == values.count {
            if let names = predictions.names(of: predicted, depth: open.count) {
                if options.refusesDuplicateNames { nameOffsets.removeLast(predicted) }
                return .object(ValueObject(distinct: names, values))
            }
            putPredictedNames(predicted, depth: open.count)
        }
        let (names, duplicate) = lists.list(of: values.count, depth: open.count, from: &names)
        if options.refusesDuplicateNames {
            let first = nameOffsets.count - names.count
            if let duplicate { throw fault(.uniqueName, at: nameOffsets[first + duplicate]) }
            nameOffsets.removeLast(names.count)
        }
        if let duplicate { recordDuplicate(names[duplicate], inObjectAt: container.start) }
        if duplicate == nil, container.kind == .object { predictions.predict(names, depth: open.count) }
        return .object(
            duplicate == nil ? ValueObject(distinct: names, values) : ValueObject(names: names, values: values))
    }

    /// Records the path of a name that occurs twice in the object whose values begin at `start` on their stack.
    @inline(never)
    private mutating func recordDuplicate(_ name: String, inObjectAt start: Int) {
        guard duplicates.count < 100 else { return }
        var path = ""
        var nameCount = 0
        for (depth, container) in open.enumerated() {
            let index = (depth + 1 < open.count ? open[depth + 1].start : start) - container.start
            if container.kind == .array {
                path += "[\(index)]"
            } else if let predicted = container.predicted {
                path += ".\(predictions.name(predicted - 1, depth: depth))"
            } else {
                path += ".\(names.element(at: nameCount + index))"
                nameCount += index + 1
            }
        }
        duplicates.append("\(path).\(name)")
    }

    /// Reads the name of a member, and the separator after it.
    ///
    /// A name that matches the prediction is skipped as text, and is not put on the stack of names.
    ///
    /// - Throws: `JSONFault` if there is no name or no separator.
    private mutating func readName(
        of kind: Container.Kind, or expectation: JSONFault.Expectation
    ) throws(JSONFault) {
        guard skipSpace() == UInt8(ascii: "\"") else { throw fault(expectation) }
        if options.refusesDuplicateNames { nameOffsets.append(position) }
        let depth = open.count &- 1
        if let member = open[depth].predicted {
            if kind == .object, let end = predictions.end(of: member, depth: depth, in: bytes, at: position) {
                position = end
                open[depth].predicted = member &+ 1
                return
            }
            putPredictedNames(member, depth: depth)
            open[depth].predicted = nil
        }
        names.push(try readName())
        let separator = skipSpace()
        if kind == .object {
            guard separator == UInt8(ascii: ":") else { throw fault(.colon) }
        } else {
            guard separator == UInt8(ascii: ",") else { throw fault(.content(.object)) }
        }
        position &+= 1
    }

    /// Pushes the names that matched the prediction, because the next name differs.
    @inline(never)
    private mutating func putPredictedNames(_ count: Int, depth: Int) {
        for member in 0..<count { names.push(predictions.name(member, depth: depth)) }
    }
}

extension JSONReader {
    /// Skips white space, and returns the next byte without skipping it; 0 at the end.
    @inline(__always)
    @discardableResult
    mutating func skipSpace() -> UInt8 {
        while position < bytes.count {
            let byte = bytes[position]
            if byte > 0x20 || !byte.isJSONSpace { return byte }
            position &+= 1
        }
        return 0
    }

    /// Skips a word.
    ///
    /// - Throws: `JSONFault` at the first byte that differs.
    @inline(__always)
    private mutating func skip(_ word: StaticString) throws(JSONFault) {
        let count = word.utf8CodeUnitCount
        guard bytes.count &- position >= count else { throw fault(of: word) }
        for index in 0..<count where bytes[position &+ index] != word.utf8Start[index] { throw fault(of: word) }
        position &+= count
    }

    /// Returns the fault for text that differs from a word.
    @inline(never)
    private func fault(of word: StaticString) -> JSONFault {
        let letters = UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        return fault(.literal, at: position + zip(bytes[position...], letters).prefix { $0 == $1 }.count)
    }

    /// Returns a fault at the position of the reader, or at another offset.
    func fault(_ expectation: JSONFault.Expectation, at offset: Int? = nil) -> JSONFault {
        JSONFault(expectation: expectation, offset: offset ?? position)
    }
}
