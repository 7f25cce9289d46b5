extension ConflictPolicy {
    /// Records are merged by fields: each field three-way by itself, so that edits of different fields of one record
    /// both stand.
    ///
    /// Only where both sides changed a field to different values is the other policy asked, once for all such fields,
    /// which ``Conflict/fields`` names. Its answer ``Resolution/local``, ``Resolution/remote`` or ``Resolution/base``
    /// then goes for those fields alone. Conflicts with a deletion go to it as they are.
    ///
    /// ```swift
    /// let policy = ConflictPolicy<Contact>.mergingFields(Contact.fields, otherwise: .leaveOpen)
    /// ```
    ///
    /// - Parameters:
    ///   - fields: The fields of a record. All that is not listed counts as one more.
    ///   - policy: What settles the rest.
    public static func mergingFields(
        _ fields: [MergeField<Element>], otherwise policy: ConflictPolicy
    ) -> ConflictPolicy where Element: Equatable & SendableMetatype {
        let all = fields + [MergeField(allBut: fields)]
        return ConflictPolicy { conflict in
            try conflict.resolution(merging: all, base: conflict.base, otherwise: policy)
        }
    }

    /// Dictionary-like records are merged by fields, each value three-way by itself.
    ///
    /// See ``mergingFields(_:otherwise:)``. Where both sides added the record, a field that only one of them has is
    /// taken from it.
    ///
    /// - Parameter policy: What settles fields that both sides changed to different values.
    public static func mergingFields<Value: Equatable & SendableMetatype>(
        otherwise policy: ConflictPolicy
    ) -> ConflictPolicy where Element == [String: Value] {
        ConflictPolicy { conflict in
            let names = Set((conflict.local ?? [:]).keys).union((conflict.remote ?? [:]).keys)
            return try conflict.resolution(
                merging: names.sorted().map { MergeField($0) }, base: conflict.base ?? [:], otherwise: policy)
        }
    }
}

extension Conflict {
    /// The record merged by fields; those that clash as the policy says.
    fileprivate func resolution(
        merging fields: [MergeField<Element>], base: Element?, otherwise policy: ConflictPolicy<Element>
    ) throws -> Resolution<Element> {
        guard let local, let remote else { return try policy.resolve(self) }
        var merged = local
        var clashing: [MergeField<Element>] = []
        for field in fields where !field.areEqual(local, remote) {
            if let base, field.areEqual(base, local) {
                field.copy(remote, &merged)
            } else if base.map({ !field.areEqual($0, remote) }) ?? true {
                clashing.append(field)
            }
        }
        if clashing.isEmpty { return .merged(merged) }

        let question = Conflict(base: self.base, local: local, remote: remote, fields: clashing.map(\.name))
        let answer = try policy.resolve(question)
        let source: Element
        switch answer {
        case .local: source = local
        case .remote: source = remote
        case .base:
            guard let base = self.base else { return .base }
            source = base
        case .delete, .merged, .open: return answer
        }
        for field in clashing { field.copy(source, &merged) }
        return .merged(merged)
    }
}
