import SyncPersistence

/// A path to a part of a payload.
struct PayloadPath: Hashable {
    /// The names in their order; empty for the payload itself.
    let steps: [String]
    /// The number of names that lead to an array; the other names continue within each of its elements.
    let listDepth: Int?

    /// Parses the path of a text such as `data.items`, `data.pages[].item` or `data.edges.node`.
    ///
    /// - Parameter mayHaveList: Whether it may lead through an array.
    init(_ text: String, mayHaveList: Bool = true) {
        var steps = text.isEmpty ? [] : text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        var listDepth: Int?
        for position in steps.indices.dropLast() where mayHaveList {
            let isMarked = steps[position].hasSuffix(Self.mark)
            if isMarked { steps[position].removeLast(Self.mark.count) }
            let isConnection = steps[position] == "edges" && steps[position + 1] == "node"
            if listDepth == nil, isMarked || isConnection { listDepth = position + 1 }
        }
        (self.steps, self.listDepth) = (steps, listDepth)
    }

    /// The suffix of a name that leads to an array.
    static let mark = "[]"

    /// The names that lead to an object within each element of the array.
    var inner: [String] { listDepth.map { Array(steps[$0...]) } ?? [] }
}

/// The result of following a path of a payload.
struct Located<Content> {
    /// The value or its offset; nil if the path leads nowhere.
    var content: Content?
    /// The names that lead to it.
    var steps: [String] = []
    /// The names that lead to an object within each element, if the path leads through an array.
    var inner: [String] = []
    /// The reason why the path leads nowhere.
    var failure = ""
}

extension Value {
    /// Follows a path.
    func located(at path: PayloadPath) -> Located<Value> {
        var value = self
        for (position, step) in path.steps.enumerated() {
            let passed = Array(path.steps[..<position])
            switch value {
            case .array where path.listDepth == position:
                return Located(content: value, steps: passed, inner: path.inner)
            case .object(let object) where path.listDepth != position:
                guard let next = object[step] else {
                    return Located(failure: PartFailure.missing(step, in: passed))
                }
                value = next
            default:
                return Located(failure: PartFailure.wrongType(value.finding, at: passed, path))
            }
        }
        return Located(content: value, steps: path.steps)
    }

    /// Returns the object that names lead to within an element of a list; null if they lead nowhere.
    func inner(at steps: [String]) -> Value {
        var value = self
        for step in steps {
            guard case .object(let object) = value else { return .null }
            value = object[step] ?? .null
        }
        return value
    }

    /// Whether it states that the remote has more objects: any value except false, 0, null and empty text.
    var saysMore: Bool {
        switch self {
        case .null, .string(""): false
        default: AttributeType.bool.converted(self) != .bool(false)
        }
    }

    /// Whether it states that a record is deleted: a truth value, a date or other text.
    ///
    /// Arrays and objects do not.
    var saysDeleted: Bool { !isArray && !isObject && saysMore }
}

/// Descriptions of the reasons why a path leads nowhere.
enum PartFailure {
    /// Describes an object that lacks the next name of a path.
    static func missing(_ step: String, in steps: [String]) -> String {
        "\(name(steps)) has no '\(step)'"
    }

    /// Describes a value in which a path cannot continue.
    static func wrongType(_ found: String, at steps: [String], _ path: PayloadPath) -> String {
        if path.listDepth == steps.count { return "\(name(steps)) is \(found), not an array" }
        let step = path.steps[steps.count]
        guard found == Value.array([]).finding else { return "\(name(steps)) is \(found) and has no '\(step)'" }
        return "\(name(steps)) is an array; if each of its elements has '\(step)', write "
            + "'\((steps.last ?? "") + PayloadPath.mark).\(step)'"
    }

    /// Returns the path of an object in quotes, for a message.
    private static func name(_ steps: [String]) -> String {
        steps.isEmpty ? "the payload" : "'\(steps.joined(separator: "."))'"
    }
}
