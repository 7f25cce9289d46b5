public import DifferentialSync

extension ConflictPolicy {
    /// Merges documents member by member, each three-way, also within nested objects.
    ///
    /// Edits of different members of one document are both kept.
    ///
    /// If both sides changed a member to different values, the other policy is called once. Its resolution applies only
    /// to those members, even if it returns a merged document. An array counts as one value. Conflicts with a deletion
    /// are passed to the other policy unchanged.
    ///
    /// ```swift
    /// let policy = ConflictPolicy<JSONDocument<Note>>.mergingMembers(otherwise: .newest(by: \.element.modified))
    /// ```
    ///
    /// - Parameter policy: The policy for the remaining conflicts.
    public static func mergingMembers<Content>(otherwise policy: ConflictPolicy) -> ConflictPolicy
    where Element == JSONDocument<Content> {
        ConflictPolicy { conflict in
            guard let local = conflict.local, let remote = conflict.remote else { return try policy.resolve(conflict) }
            let content = JSONContent<Content>()
            var merge = MemberMerge(
                MemberMerge.Reads(local: content.members(of: local.value), remote: content.members(of: remote.value)))
            let merged = merge.merged(base: conflict.base?.value, local: local.value, remote: remote.value, source: nil)
            if !merge.hasClash {
                // The merged members may not decode as an element, although those of each side do.
                return try JSONDocument(merged).map { .merged($0) } ?? policy.resolve(conflict)
            }
            let answer = try policy.resolve(conflict)
            let source: JSONDocument<Content>
            switch answer {
            case .local: source = local
            case .remote: source = remote
            case .merged(let document): source = document
            case .base:
                guard let base = conflict.base else { return answer }
                source = base
            case .delete, .open: return answer
            }
            let settled = merge.merged(
                base: conflict.base?.value, local: local.value, remote: remote.value, source: source.value)
            return JSONDocument(settled).map { .merged($0) } ?? answer
        }
    }
}

extension JSONDocument {
    /// The members as one JSON value.
    fileprivate var value: Value { .object(members) }

    /// Creates a document; nil if no element can be read from the members.
    fileprivate init?(_ value: Value?) {
        guard case .object(let members)? = value, let document = try? JSONDocument(members: members) else { return nil }
        self = document
    }
}

/// A three-way merge of JSON values by the members of objects.
///
/// Cases of an enumeration, each the only member of its object, are not merged with each other.
struct MemberMerge {
    /// Whether both sides changed a member to different values.
    private(set) var hasClash = false

    /// The members that the type reads of both sides; nil if they are unknown.
    private let reads: Reads?

    /// Creates a merge without clashes so far.
    ///
    /// - Parameter reads: The members that the type reads of both sides; nil if they are unknown.
    init(_ reads: Reads? = nil) { self.reads = reads }

    /// The members that a type reads of the local and of the remote value.
    struct Reads {
        /// The members of the local value.
        let local: MemberTree
        /// The members of the remote value.
        let remote: MemberTree
    }

    /// Returns the merged value; nil for none.
    ///
    /// It is the source's where both sides differ from the base and from each other.
    mutating func merged(base: Value?, local: Value?, remote: Value?, source: Value?) -> Value? {
        merged(base: base, local: local, remote: remote, source: source, reads)
    }

    /// Returns the merged value of a part of the JSON; `reads` has the members that the type reads of it.
    private mutating func merged(
        base: Value?, local: Value?, remote: Value?, source: Value?, _ reads: Reads?
    ) -> Value? {
        if local == remote || base == remote { return local }
        if base == local { return remote }
        guard case .object(let mine)? = local, case .object(let theirs)? = remote,
            mine.names == theirs.names
                || !MemberMerge.areCases(base, local, remote, reads?.haveMembers(mine.names + theirs.names) == true)
        else {
            hasClash = true
            return source
        }
        let (base, source) = (MemberIndex(base), MemberIndex(source))
        let (local, remote) = (MemberIndex(local), MemberIndex(remote))
        var members: [ValueObject.Member] = []
        for name in mine.names + theirs.names.filter({ local[$0] == nil }) {
            let value = merged(
                base: base[name], local: local[name], remote: remote[name], source: source[name], reads?.part(name))
            if let value { members.append(ValueObject.Member(name: name, value: value)) }
        }
        return .object(ValueObject(members))
    }

    /// Whether two values are cases of an enumeration in place of another one, or of null.
    ///
    /// - Parameter areMembers: Whether the type reads the names of both sides as members of one object.
    private static func areCases(_ base: Value?, _ local: Value?, _ remote: Value?, _ areMembers: Bool) -> Bool {
        guard local?.isCase == true, remote?.isCase == true else { return false }
        return base?.isCase == true || base?.isNull ?? true && !areMembers
    }
}

extension MemberMerge.Reads {
    /// Whether the type reads each of some names as a member on both sides, even if an object lacks it.
    ///
    /// An enumeration that decodes itself reads no further than its case.
    fileprivate func haveMembers(_ names: [String]) -> Bool {
        [local, remote].allSatisfy { tree in names.allSatisfy { tree.parts[.member($0)] != nil } }
    }

    /// Returns the members that the type reads of a part; nil if a side does not read it.
    func part(_ name: String) -> MemberMerge.Reads? {
        guard let local = local.part(name), let remote = remote.part(name) else { return nil }
        return MemberMerge.Reads(local: local, remote: remote)
    }
}

extension MemberTree {
    /// Returns what the type reads of the part with a name; nil if it does not read that.
    fileprivate func part(_ name: String) -> MemberTree? {
        parts[.member(name)] ?? parts[.enumCase(name)] ?? parts[.each]
    }
}
