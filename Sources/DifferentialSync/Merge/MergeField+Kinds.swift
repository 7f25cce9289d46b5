extension MergeField {
    /// A set: members that either side added are in, members that either side removed are out.
    ///
    /// ```swift
    /// let tags = MergeField<Post>.set("tags", \.tags)
    /// ```
    ///
    /// Without a base nothing is removed: the result is the union. The changes of two sides never clash.
    ///
    /// - Parameters:
    ///   - name: The name of the field in a ``Conflict``.
    ///   - path: Where the field is.
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

    /// A number that is counted up and down: what both sides added to the base, or took from it, adds up.
    ///
    /// ```swift
    /// let likes = MergeField<Post>.counter("likes", \.likes)
    /// ```
    ///
    /// Equal numbers count as one change, because nothing tells them from an own push whose answer was lost. Where every step
    /// must count, give each device a counter of its own.
    ///
    /// The two changes clash where the sum does not fit the number's type, and where there is no base, because then
    /// nothing tells what was added.
    ///
    /// - Parameters:
    ///   - name: The name of the field in a ``Conflict``.
    ///   - path: Where the field is.
    public static func counter<Number: FixedWidthInteger & SendableMetatype>(
        _ name: String, _ path: any WritableKeyPath<Element, Number> & Sendable
    ) -> MergeField {
        MergeField(name, path) { base, local, remote in
            guard let base else { return nil }
            // By magnitudes, so that only the result has to fit.
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

    /// A list that is only appended to: what both sides appended is appended, in ascending order where they meet.
    ///
    /// ```swift
    /// let visits = MergeField<Page>.log("visits", \.visits)
    /// ```
    ///
    /// What the base holds stays in front. Each side's entries keep their order; of the next entries of both sides the
    /// smaller one comes first, and equal ones count once. So it does not matter which side merges. Without a base, the
    /// common beginning of both lists is taken for it. The two changes clash where a side has changed, removed or inserted
    /// entries of the base.
    ///
    /// - Parameters:
    ///   - name: The name of the field in a ``Conflict``.
    ///   - path: Where the field is.
    public static func log<Entry: Comparable & SendableMetatype>(
        _ name: String, _ path: any WritableKeyPath<Element, [Entry]> & Sendable
    ) -> MergeField {
        log(name, path) { $0 }
    }

    /// A list that is only appended to, ordered by a value of its entries.
    ///
    /// ```swift
    /// let comments = MergeField<Post>.log("comments", \.comments) { $0.written }
    /// ```
    ///
    /// See ``log(_:_:)``. The two changes clash also where different entries with equal values meet, because then nothing
    /// tells which one comes first.
    ///
    /// - Parameters:
    ///   - name: The name of the field in a ``Conflict``.
    ///   - path: Where the field is.
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

/// A list with two others appended, the smaller of their next entries first and equal ones once; nil where nothing tells
/// which one is smaller.
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
