/// Reads one JSON value from UTF-8 bytes, strictly as RFC 8259 has it.
///
/// It works on stacks of its own, not on the call stack, so that the depth of the text is a matter of the limit alone.
struct JSONReader: ~Copyable {
    // because: the reader lives no longer than the call of `read` to which the bytes were lent.
    var bytes: UnsafeRawBufferPointer
    /// Where reading goes on.
    var position = 0
    /// How many arrays and objects are open around what is read.
    var outerDepth = 0
    let options: JSONOptions
    /// Whether the bytes come from text, and so are UTF-8.
    let isText: Bool
    /// Whether objects are tags, as ``Value/taggedJSON`` has them.
    let isTagged: Bool
    /// What strings with escapes are put together in.
    var scratch: [UInt8] = []
    /// The names of members that were read last.
    var cache = NameCache()

    /// Where names stand that an object has twice, as paths from the value that is read; some of them if there are many.
    var duplicates: [String] = []

    /// The containers that are open, the outermost first.
    private var open: [Container] = []
    /// The elements of arrays and the values of members so far, of all that are open.
    private var values = MoveStack<Value>()
    /// The names of members so far of all objects that are open; the last one of each waits for its value.
    private var names = MoveStack<String>()
    /// The names of objects that were read, so that the objects of a list share theirs.
    private var lists = NameLists()
    /// What the names of the next objects are likely to be.
    private var predictions = NamePredictions()
    /// Where the names of the members stand in the text; of use only where duplicates are refused.
    private var nameOffsets: [Int] = []

    /// An array or object, and where its content starts on the stack of values.
    private struct Container {
        enum Kind { case array, object, taggedObject }
        var kind: Kind
        var start: Int
        /// How many names have come as predicted, which are not on the stack of names; nil if others have.
        var predicted: Int? = 0
    }

    init(_ bytes: UnsafeRawBufferPointer, options: JSONOptions, isText: Bool, isTagged: Bool) {
        self.bytes = bytes
        self.options = options
        self.isText = isText
        self.isTagged = isTagged
    }

    /// The value that the bytes are the JSON text of.
    ///
    /// - Complexity: O(*n*) for *n* bytes
    static func read(
        _ bytes: UnsafeRawBufferPointer, options: JSONOptions, isText: Bool, isTagged: Bool = false
    ) -> Result<Value, JSONError> {
        var reader = JSONReader(bytes, options: options, isText: isText, isTagged: isTagged)
        do throws(JSONFault) {
            if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw reader.fault(.noMark) }
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
    /// Reads the value that begins where the reader is, and goes on behind it.
    mutating func readValue() throws(JSONFault) -> Value {
        var expectation = JSONFault.Expectation.value
        while true {
            guard var value = try readStart(or: expectation) else {
                expectation = open.last?.kind == .array ? .valueOrArrayEnd : .value
                continue
            }
            // A value is complete; it goes into the container that is open, which may be complete by it, and so on.
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

    /// Reads a value that ends before its content does: a scalar or an empty container; of any other container, only
    /// what comes before its first value, and returns nil.
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

    /// Opens a container at the bracket that its content begins after.
    private mutating func push(_ kind: Container.Kind) throws(JSONFault) {
        guard open.count + outerDepth < options.depthLimit else { throw fault(.depth(options.depthLimit)) }
        open.append(Container(kind: kind, start: values.count))
        position &+= 1
    }

    /// Closes the innermost container at the bracket that its content ends before.
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
        if let duplicate { noteDuplicate(names[duplicate], inObjectAt: container.start) }
        if duplicate == nil, container.kind == .object { predictions.predict(names, depth: open.count) }
        return .object(
            duplicate == nil ? ValueObject(distinct: names, values) : ValueObject(names: names, values: values))
    }

    /// Notes where a name stands that the object has twice whose values begin at a place on their stack.
    @inline(never)
    private mutating func noteDuplicate(_ name: String, inObjectAt start: Int) {
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

    /// Reads the name of a member and what separates it from its value.
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

    /// Puts names on the stack that have come as predicted, since those that follow are others.
    @inline(never)
    private mutating func putPredictedNames(_ count: Int, depth: Int) {
        for member in 0..<count { names.push(predictions.name(member, depth: depth)) }
    }
}

extension JSONReader {
    /// Goes on to what is no white space, and returns it without going on behind it; 0 at the end.
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

    /// Goes on behind a word.
    @inline(__always)
    private mutating func skip(_ word: StaticString) throws(JSONFault) {
        let count = word.utf8CodeUnitCount
        guard bytes.count &- position >= count else { throw fault(of: word) }
        for index in 0..<count where bytes[position &+ index] != word.utf8Start[index] { throw fault(of: word) }
        position &+= count
    }

    /// What is wrong where a word does not stand.
    @inline(never)
    private func fault(of word: StaticString) -> JSONFault {
        let letters = UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        return fault(.literal, at: position + zip(bytes[position...], letters).prefix { $0 == $1 }.count)
    }

    /// What is wrong where the reader is, or at another place.
    func fault(_ expectation: JSONFault.Expectation, at offset: Int? = nil) -> JSONFault {
        JSONFault(expectation: expectation, offset: offset ?? position)
    }
}
