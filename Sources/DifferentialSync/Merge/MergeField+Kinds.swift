extension MergeField {
    /// Returns a field for a set: members that either side added are included, members that either side removed are
    /// not.
    ///
    /// ```swift
    /// let tags = MergeField<Post>.set("tags", \.tags)
    /// ```
    ///
    /// Without a base nothing is removed: the result is the union. The changes of two sides never clash.
    ///
    /// - Parameters:
    ///   - name: The name of the field in ``Conflict/clashingFields(of:)``.
    ///   - path: The key path of the field.
    public static func set<Member: Hashable & SendableMetatype>(
        _ name: String, _ path: any WritableKeyPath<Element, Set<Member>> & Sendable
    ) -> MergeField {
        MergeField(name, path) { base, local, remote in
            func keys(_ members: Set<Member>?) -> Set<ReflexiveKey<Member>> {
                Set((members ?? []).map { ReflexiveKey($0) })
            }
            let (base, local, remote) = (keys(base), keys(local), keys(remote))
            return Set(
                local.intersection(remote).union(local.symmetricDifference(remote).subtracting(base)).map(\.value))
        }
    }

    /// Returns a field for a counter: the changes of both sides since the base are added.
    ///
    /// ```swift
    /// let likes = MergeField<Post>.counter("likes", \.likes)
    /// ```
    ///
    /// Equal numbers count as one change: they may result from a push of this device whose answer was lost. If every
    /// step must count, give each device its own counter.
    ///
    /// The two changes clash if the sum does not fit the number's type, and if there is no base.
    ///
    /// - Parameters:
    ///   - name: The name of the field in ``Conflict/clashingFields(of:)``.
    ///   - path: The key path of the field.
    public static func counter<Number: FixedWidthInteger & SendableMetatype>(
        _ name: String, _ path: any WritableKeyPath<Element, Number> & Sendable
    ) -> MergeField {
        MergeField(name, path) { base, local, remote in
            guard let base else { return nil }
            // By magnitudes, so that only the result must fit.
            if local >= base {
                let added = Number.Magnitude(truncatingIfNeeded: local &- base)
                let room = Number.Magnitude(truncatingIfNeeded: Number.max &- remote)
                return added <= room ? remote &+ Number(truncatingIfNeeded: added) : nil
            }
            let taken = Number.Magnitude(truncatingIfNeeded: base &- local)
            let room = Number.Magnitude(truncatingIfNeeded: remote &- Number.min)
            return taken <= room ? remote &- Number(truncatingIfNeeded: taken) : nil
        }
    }

    /// Returns a field for a list that is only appended to: the entries that both sides appended are appended.
    ///
    /// ```swift
    /// let visits = MergeField<Page>.log("visits", \.visits)
    /// ```
    ///
    /// The entries of the base are first. Each side's entries keep their order: of the next entries of both sides the
    /// smaller one is appended first, and equal ones count once. So the result does not depend on which side merges.
    /// Without a base, the common beginning of both lists is the base. The two changes clash if a side has changed,
    /// removed or inserted entries of the base.
    ///
    /// - Parameters:
    ///   - name: The name of the field in ``Conflict/clashingFields(of:)``.
    ///   - path: The key path of the field.
    public static func log<Entry: Comparable & SendableMetatype>(
        _ name: String, _ path: any WritableKeyPath<Element, [Entry]> & Sendable
    ) -> MergeField {
        log(name, path) { $0 }
    }

    /// Returns a field for a list that is only appended to, ordered by a value of its entries.
    ///
    /// ```swift
    /// let comments = MergeField<Post>.log("comments", \.comments) { $0.written }
    /// ```
    ///
    /// See ``log(_:_:)``. The two changes also clash if the next entries of both sides differ and have equal values,
    /// because their order is not known then.
    ///
    /// - Parameters:
    ///   - name: The name of the field in ``Conflict/clashingFields(of:)``.
    ///   - path: The key path of the field.
    ///   - order: The value by which entries are ordered.
    public static func log<Entry: Equatable & SendableMetatype, Order: Comparable & SendableMetatype>(
        _ name: String, _ path: any WritableKeyPath<Element, [Entry]> & Sendable,
        by order: @escaping @Sendable (Entry) -> Order
    ) -> MergeField {
        MergeField(name, path) { base, local, remote in
            let common = zip(local, remote).prefix { areSame($0, $1) }.count
            let kept = base?.count ?? common
            if let base, common < kept || !base.elementsEqual(local.prefix(kept), by: areSame) { return nil }
            return appending(local[kept...], remote[kept...], to: Array(local[..<kept]), by: order)
        }
    }
}

/// Returns a list with two others appended, the smaller of their next entries first and equal ones once.
///
/// Nil if different entries have no order.
private func appending<Entry: Equatable>(
    _ first: ArraySlice<Entry>, _ second: ArraySlice<Entry>, to list: [Entry], by order: (Entry) -> some Comparable
) -> [Entry]? {
    var (first, second, list) = (first, second, list)
    while let left = first.first, let right = second.first {
        if areSame(left, right) {
            list.append(first.removeFirst())
            second.removeFirst()
        } else if order(left) < order(right) {
            list.append(first.removeFirst())
        } else if order(right) < order(left) {
            list.append(second.removeFirst())
        } else {
            return nil
        }
    }
    return list + first + second
}
