import SyncPersistence

/// Finds the values at some paths of a JSON text in one pass, without parsing them.
///
/// For skipped values, only the brackets are checked.
struct PartFinder {
    /// The window on the text.
    private let window: ByteWindow
    /// Whether a comma may stand before a closing bracket.
    private let allowsTrailingCommas: Bool
    /// The offset of the next byte to read.
    private var offset = 0
    /// The paths of the parts that are looked for.
    private let paths: [PayloadPath]
    /// The targets of the paths so far.
    private var found: [Located<Int>]

    /// Finds the values at paths of the text in a window.
    ///
    /// - Parameters:
    ///   - paths: The paths.
    ///   - window: The window on the text.
    ///   - options: The options for JSON text.
    /// - Returns: For each path, the offset of its value.
    /// - Throws: `JSONError` if the text is malformed; `SyncError` if an object has the same name of a path twice.
    /// - Complexity: O(*n*) for a text of *n* bytes, with the memory of the window
    static func find(
        _ paths: [PayloadPath], in window: ByteWindow, _ options: JSONOptions
    ) throws -> [Located<Int>] {
        var tree = PathTree<Int>()
        for (number, path) in paths.enumerated() { tree.insert(number, at: path.steps[...]) }
        var finder = PartFinder(paths, window, allowsTrailingCommas: options.allowsTrailingCommas)
        try window.look(at: 0)
        _ = try finder.next()
        // Some servers send a byte order mark.
        if finder.offset == 0, window.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { finder.offset = 3 }
        try finder.visit(tree, [])
        if try finder.next() != nil { throw try window.moved(.trailing(in: window.bytes, at: finder.place)) }
        return finder.found
    }

    /// Creates a finder at the start of a text.
    private init(_ paths: [PayloadPath], _ window: ByteWindow, allowsTrailingCommas: Bool) {
        self.window = window
        self.allowsTrailingCommas = allowsTrailingCommas
        self.paths = paths
        found = Array(repeating: Located(), count: paths.count)
    }

    /// The offset of the next byte in the window.
    private var place: Int { offset - window.base }

    /// Skips a value and records the values that paths lead to within it.
    private mutating func visit(_ tree: PathTree<Int>, _ steps: [String]) throws {
        let first = try next()
        for leaf in tree.leaves where paths[leaf].listDepth == nil {
            found[leaf] = Located(content: offset, steps: steps)
        }
        if tree.branches.isEmpty { return try skip() }
        let isArray = first == UInt8(ascii: "[")
        for leaf in tree.branches.flatMap(\.tree.allLeaves) {
            let path = paths[leaf]
            if isArray, path.listDepth == steps.count {
                found[leaf] = Located(content: offset, steps: steps, inner: path.inner)
            } else if first != UInt8(ascii: "{") || path.listDepth == steps.count {
                found[leaf].failure = PartFailure.wrongType(first.map(\.finding) ?? "missing", at: steps, path)
            }
        }
        if first == UInt8(ascii: "{") { try visitMembers(tree, steps) } else { try skip() }
    }

    /// Visits the members of the object at the offset.
    private mutating func visitMembers(_ tree: PathTree<Int>, _ steps: [String]) throws {
        var seen: Set<Int> = []
        offset += 1
        var mayEnd = true
        while true {
            let byte = try next()
            if byte == UInt8(ascii: "}"), mayEnd {
                offset += 1
                break
            }
            guard byte == UInt8(ascii: "\"") else { throw try broken(.name) }
            let name = try readName()
            guard try next() == UInt8(ascii: ":") else { throw try broken(.colon) }
            offset += 1
            if let position = tree.branches.firstIndex(where: { $0.name == name }) {
                if !seen.insert(position).inserted {
                    throw SyncError(
                        .noObjects,
                        "the payload has '\((steps + [name]).joined(separator: "."))' twice: have it sent once. Nothing has "
                            + "changed")
                }
                try visit(tree.branches[position].tree, steps + [name])
            } else {
                _ = try next()
                try skip()
            }
            switch try next() {
            case UInt8(ascii: ","):
                offset += 1
                mayEnd = allowsTrailingCommas
            case UInt8(ascii: "}"): mayEnd = true
            default: throw try broken(.commaOrEnd)
            }
        }
        for (position, branch) in tree.branches.enumerated() where !seen.contains(position) {
            for leaf in branch.tree.allLeaves where paths[leaf].listDepth != steps.count {
                found[leaf].failure = PartFailure.missing(branch.name, in: steps)
            }
        }
    }
}

extension PartFinder {
    /// Moves to the next byte that is not white space and returns it; nil at the end.
    private mutating func next() throws -> UInt8? { try window.nextByte(from: &offset) }

    /// Reads the name at the offset, and moves behind it.
    private mutating func readName() throws -> String {
        let start = try end(of: .string)
        let bytes = UnsafeRawBufferPointer(rebasing: window.bytes[start - window.base..<offset - window.base])
        if bytes.contains(UInt8(ascii: "\\")) {
            guard case .string(let name)? = try? Value(json: bytes) else { throw try broken(.name) }
            return name
        }
        return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
    }

    /// The kind of text to skip.
    private enum Token { case string, any }

    /// Moves behind a string, number or word, loads it into the window, and returns its offset.
    private mutating func end(of token: Token) throws -> Int {
        while true {
            let skipper = JSONSkipper(bytes: window.bytes)
            if let end = token == .string ? skipper.string(place) : skipper.value(place), end <= window.bytes.count {
                let start = offset
                offset = window.base + end
                return start
            }
            if window.isLast {
                if token == .string || place >= window.bytes.count { throw try ended() }
                // A number or word may end with the text.
                offset = window.base + window.bytes.count
                return offset
            }
            if place > 0 { try window.look(at: offset) } else { try window.grow() }
        }
    }

    /// Moves behind the value at the offset.
    ///
    /// A value that is longer than the window is scanned piece by piece.
    private mutating func skip() throws {
        var depth = 0
        while true {
            guard let byte = try next() else { throw try ended() }
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                if let end = JSONSkipper(bytes: window.bytes).value(place) {
                    offset = window.base + end
                } else if place > 0, !window.isLast {
                    try window.look(at: offset)
                    continue
                } else {
                    depth += 1
                    offset += 1
                    continue
                }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth < 0 { throw try window.moved(.brokenList(in: window.bytes, at: place, expectsValue: true)) }
                offset += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"):
                if depth == 0 { throw try window.moved(.brokenList(in: window.bytes, at: place, expectsValue: true)) }
                offset += 1
                continue
            default: _ = try end(of: .any)
            }
            if depth == 0 { return }
        }
    }

    /// Returns the error for an object without an expected part at the offset.
    private func broken(_ part: JSONError.MemberPart) throws -> JSONError {
        try window.moved(.brokenObject(in: window.bytes, at: place, missing: part))
    }

    /// Returns the error for a text that ends within its value.
    private func ended() throws -> JSONError {
        try window.moved(.brokenList(in: window.bytes, at: window.bytes.count, expectsValue: false))
    }
}

extension UInt8 {
    /// A description of the value that begins with this byte.
    fileprivate var finding: String {
        switch self {
        case UInt8(ascii: "\""): "a text"
        case UInt8(ascii: "n"): "null"
        case UInt8(ascii: "{"): "an object"
        case UInt8(ascii: "["): "an array"
        case UInt8(ascii: "t"), UInt8(ascii: "f"): "a truth value"
        default: "a number"
        }
    }
}
