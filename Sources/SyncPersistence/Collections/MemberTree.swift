/// The members that a type reads of its elements' JSON, also within nested values.
///
/// It is coded as an object for each value, such as `{".id":{"#Int":{}},".lines":{"[]":{".text":{"#String":{}}}}}`.
struct MemberTree: Equatable, Sendable {
    /// A step into a value.
    enum Part: Hashable, Sendable {
        /// A member of an object with a name, even if the object lacks it.
        case member(String)
        /// A member that represents a case of an enumeration; an object has one of these.
        case enumCase(String)
        /// Each element of an array, or each value of a dictionary, whose keys are data.
        case each
    }

    /// Whether the value is read as an object, so that its parts contain all members that the type reads.
    var isObject = false
    /// The parts that the type reads, with what it reads of each.
    var parts: [Part: MemberTree] = [:]

    /// The names of the types that were decoded from it, and `?` if it may be missing.
    var kinds: Set<String> = []
}

extension MemberTree {
    /// Creates the tree of the reads while an element was decoded.
    init(_ reads: MemberReads) {
        if reads.isOpaque { return }
        isObject = reads.isObject
        kinds = Set(reads.types.map(ElementType.name))
        if reads.isOptional { kinds.insert("?") }
        for (name, part) in reads.parts {
            let step: Part =
                switch name {
                case .string(let name):
                    reads.listsNames ? reads.hasFixedNames ? .enumCase(name) : .each : .member(name)
                default: .each
                }
            let tree = MemberTree(part)
            parts[step] = parts[step].map { $0.union(tree) } ?? tree
        }
    }

    /// Whether the tree has members that another tree lacks, of objects that the other tree has.
    ///
    /// An object or a case that the other tree lacks does not count, because no stored element has it.
    func readsMore(than other: MemberTree) -> Bool {
        parts.contains { part, tree in
            if let known = other.parts[part] { return tree.readsMore(than: known) }
            if case .member = part { return other.isObject }
            return false
        }
    }

    /// Whether the type that reads it or one of its parts is known.
    var hasKinds: Bool { !kinds.isEmpty || parts.values.contains(where: \.hasKinds) }

    /// Whether a type reads members of another tree in another way: as another type, or as optional ones.
    func readsOtherwise(than other: MemberTree) -> Bool {
        if !other.kinds.isEmpty && !kinds.isSubset(of: other.kinds) { return true }
        return parts.contains { part, tree in other.parts[part].map(tree.readsOtherwise) ?? false }
    }

    /// The parts of both trees.
    func union(_ other: MemberTree) -> MemberTree {
        var union = self
        union.isObject = isObject || other.isObject
        union.kinds.formUnion(other.kinds)
        for (part, tree) in other.parts { union.parts[part] = union.parts[part].map { $0.union(tree) } ?? tree }
        return union
    }

    /// Returns the tree with the present members of objects that were examined, and the earlier members of all others.
    func updated(by now: MemberTree) -> MemberTree {
        var updated = self
        updated.isObject = isObject || now.isObject
        // What is missing among the present elements was read of others.
        if !now.kinds.isSubset(of: kinds) { updated.kinds = now.kinds }
        for (part, tree) in now.parts { updated.parts[part] = updated.parts[part].map { $0.updated(by: tree) } ?? tree }
        guard now.isObject else { return updated }
        updated.parts = updated.parts.filter { part, _ in
            if case .member = part { now.parts[part] != nil } else { true }
        }
        return updated
    }
}

extension MemberTree: Codable {
    /// Creates a tree from its coded form.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: PathKey.self)
        for key in container.allKeys {
            let name = String(key.stringValue.dropFirst())
            let part: Part
            switch key.stringValue.first {
            case ".": part = .member(name)
            case "|": part = .enumCase(name)
            case "[": part = .each
            case "#":
                kinds.insert(name)
                continue
            default:
                isObject = true
                continue
            }
            parts[part] = try container.decode(MemberTree.self, forKey: key)
            if case .member = part { isObject = true }
        }
    }

    /// Encodes the tree.
    ///
    /// An object without members is marked, because a scalar value has none either.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: PathKey.self)
        var hasMembers = false
        for kind in kinds { try container.encode(MemberTree(), forKey: PathKey("#\(kind)")) }
        for (part, tree) in parts {
            let name: String
            switch part {
            case .member(let member):
                name = ".\(member)"
                hasMembers = true
            case .enumCase(let enumCase): name = "|\(enumCase)"
            case .each: name = "[]"
            }
            try container.encode(tree, forKey: PathKey(name))
        }
        if isObject, !hasMembers { try container.encode(MemberTree(), forKey: PathKey("{}")) }
    }
}
