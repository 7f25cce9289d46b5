extension Value {
    /// Whether this value contains each member of another JSON value, in the object at the same place.
    ///
    /// - Complexity: O(*n*)
    func hasMembers(of other: Value) -> Bool {
        switch (self, other) {
        case (.object(let new), .object(let old)):
            if new.hasNames(of: old) { return zip(new.values, old.values).allSatisfy { $0.hasMembers(of: $1) } }
            return old.members.allSatisfy { member in new[member.name]?.hasMembers(of: member.value) ?? false }
        case (.array(let new), .array(let old)):
            return zip(new, Value.counterparts(of: new, in: old)).allSatisfy { element, position in
                position.map { element.hasMembers(of: old[$0]) } ?? true
            }
        default: return true
        }
    }

    /// Returns this value with those members of an older one that its type neither reads nor writes.
    ///
    /// Objects in an array are matched by `id` if each has a distinct one. Otherwise they are matched by position if
    /// both arrays have the same count. Otherwise all are new.
    ///
    /// - Parameters:
    ///   - old: The older value.
    ///   - written: The value that the type writes, with null for absent members.
    ///   - read: The members that the type reads of the older value.
    /// - Complexity: O(*n*)
    func keepingMembers(of old: Value, written: Value?, read: MemberReads?) -> Value {
        switch (self, old) {
        case (.object(var object), .object(let old)):
            let written: ValueObject? = if case .object(let names)? = written { names } else { nil }
            for member in old.members {
                let (name, writtenPart) = (member.name, written?[member.name])
                if let new = object[name] {
                    object[name] = new.keepingMembers(of: member.value, written: writtenPart, read: read?[name])
                } else if writtenPart == nil, read?[name] == nil {
                    object[name] = member.value
                }
            }
            return .object(object)
        case (.array(let elements), .array(let old)):
            let written: [Value] = if case .array(let values)? = written { values } else { [] }
            let positions = Value.counterparts(of: elements, in: old)
            return .array(
                elements.indices.map { index in
                    guard let position = positions[index] else { return elements[index] }
                    return elements[index].keepingMembers(
                        of: old[position], written: index < written.count ? written[index] : nil, read: read?[position])
                })
        default: return self
        }
    }

    /// Returns the position of each element's counterpart in an older array; nil for new elements.
    static func counterparts(of new: [Value], in old: [Value]) -> [Int?] {
        if let ids = Value.ids(of: new), let oldIDs = Value.ids(of: old) {
            let positions = Dictionary(zip(oldIDs, old.indices)) { first, _ in first }
            return ids.map { positions[$0] }
        }
        return new.count == old.count ? Array(new.indices) : Array(repeating: nil, count: new.count)
    }

    /// Returns the `id` members of an array's elements; nil unless each is an object with a distinct `id`.
    private static func ids(of elements: [Value]) -> [Value]? {
        var ids: [Value] = []
        for element in elements {
            guard case .object(let object) = element, let id = object["id"] else { return nil }
            ids.append(id)
        }
        return Set(ids).count == ids.count ? ids : nil
    }

    /// Whether two values from which one element is read are equal in all that the element's own JSON does not have.
    ///
    /// Arrays may have another order, as those of sets do, unless their elements differ too.
    ///
    /// - Complexity: O(*n*)
    func isEqual(to other: Value, besidesMembersOf own: Value) -> Bool {
        if self == other { return true }
        switch (self, other, own) {
        case (.object(let object), .object(let other), .object(let own)):
            return Set(object.names + other.names).allSatisfy { name in
                guard let own = own[name], let value = object[name], let otherValue = other[name] else {
                    return object[name] == other[name]
                }
                return value.isEqual(to: otherValue, besidesMembersOf: own)
            }
        case (.array(let elements), .array(let others), _):
            return Dictionary(grouping: elements) { $0 } == Dictionary(grouping: others) { $0 }
        default: return true
        }
    }

    /// A hash that does not depend on the order of arrays.
    ///
    /// - Complexity: O(*n*)
    var unorderedHash: Int {
        var hasher = Hasher()
        switch self {
        case .array(let elements): hasher.combine(elements.reduce(elements.count) { $0 &+ $1.unorderedHash })
        case .object(let object):
            for member in object.sorted {
                hasher.combine(Value.string(member.name))
                hasher.combine(member.value.unorderedHash)
            }
        default: hasher.combine(self)
        }
        return hasher.finalize()
    }
}
