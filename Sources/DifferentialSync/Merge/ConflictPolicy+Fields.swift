extension ConflictPolicy {
    /// Returns a policy that merges records by fields: edits of different fields of one record are both kept.
    ///
    /// If both sides changed fields to different values, the other policy resolves them, in one call for all such
    /// fields. ``Conflict/clashingFields(of:)`` lists them. The resolution applies to these fields alone:
    ///
    /// | Resolution | The clashing fields | All other fields |
    /// | --- | --- | --- |
    /// | ``Resolution/local``, ``Resolution/remote`` | of that side | merged |
    /// | ``Resolution/base`` | of the base | merged |
    /// | ``Resolution/merged(_:)`` | of the given record | merged |
    /// | ``Resolution/open`` | the whole conflict stays unresolved, and nothing is merged | |
    /// | ``Resolution/delete`` | the record is deleted | |
    ///
    /// If both sides added the record, there is no base, and ``Resolution/base`` deletes it. The other policy resolves
    /// conflicts with a deletion as a whole.
    ///
    /// ```swift
    /// let policy = ConflictPolicy<Contact>.mergingFields(Contact.fields, otherwise: .leaveOpen)
    /// ```
    ///
    /// - Parameters:
    ///   - fields: The fields of a record. All other fields count as one more.
    ///   - policy: Resolves the clashing fields, such as another `mergingFields`, or ``leaveOpen`` to let the user
    ///     choose.
    public static func mergingFields(
        _ fields: [MergeField<Element>], otherwise policy: ConflictPolicy
    ) -> ConflictPolicy where Element: Equatable & SendableMetatype {
        let all = fields + [MergeField(allBut: fields)]
        return ConflictPolicy { try $0.resolution(merging: all, base: $0.base, otherwise: policy) }
    }

    /// Returns a policy that merges dictionary-like records by fields.
    ///
    /// See ``mergingFields(_:otherwise:)``. If both sides added the record, a field that only one of them has is kept.
    ///
    /// - Parameter policy: Resolves fields that both sides changed to different values.
    public static func mergingFields<Value: Equatable & SendableMetatype>(
        otherwise policy: ConflictPolicy
    ) -> ConflictPolicy where Element == [String: Value] {
        ConflictPolicy { try $0.resolution(merging: $0.namedFields(), base: $0.base ?? [:], otherwise: policy) }
    }
}

extension Conflict {
    /// Returns the names of the fields that both sides changed to different values, for a user to choose between.
    ///
    /// ```swift
    /// conflict.clashingFields(of: Contact.fields)   // ["phone"]
    /// ```
    ///
    /// - Parameter fields: The fields of a record. All other fields count as one more, named `other fields`.
    /// - Returns: The names, in the order of `fields`. Empty if a side deleted the record, because it clashes as a
    ///   whole.
    public func clashingFields(of fields: [MergeField<Element>]) -> [String]
    where Element: Equatable & SendableMetatype {
        clashes(of: fields + [MergeField(allBut: fields)], base: base).map(\.name)
    }

    /// Returns the names of the fields of dictionary-like records that both sides changed to different values, sorted.
    ///
    /// See ``clashingFields(of:)``.
    public func clashingFields<Value: Equatable & SendableMetatype>() -> [String] where Element == [String: Value] {
        clashes(of: namedFields(), base: base ?? [:]).map(\.name)
    }

    /// Returns the fields that both sides changed to different values, compared with the base.
    private func clashes(of fields: [MergeField<Element>], base: Element?) -> [MergeField<Element>] {
        guard let local, let remote else { return [] }
        var merged = local
        return merge(fields, of: local, remote, base: base, into: &merged)
    }

    /// Merges the fields of two versions into `merged`, which is the local version at first.
    ///
    /// - Returns: The fields that clash. In `merged` they have the local values.
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

    /// Returns a field for each name that either version has, sorted.
    fileprivate func namedFields<Value: Equatable & SendableMetatype>() -> [MergeField<Element>]
    where Element == [String: Value] {
        Set((local ?? [:]).keys).union((remote ?? [:]).keys).sorted().map { MergeField($0) }
    }

    /// Returns the record merged by fields.
    ///
    /// The policy resolves those that clash.
    fileprivate func resolution(
        merging fields: [MergeField<Element>], base: Element?, otherwise policy: ConflictPolicy<Element>
    ) throws -> Resolution<Element> {
        guard let local, let remote else { return try policy.resolve(self) }
        var merged = local
        let clashing = merge(fields, of: local, remote, base: base, into: &merged)
        if clashing.isEmpty { return .merged(merged) }

        let resolution = try policy.resolve(self)
        let source: Element
        switch resolution {
        case .local: source = local
        case .remote: source = remote
        case .base:
            guard let base = self.base else { return .base }
            source = base
        case .merged(let record): source = record
        case .delete, .open: return resolution
        }
        for field in clashing { field.copy(source, &merged) }
        return .merged(merged)
    }
}
