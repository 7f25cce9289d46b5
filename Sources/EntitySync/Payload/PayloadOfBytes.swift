import SyncPersistence

/// The UTF-8 bytes of JSON text: an array, one object, or objects on separate lines.
///
/// An object that the payload memory expects is recognized by the digest of its bytes. Other objects are scanned for
/// their keys. An element is parsed as a whole only if its key cannot be found otherwise, or if it is processed.
final class PayloadOfBytes: Payload {
    /// The window on the text.
    private let window: ByteWindow
    /// The seed for digests of elements, which depends on the mapping.
    private let seed: UInt64
    /// The dialect and the limits of the JSON.
    private let options: JSONOptions
    /// The parser of values in the window.
    private var reader: JSONPartReader
    /// Whether all elements are parsed to find the first error.
    private var isChecking = false
    /// Whether the text is an array; false before the elements are passed.
    private(set) var isArray = false
    /// Whether the elements are members of a map.
    private var isMap = false
    /// The names of the elements passed so far, if they are members of a map.
    private(set) var names: [String] = []

    /// The place of the list within the text; nil for the whole text.
    private let part: Located<Int>?
    /// Where the elements stand in the whole payload, for the paths of reports.
    private let places: ElementPlaces

    /// Creates a payload whose text is read when its elements are passed.
    init(
        _ window: ByteWindow, options: JSONOptions, seed: UInt64, part: Located<Int>? = nil,
        places: ElementPlaces? = nil
    ) {
        self.window = window
        self.options = options
        self.seed = seed
        self.part = part
        self.places = places ?? ElementPlaces()
        reader = JSONPartReader(options: options)
    }

    var duplicateNames: [String] { reader.duplicateNames }
    var size: Int { window.total }

    var isOneObject: Bool { part != nil && !isArray && !isMap }

    func place(of index: Int) -> Place { places.place(of: index, name(of: index), isOneObject: isOneObject) }

    /// Passes the elements in their order, with their keys and digests.
    ///
    /// An element that the memory expects next is only digested. Another one is scanned for its key, and parsed only if
    /// the key is not found in that way.
    func forEachElement(
        _ keys: ElementKeys, _ memory: PayloadMemory?, _ body: (PayloadElement, PayloadKey) throws -> Void
    ) throws {
        let map = keys.map
        var finder = KeyFinder(map)
        var offset = part?.content ?? 0
        try window.look(at: offset)
        _ = try next(&offset)
        // Some servers send a byte order mark.
        if offset == 0, window.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
        let first = try next(&offset)
        isArray = first == UInt8(ascii: "[")
        isMap = try first == UInt8(ascii: "{") && map.sources.mapKey != nil && !isRecord(at: offset, map)
        let end = isMap ? UInt8(ascii: "}") : UInt8(ascii: "]")
        let isList = isArray || isMap
        if isList { offset += 1 }
        let inner = part?.inner ?? []
        reader.outerDepth = (isList ? 1 : 0) + (part?.steps.count ?? 0) + inner.count
        names = []
        var known: Set<Value> = []
        var index = 0
        while true {
            let byte = try next(&offset)
            let mayEnd = index == 0 || options.allowsTrailingCommas
            if isList, byte == end, mayEnd { break }
            if !isList, byte == nil, index > 0 { return }
            if isMap {
                let name = try readName(&offset, mayEnd: mayEnd)
                if options.refusesDuplicateNames, !known.insert(.string(name)).inserted {
                    throw try moved(.brokenObject(in: window.bytes, at: offset - window.base, missing: .uniqueName))
                }
                names.append(name)
                _ = try next(&offset)
            }
            if inner.isEmpty {
                let (element, key) =
                    try expectedElement(at: offset, index, memory, map)
                    ?? element(at: offset, index, &finder, keys)
                try body(element, key)
                offset += element.length
            } else {
                let (element, key, end) = try wrappedElement(at: offset, inner, index, &finder, keys)
                try body(element, key)
                offset = end
            }
            index += 1
            if isOneObject { return }
            let separator = try next(&offset)
            if !isList {
                if separator != nil { try requireLineBreak(before: offset) }
            } else if separator == UInt8(ascii: ",") {
                offset += 1
            } else if separator == end {
                break
            } else {
                let place = offset - window.base
                throw try moved(
                    isMap
                        ? .brokenObject(in: window.bytes, at: place, missing: .commaOrEnd)
                        : .brokenList(in: window.bytes, at: place, expectsValue: false))
            }
        }
        if part != nil { return }
        offset += 1
        if try next(&offset) != nil { throw try moved(.trailing(in: window.bytes, at: offset - window.base)) }
    }

