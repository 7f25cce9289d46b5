/// The members of a JSON object, in their order.
///
/// Two objects are equal if they have equal members; order does not count.
public struct ValueObject: Sendable {
    /// A name and its value.
    public struct Member: Hashable, Sendable {
        /// The name.
        public var name: String
        /// The value.
        public var value: Value

        /// A member.
        public init(name: String, value: Value) {
            self.name = name
            self.value = value
        }
    }

    /// The members in their order; no two have the same name.
    public private(set) var members: [Member]

    /// An object of the given members; the last of several with one name counts, in the place of the first.
    ///
    /// - Complexity: O(*n*)
    public init(_ members: some Sequence<Member> = []) {
        var unique: [Member] = []
        var positions: [Value: Int] = [:]
        for member in members {
            // A name is compared as a value of text is: by its scalars.
            if let position = positions[.string(member.name)] {
                unique[position].value = member.value
            } else {
                positions[.string(member.name)] = unique.count
                unique.append(member)
            }
        }
        self.members = unique
    }

    /// The value under a name, or nil if there is none; setting nil takes the member away.
    ///
    /// - Complexity: O(*n*)
    public subscript(name: String) -> Value? {
        get { members.first { $0.name.hasSameScalars(as: name) }?.value }
        set {
            let position = members.firstIndex { $0.name.hasSameScalars(as: name) }
            switch (position, newValue) {
            case (let position?, let value?): members[position].value = value
            case (let position?, nil): members.remove(at: position)
            case (nil, let value?): members.append(Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }
}

extension ValueObject: Hashable {
    /// Whether both have equal members, in any order.
    ///
    /// - Complexity: O(*n*) where the order is the same, O(*n* log *n*) where it is not
    public static func == (left: ValueObject, right: ValueObject) -> Bool {
        left.members.count == right.members.count
            && (left.members.elementsEqual(right.members, by: ValueObject.areEqual)
                || left.sorted.elementsEqual(right.sorted, by: ValueObject.areEqual))
    }

    /// Hashes the members regardless of their order.
    public func hash(into hasher: inout Hasher) {
        for member in sorted {
            member.name.hashScalars(into: &hasher)
            hasher.combine(member.value)
        }
        hasher.combine(members.count)
    }

    private static func areEqual(_ left: Member, _ right: Member) -> Bool {
        left.name.hasSameScalars(as: right.name) && left.value == right.value
    }

    /// The members, sorted by the scalars of their names.
    var sorted: [Member] {
        members.sorted { ValueOrder(text: $0.name, $1.name) == .ascending }
    }
}
