package import DifferentialSync

extension ConflictPolicy where Element == Record {
    /// Returns a policy that merges records by their members.
    ///
    /// It is `mergingFields(otherwise:)` for names that are compared scalar by scalar.
    ///
    /// - Parameter policy: Resolves members that both sides changed to different values.
    package static func mergingMembers(otherwise policy: ConflictPolicy) -> ConflictPolicy {
        ConflictPolicy { try ConflictPolicy.mergingFields($0.members, otherwise: policy).resolve($0) }
    }
}

extension Conflict where Element == Record {
    /// The names of the members that both sides changed to different values, sorted.
    package var clashingMembers: [String] { clashingFields(of: members) }

    /// A field for each member that either version has, by name.
    fileprivate var members: [MergeField<Record>] {
        Set((local ?? [:]).keys).union((remote ?? [:]).keys).sorted().map { name in
            MergeField<Record>(
                name.text, areEqual: { $0[name] == $1[name] }, copy: { source, target in target[name] = source[name] },
                merge: { base, local, remote, target in
                    // Without a base, a member that only one side has was added.
                    guard base == nil, local[name] == nil || remote[name] == nil else { return false }
                    target[name] = local[name] ?? remote[name]
                    return true
                })
        }
    }
}
