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
            var merge = MemberMerge()
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

    /// Creates a merge without clashes so far.
    init() {}

    /// Returns the merged value; nil for none.
    ///
    /// It is the source's where both sides differ from the base and from each other.
    mutating func merged(base: Value?, local: Value?, remote: Value?, source: Value?) -> Value? {
        if local == remote || base == remote { return local }
        if base == local { return remote }
        guard case .object(let mine)? = local, case .object(let theirs)? = remote,
            mine.names == theirs.names || !MemberMerge.areCases(base, local, remote)
        else {
            hasClash = true
            return source
        }
        let (base, source) = (MemberIndex(base), MemberIndex(source))
        let (local, remote) = (MemberIndex(local), MemberIndex(remote))
        var members: [ValueObject.Member] = []
        for name in mine.names + theirs.names.filter({ local[$0] == nil }) {
            let value = merged(base: base[name], local: local[name], remote: remote[name], source: source[name])
            if let value { members.append(ValueObject.Member(name: name, value: value)) }
        }
        return .object(ValueObject(members))
    }

    /// Whether two values are cases of an enumeration in place of another one, or of null.
    private static func areCases(_ base: Value?, _ local: Value?, _ remote: Value?) -> Bool {
        (base?.isNull ?? true || base?.isCase == true) && local?.isCase == true && remote?.isCase == true
    }
}