    func value(of element: PayloadElement) throws -> Value {
        if element.length == 0 { return .null }
        try window.look(at: element.offset, count: element.length)
        let (value, end) = try read(at: element.offset)
        if end != element.offset + element.length {
            throw try moved(.brokenList(in: window.bytes, at: end - window.base, expectsValue: false))
        }
        return value
    }

    func key(of element: PayloadElement, _ map: EntityMap) throws -> Value? {
        if element.keyOffset == 0 { return nil }
        try window.look(at: element.offset, count: element.length)
        return map.key(ofPart: try read(at: element.offset + Int(element.keyOffset)).value)
    }

    /// Parses all elements to find the first error of the text.
    ///
    /// Scanning alone accepts some malformed text, or reports a later error than the first.
    func check(_ keys: ElementKeys) throws {
        isChecking = true
        try window.look(at: 0)
        reader = JSONPartReader(options: options)
        try forEachElement(keys, nil) { element, _ in
            // A malformed element may extend beyond its apparent end.
            var count = element.length
            let depth = reader.outerDepth
            while true {
                try window.look(at: element.offset, count: count)
                let isLast = window.isLast
                do {
                    _ = try value(of: element)
                    break
                } catch {
                    if isLast { throw error }
                    count = max(count, window.bytes.count) * 2
                    reader = JSONPartReader(options: options)
                    reader.outerDepth = depth
                }
            }
        }
    }
}

extension PayloadOfBytes {
    /// Moves to the next byte that is not white space and returns it; nil at the end.
    private func next(_ offset: inout Int) throws -> UInt8? { try window.nextByte(from: &offset) }

    /// Whether the object at an offset is a record, not a map of records.
    private func isRecord(at start: Int, _ map: EntityMap) throws -> Bool {
        if map.sources.takesElementsInMaps { return false }
        // The members that may form a key.
        var key = ValueObject()
        var finder: KeyFinder?
        var offset = start + 1
        // Malformed text is reported when it is parsed.
        while try next(&offset) == UInt8(ascii: "\""), let nameLength = try scan(at: offset, &finder) {
            let name = part(at: offset, nameLength)
            offset += nameLength
            guard try next(&offset) == UInt8(ascii: ":") else { break }
            offset += 1
            _ = try next(&offset)
            guard let length = try scan(at: offset, &finder) else { break }
            if case .string(let name)? = name, map.isOfKey(name), let value = part(at: offset, length) {
                key[name] = value
                if key.names.count > 64 || map.isRecord(key) { break }
            }
            offset += length
            guard try next(&offset) == UInt8(ascii: ",") else { break }
            offset += 1
        }
        try window.look(at: start)
        return map.isRecord(key)
    }

    /// Returns a value in the window; nil if it is malformed.
    private func part(at offset: Int, _ length: Int) -> Value? {
        let place = offset - window.base
        return try? Value(json: UnsafeRawBufferPointer(rebasing: window.bytes[place..<place + length]))
    }

