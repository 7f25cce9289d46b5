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

        /// Creates a member.
        public init(name: String, value: Value) {
            self.name = name
            self.value = value
        }
    }

    /// The distinct names in their order.
    ///
    /// The objects of a list share them.
    package private(set) var names: [String]
    /// The values, in the order of their names.
    package private(set) var values: [Value]

    /// Creates an object of members.
    ///
    /// If a name is repeated, the last value counts, at the position of the first.
    ///
    /// - Complexity: O(*n*)
    public init(_ members: some Sequence<Member> = []) {
        let members = Array(members)
        self.init(names: members.map(\.name), values: members.map(\.value))
    }

    /// Creates an object of names and values.
    ///
    /// If a name is repeated, the last value counts, at the position of the first.
    ///
    /// - Complexity: O(*n*)
    package init(names: [String], values: [Value]) {
        guard Self.firstDuplicate(in: names) != nil else {
            self.init(distinct: names, values)
            return
        }
        var unique: [String] = []
        var last: [Value] = []
        var positions: [Value: Int] = [:]
        for (name, value) in zip(names, values) {
            // Names are compared by their scalars, like values of text.
            if let position = positions[.string(name)] {
                last[position] = value
            } else {
                positions[.string(name)] = unique.count
                unique.append(name)
                last.append(value)
            }
        }
        self.init(distinct: unique, last)
    }

    /// Creates an object of distinct names and their values.
    ///
    /// - Precondition: There are as many values as names, and no name is repeated.
    package init(distinct names: [String], _ values: [Value]) {
        precondition(names.count == values.count, "an object has one value for each name")
        self.names = names
        self.values = values
    }

    /// Whether another object has the same names in the same order.
    ///
    /// - Complexity: O(1) for objects of one list, else O(*n*)
    package func hasNames(of other: ValueObject) -> Bool {
        names.withUnsafeBufferPointer { mine in
            other.names.withUnsafeBufferPointer { others in
                mine.count == others.count
                    && (mine.baseAddress == others.baseAddress
                        || mine.indices.allSatisfy {
                            mine[$0].isIdentical(to: others[$0]) || mine[$0].hasSameScalars(as: others[$0])
                        })
            }
        }
    }

    /// Returns the position of the first name that repeats an earlier one.
    ///
    /// - Complexity: O(*n*)
    static func firstDuplicate(in names: [String]) -> Int? {
        if names.count > 32 {
            var seen: Set<Value> = []
            seen.reserveCapacity(names.count)
            return names.firstIndex { !seen.insert(.string($0)).inserted }
        }
        // Each name sets one of 64 marks. A name whose mark is not set yet repeats no earlier one.
        var marks: UInt64 = 0
        for index in names.indices {
            let name = names[index]
            let mark: UInt64 = 1 << (name.mark & 63)
            if marks & mark != 0, names[..<index].contains(where: { $0.hasSameScalars(as: name) }) { return index }
            marks |= mark
        }
        return nil
    }

    /// The value under a name, or nil if there is none.
    ///
    /// Setting nil removes the member.
    ///
    /// - Complexity: O(*n*)
    public subscript(name: String) -> Value? {
        get { names.firstIndex { $0.hasSameScalars(as: name) }.map { values[$0] } }
        set {
            let position = names.firstIndex { $0.hasSameScalars(as: name) }
            switch (position, newValue) {
            case (let position?, let value?): values[position] = value
            case (let position?, nil):
                names.remove(at: position)
                values.remove(at: position)
            case (nil, let value?):
                names.append(name)
                values.append(value)
            case (nil, nil): break
            }
        }
    }
}

extension ValueObject {
    /// The members of an object in their order, with distinct names.
    public struct Members: RandomAccessCollection, Sendable {
        let object: ValueObject

        /// The position of the first member, 0.
        public var startIndex: Int { 0 }
        /// The number of members.
        public var endIndex: Int { object.values.count }

        /// The member at a position.
        public subscript(position: Int) -> Member {
            Member(name: object.names[position], value: object.values[position])
        }
    }

    /// The members in their order, with distinct names.
    public var members: Members { Members(object: self) }
}

extension ValueObject: Hashable {
    /// Whether both have equal members, in any order.
    ///
    /// - Complexity: O(*n*) for objects of size *n*, O(*m* log *m*) for *m* members in another order
    public static func == (left: ValueObject, right: ValueObject) -> Bool {
        Value.object(left) == .object(right)
    }

    /// Hashes the members regardless of their order.
    public func hash(into hasher: inout Hasher) {
        Value.object(self).hash(into: &hasher)
    }

    /// The members, sorted by the scalars of their names.
    package var sorted: [Member] { sortedPositions.map { members[$0] } }

    /// The positions of the members, sorted by the scalars of their names.
    var sortedPositions: [Int] {
        names.indices.sorted { ValueOrder(text: names[$0], names[$1]) == .ascending }
    }
}

extension String {
    /// A number that equal names share, and that different names rarely share.
    fileprivate var mark: UInt64 {
        withUTF8Bytes { bytes in
            guard let first = bytes.first, let last = bytes.last else { return 0 }
            let middle = bytes[bytes.count / 2]
            return UInt64(bytes.count) &* 7 ^ UInt64(first) &* 5 ^ UInt64(middle) &* 3 ^ UInt64(last)
        }
    }
}
