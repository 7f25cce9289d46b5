public import DifferentialSync

extension ConflictPolicy {
    /// Documents are merged by members: each member three-way by itself, also within nested objects, so that edits of
    /// different members of one document both stand.
    ///
    /// Where both sides changed a member to different values, the other policy is asked once. Its answer counts for those
    /// members alone, also if it is a merged document. Arrays count as one value. Conflicts with a deletion go to the
    /// other policy as they are.
    ///
    /// ```swift
    /// let policy = ConflictPolicy<JSONDocument<Note>>.mergingMembers(otherwise: .newest(by: \.element.modified))
    /// ```
    ///
    /// - Parameter policy: What resolves the rest.
    public static func mergingMembers<Content>(otherwise policy: ConflictPolicy) -> ConflictPolicy
    where Element == JSONDocument<Content> {
        ConflictPolicy { conflict in
            guard let local = conflict.local, let remote = conflict.remote else { return try policy.resolve(conflict) }
            var merge = MemberMerge()
            let merged = merge.merged(base: conflict.base?.value, local: local.value, remote: remote.value, source: nil)
            if !merge.hasClash {
                // Members that each side could read may not be an element together.
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
    fileprivate var value: Value { .object(members) }

    /// nil if no element can be read from the members.
    fileprivate init?(_ value: Value?) {
        guard case .object(let members)? = value, let document = try? JSONDocument(members: members) else { return nil }
        self = document
    }
}

/// A three-way merge of JSON values by the members of objects.
private struct MemberMerge {
    /// Whether both sides changed a member to different values.
    private(set) var hasClash = false

    /// The merged value, nil for none; where both sides differ from the base and each other, that of the source.
    mutating func merged(base: Value?, local: Value?, remote: Value?, source: Value?) -> Value? {
        if local == remote || base == remote { return local }
        if base == local { return remote }
        guard case .object(let mine)? = local, case .object(let theirs)? = remote else {
            hasClash = true
            return source
        }
        var members = ValueObject()
        for name in mine.names + theirs.names where members[name] == nil {
            members[name] = merged(base: base?[name], local: mine[name], remote: theirs[name], source: source?[name])
        }
        return .object(members)
    }
}

extension Value {
    /// The member of an object with a name; nil if there is none, or if it is no object.
    fileprivate subscript(name: String) -> Value? {
        if case .object(let object) = self { object[name] } else { nil }
    }
}
