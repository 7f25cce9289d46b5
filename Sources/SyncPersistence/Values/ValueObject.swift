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
        let members = Array(members)
        guard Self.firstDuplicate(in: members) != nil else {
            self.members = members
            return
        }
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

    /// An object of members no two of which have the same name.
    init(distinct members: [Member]) {
        self.members = members
    }

    /// The position of the first member whose name one before it has.
    ///
    /// - Complexity: O(*n*)
    static func firstDuplicate(in members: [Member]) -> Int? {
        if members.count > 32 {
            var names: Set<Value> = []
            names.reserveCapacity(members.count)
            return members.firstIndex { !names.insert(.string($0.name)).inserted }
        }
        // Each name leaves a mark at one of 64 places; where there is none yet, no name before is the same.
        var marks: UInt64 = 0
        for index in members.indices {
            let name = members[index].name
            let mark: UInt64 = 1 << (name.mark & 63)
            if marks & mark != 0, members[..<index].contains(where: { $0.name.hasSameScalars(as: name) }) {
                return index
            }
            marks |= mark
        }
        return nil
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

extension String {
    /// A number that equal names share and different ones seldom do.
    fileprivate var mark: UInt64 {
        withUTF8Bytes { bytes in
            guard let first = bytes.first, let last = bytes.last else { return 0 }
            let middle = bytes[bytes.count / 2]
            return UInt64(bytes.count) &* 7 ^ UInt64(first) &* 5 ^ UInt64(middle) &* 3 ^ UInt64(last)
        }
    }
}