    /// Reads the name of a map's member, and moves behind its colon.
    private func readName(_ offset: inout Int, mayEnd: Bool) throws -> String {
        while !window.isLast, JSONSkipper(bytes: window.bytes).string(offset - window.base) == nil {
            if offset > window.base { try window.look(at: offset) } else { try window.grow() }
        }
        guard offset - window.base < window.bytes.count, window.bytes[offset - window.base] == UInt8(ascii: "\""),
            case (.string(let name), let end) = try read(at: offset)
        else {
            let part: JSONError.MemberPart = mayEnd ? .nameOrEnd : .name
            throw try moved(.brokenObject(in: window.bytes, at: offset - window.base, missing: part))
        }
        offset = end
        guard try next(&offset) == UInt8(ascii: ":") else {
            throw try moved(.brokenObject(in: window.bytes, at: offset - window.base, missing: .colon))
        }
        offset += 1
        return name
    }

    /// Returns the length of the element at an offset, and finds the parts of its key; nil if the element must be
    /// parsed.
    private func scan(at offset: Int, _ finder: inout KeyFinder?) throws -> Int? {
        while true {
            let skipper = JSONSkipper(bytes: window.bytes)
            let start = offset - window.base
            let isObject = start < skipper.bytes.count && skipper.bytes[start] == UInt8(ascii: "{")
            let end =
                isObject && finder != nil
                ? finder?.scan(skipper, at: start) : skipper.value(start)
            if let end { return end - start }
            if window.isLast { return nil }
            if start > 0 { try window.look(at: offset) } else { try window.grow() }
        }
    }

    /// Returns the element at an offset if it is the expected one; nil otherwise, or if none is expected.
    private func expectedElement(
        at offset: Int, _ index: Int, _ memory: PayloadMemory?, _ map: EntityMap
    ) throws -> (PayloadElement, PayloadKey)? {
        guard let memory, map.isKeyPrimary, map.keyParts.count == 1, map.hasPlainKey,
            let entry = try memory.expected(), let (length, keyOffset) = memory.entries.extent(of: entry),
            offset + length <= window.total
        else { return nil }
        try window.look(at: offset, count: length)
        guard digest(offset, length) == memory.entries.digest(of: entry),
            let key = keyDigests(at: keyOffset, ofObjectAt: offset, length, map),
            key.token == memory.entries.token(of: entry)
        else {
            memory.reject(entry)
            return nil
        }
        let element = PayloadElement(
            index: index, offset: offset, length: length, digest: memory.entries.digest(of: entry),
            keyOffset: UInt32(keyOffset), isObject: true)
        return (element, .expected(entry: entry, digest: key.digest))
    }

    /// Returns the token and the digest of the key at an offset within an object; nil if there is no key.
    ///
    /// Text is not decoded.
    private func keyDigests(
        at keyOffset: Int, ofObjectAt offset: Int, _ length: Int, _ map: EntityMap
    ) -> (token: UInt64, digest: UInt64)? {
        let start = offset - window.base
        let object = JSONSkipper(bytes: UnsafeRawBufferPointer(rebasing: window.bytes[start..<start + length]))
        // The keys of parts begin with a control character.
        if map.hasTextKey, let text = object.plainText(keyOffset), text.first ?? 0x20 >= 0x20 {
            let token = RecordToken.record(text: text, of: map.shape)
            return (token, ContentDigest.digest(ofText: text, seed: DigestedKey.seed))
        }
        let first = object.bytes[keyOffset]
        guard first != UInt8(ascii: "{"), first != UInt8(ascii: "["), object.value(keyOffset) != nil else { return nil }
        do {
            let (value, _) = try reader.read(window.bytes, at: start + keyOffset)
            guard let key = map.key(ofPart: value) else { return nil }
            return (map.token(of: key), key.digest(seed: DigestedKey.seed))
        } catch {
            // A reader that has failed cannot continue.
            let depth = reader.outerDepth
            reader = JSONPartReader(options: options)
            reader.outerDepth = depth
            return nil
        }
    }

