extension ConflictPolicy {
    /// Records are merged by fields: each field three-way by itself, so that edits of different fields of one record
    /// both stand.
    ///
    /// Only where both sides changed a field to different values is the other policy asked, once for all such fields,
    /// which ``Conflict/clashingFields(of:)`` names. Its answer counts for these fields alone:
    ///
    /// | Answer | The clashing fields | All other fields |
    /// | --- | --- | --- |
    /// | ``Resolution/local``, ``Resolution/remote`` | of that side | merged |
    /// | ``Resolution/base`` | of the base | merged |
    /// | ``Resolution/merged(_:)`` | of the given record | merged |
    /// | ``Resolution/open`` | the conflict stays open as a whole, and nothing is merged | |
    /// | ``Resolution/delete`` | the record is deleted | |
    ///
    /// Where both sides added the record there is no base, and ``Resolution/base`` deletes it. Conflicts with a deletion
    /// go to the other policy as they are.
    ///
    /// ```swift
    /// let policy = ConflictPolicy<Contact>.mergingFields(Contact.fields, otherwise: .leaveOpen)
    /// ```
    ///
    /// - Parameters:
    ///   - fields: The fields of a record. All that is not listed counts as one more.
    ///   - policy: What resolves the rest: such as another `mergingFields`, or a policy that asks the user.
    public static func mergingFields(
        _ fields: [MergeField<Element>], otherwise policy: ConflictPolicy
    ) -> ConflictPolicy where Element: Equatable & SendableMetatype {
        let all = fields + [MergeField(allBut: fields)]
        return ConflictPolicy { try $0.resolution(merging: all, base: $0.base, otherwise: policy) }
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
        ConflictPolicy { try $0.resolution(merging: $0.namedFields(), base: $0.base ?? [:], otherwise: policy) }
    }
}

extension Conflict {
    /// The names of the fields that both sides changed to different values: what a user is to choose between.
    ///
    /// ```swift
    /// conflict.clashingFields(of: Contact.fields)   // ["phone"]
    /// ```
    ///
    /// - Parameter fields: The fields of a record. All that is not listed counts as one more, named `other fields`.
    /// - Returns: The names, in the order of `fields`; none if a side deleted the record: that clashes as a whole.
    public func clashingFields(of fields: [MergeField<Element>]) -> [String]
    where Element: Equatable & SendableMetatype {
        clashes(of: fields + [MergeField(allBut: fields)], base: base).map(\.name)
    }

    /// The names of the fields of dictionary-like records that both sides changed to different values, sorted.
    ///
    /// See ``clashingFields(of:)``.
    public func clashingFields<Value: Equatable & SendableMetatype>() -> [String] where Element == [String: Value] {
        clashes(of: namedFields(), base: base ?? [:]).map(\.name)
    }

    /// The fields that both sides changed to different values, given the base that they are compared with.
    private func clashes(of fields: [MergeField<Element>], base: Element?) -> [MergeField<Element>] {
        guard let local, let remote else { return [] }
        var merged = local
        return merge(fields, of: local, remote, base: base, into: &merged)
    }

    /// Merges the fields of two versions into `merged`, which begins as the local one.
    ///
    /// - Returns: The fields that clash: in `merged` they are the local ones.
    private func merge(
        _ fields: [MergeField<Element>], of local: Element, _ remote: Element, base: Element?,
        into merged: inout Element
    ) -> [MergeField<Element>] {
        fields.filter { field in
            if field.areEqual(local, remote) { return false }
            if let base, field.areEqual(base, local) {
                field.copy(remote, &merged)
                return false
            }
            if let base, field.areEqual(base, remote) { return false }
            return !field.merge(base, local, remote, &merged)
        }
    }

    /// A field for each name that either version has, sorted.
    fileprivate func namedFields<Value: Equatable & SendableMetatype>() -> [MergeField<Element>]
    where Element == [String: Value] {
        Set((local ?? [:]).keys).union((remote ?? [:]).keys).sorted().map { MergeField($0) }
    }

    /// The record merged by fields; those that clash as the policy says.
    fileprivate func resolution(
        merging fields: [MergeField<Element>], base: Element?, otherwise policy: ConflictPolicy<Element>
    ) throws -> Resolution<Element> {
        guard let local, let remote else { return try policy.resolve(self) }
        var merged = local
        let clashing = merge(fields, of: local, remote, base: base, into: &merged)
        if clashing.isEmpty { return .merged(merged) }

        let answer = try policy.resolve(self)
        let source: Element
        switch answer {
        case .local: source = local
        case .remote: source = remote
        case .base:
            guard let base = self.base else { return .base }
            source = base
        case .merged(let record): source = record
        case .delete, .open: return answer
        }
        for field in clashing { field.copy(source, &merged) }
        return .merged(merged)
    }
}