    /// Returns the object within the wrapper at an offset, its key, and the end of the wrapper.
    private func wrappedElement(
        at offset: Int, _ inner: [String], _ index: Int, _ finder: inout KeyFinder?, _ keys: ElementKeys
    ) throws -> (PayloadElement, PayloadKey, end: Int) {
        var none: KeyFinder?
        guard let length = try scan(at: offset, &none) else {
            // Parsing it reports the error.
            let (element, key) = try element(at: offset, index, &finder, keys)
            return (element, key, offset + element.length)
        }
        if isChecking {
            let element = PayloadElement(index: index, offset: offset, length: length, digest: 0, isObject: false)
            return (element, .read(.absent), offset + length)
        }
        let skipper = JSONSkipper(bytes: window.bytes)
        guard let start = skipper.inner(at: inner[...], in: offset - window.base) else {
            return (PayloadElement(index: index, digest: 0, isObject: false), .read(.absent), offset + length)
        }
        let (element, key) = try element(at: window.base + start, index, &finder, keys)
        return (element, key, offset + length)
    }

    /// Returns the element at an offset and its key.
    private func element(
        at offset: Int, _ index: Int, _ finder: inout KeyFinder?, _ keys: ElementKeys
    ) throws -> (PayloadElement, PayloadKey) {
        let length = try scan(at: offset, &finder)
        let start = offset - window.base
        let isObject = start < window.bytes.count && window.bytes[start] == UInt8(ascii: "{")
        if let length, isChecking {
            return (
                PayloadElement(index: index, offset: offset, length: length, digest: 0, isObject: isObject),
                .read(.absent)
            )
        }
        if let length, isObject, keys.map.keyParts.count == 1, let part = finder?.parts[0],
            let key = keyDigests(at: part - start, ofObjectAt: offset, length, keys.map)
        {
            let element = PayloadElement(
                index: index, offset: offset, length: length, digest: digest(offset, length),
                keyOffset: UInt32(clamping: part - start), isObject: true)
            return (element, .found(token: key.token, digest: key.digest))
        }
        if let length, isObject, let key = try key(&finder, keys.map) {
            let element = PayloadElement(
                index: index, offset: offset, length: length, digest: digest(offset, length), isObject: true)
            return (element, .read(.key(key)))
        }
        // Parses it, if only to report the error.
        let (value, end) = try read(at: offset)
        let key =
            isChecking ? .absent : try keys.key(of: value, named: name(of: index), at: place(of: index))
        var digest = digest(offset, end - offset)
        if let name = name(of: index) { digest = digest.combined(with: name) }
        return (
            PayloadElement(
                index: index, offset: offset, length: end - offset, digest: digest,
                isObject: keys.map.takes(value, inMap: isMap), isEmptyInMap: isMap && value.isEmptyObject),
            .read(key)
        )
    }

    /// Returns the key whose parts were found in the window; nil if there is none or it is invalid.
    private func key(_ finder: inout KeyFinder?, _ map: EntityMap) throws -> Value? {
        if map.keyParts.count == 1 { return nil }
        guard let finder else { return nil }
        var values: [Value] = []
        for part in finder.parts {
            guard let part else { return nil }
            values.append(try read(at: window.base + part).value)
        }
        return map.key(ofParts: values)
    }

    /// Returns the digest of bytes in the window.
    private func digest(_ offset: Int, _ length: Int) -> UInt64 {
        let start = offset - window.base
        return ContentDigest.digest(
            of: UnsafeRawBufferPointer(rebasing: window.bytes[start..<start + length]), seed: seed)
    }

    /// Parses the value at an offset; returns it with its end.
    private func read(at offset: Int) throws -> (value: Value, end: Int) {
        do {
            let (value, end) = try reader.read(window.bytes, at: offset - window.base)
            return (value, window.base + end)
        } catch {
            throw try moved(error)
        }
    }

    /// Throws if an object outside of an array is not on a line of its own.
    private func requireLineBreak(before offset: Int) throws {
        var place = offset - window.base
        while place > 0 {
            place -= 1
            let byte = window.bytes[place]
            if byte == UInt8(ascii: "\n") { return }
            if byte > 0x20 { throw try moved(.trailing(in: window.bytes, at: offset - window.base)) }
        }
    }

    /// Returns an error within the window as an error within the payload.
    private func moved(_ error: JSONError) throws -> JSONError { try window.moved(error) }
}
