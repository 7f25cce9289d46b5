extension Value {
    /// Returns this value with some members of an older one.
    ///
    /// These are members that the type neither reads nor writes, and members that it reads as those that this value
    /// has.
    ///
    /// Objects in an array are matched by `id` if each has a distinct one. Otherwise those are matched that are read as
    /// equal, and the others by position. If it is not known what was read, all are matched by position if both arrays
    /// have the same count; otherwise all are new.
    ///
    /// - Parameters:
    ///   - old: The older value.
    ///   - written: The value that the type writes, with null for absent members.
    ///   - read: The members that the type reads of the older value.
    ///   - edit: What the type reads of the older value and writes now; nil to keep only members that are not written.
    /// - Complexity: O(*n*)
    func keepingMembers(of old: Value, written: Value?, read: MemberReads?, edit: MemberEdit?) -> Value {
        switch (self, old) {
        case (.object, .object(let stored)) where edit?.isOfOtherCase(than: stored) == true:
            return edit?.isChanged == false ? old : self
        // The stored object was read as null or as another value, so nothing of it belongs to this one.
        case (.object, .object) where edit?.replacesNoObject == true: return self
        case (.object(let object), .object(let old)):
            let (index, written) = (MemberIndex(self), MemberIndex(written))
            var (names, values) = (object.names, object.values)
            for member in old.members {
                let (name, writtenPart) = (member.name, written[member.name])
                let edit = edit?[name]
                if let position = index.position(of: name) {
                    values[position] = values[position].keepingMembers(
                        of: member.value, written: writtenPart, read: read?[name], edit: edit)
                } else if edit?.isChanged == false || writtenPart == nil && read?[name] == nil {
                    names.append(name)
                    values.append(member.value)
                }
            }
            return .object(ValueObject(distinct: names, values))
        case (.array(let elements), .array(let old))
        where edit?.isChanged != false || edit?.hasPositions(of: old.count) == true:
            let written: [Value] = if case .array(let values)? = written { values } else { [] }
            let positions =
                Value.counterparts(byID: elements, in: old)
                ?? edit.map { $0.counterparts(of: elements.count, in: old.count) }
                ?? Value.counterparts(of: elements, in: old)
            return .array(
                elements.indices.map { index in
                    guard let position = positions[index] else { return elements[index] }
                    return elements[index].keepingMembers(
                        of: old[position], written: index < written.count ? written[index] : nil, read: read?[position],
                        edit: edit?.ofElement(index, from: position, of: old.count))
                })
        default: return edit?.isChanged == false ? old : self
        }
    }

    /// Returns the position of each element's counterpart in an older array; nil for new elements.
    static func counterparts(of new: [Value], in old: [Value]) -> [Int?] {
        if let positions = counterparts(byID: new, in: old) { return positions }
        return new.count == old.count ? Array(new.indices) : Array(repeating: nil, count: new.count)
    }

    /// Returns the position of the element with the same `id` in an older array, for each element; nil if not all have
    /// distinct ones.
    private static func counterparts(byID new: [Value], in old: [Value]) -> [Int?]? {
        guard let ids = Value.ids(of: new), let oldIDs = Value.ids(of: old) else { return nil }
        let positions = Dictionary(zip(oldIDs, old.indices)) { first, _ in first }
        return ids.map { positions[$0] }
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

    /// Returns this value with the scalar values of an earlier one where it does not have those of the stored value.
    ///
    /// Arrays with the same elements in another order, as those of sets may have, get the earlier order.
    ///
    /// - Parameters:
    ///   - base: The earlier value.
    ///   - stored: The stored value between them; nil if there is none.
    ///   - own: The value that an element writes: members that it does not have stay as they are.
    /// - Complexity: O(*n*)
    func restoring(_ base: Value, over stored: Value?, of own: Value) -> Value {
        switch (self, base, own) {
        case (.object(let object), .object, .object):
            let (base, stored, own) = (MemberIndex(base), MemberIndex(stored), MemberIndex(own))
            var values = object.values
            for (position, name) in object.names.enumerated() {
                guard let base = base[name], let own = own[name] else { continue }
                values[position] = values[position].restoring(base, over: stored[name], of: own)
            }
            return .object(ValueObject(distinct: object.names, values))
        case (.array(let elements), .array(let others), _):
            return Dictionary(grouping: elements) { $0 } == Dictionary(grouping: others) { $0 } ? base : self
        default: return self == stored ? self : base
        }
    }
}

extension Value {
    /// Whether the value is an object as an enumeration writes it: with one member, which is an object.
    var isCase: Bool {
        guard case .object(let object) = self, object.names.count == 1, case .object = object.values[0] else {
            return false
        }
        return true
    }
}

/// What a type reads of a stored value, and what it writes in place of it.
struct MemberEdit {
    /// The value that the element writes which was read; nil for an absent part.
    private let former: Value?
    /// The value that the element writes now; nil for an absent part.
    private let new: Value?
    /// The members of both values.
    private let members: (former: MemberIndex, new: MemberIndex)

    /// Creates an edit from an element that was read to another one.
    ///
    /// - Throws: The error of encoding one of them.
    init(from former: some Encodable, to new: some Encodable) throws {
        let surveys = try [
            ValueEncoder().survey(former, isSorted: true).value, ValueEncoder().survey(new, isSorted: true).value,
        ]
        self.init(of: surveys[0], surveys[1])
    }

    /// Creates an edit of a value, or of a part.
    private init(of former: Value?, _ new: Value?) {
        (self.former, self.new) = (former, new)
        members = (MemberIndex(former), MemberIndex(new))
    }

    /// Whether the element writes something else than the one that was read.
    var isChanged: Bool { former != new }

    /// The edit of a member; nil if one of the elements does not write the object.
    ///
    /// A member that neither of them writes is unchanged, even if the type reads it.
    subscript(name: String) -> MemberEdit? {
        guard case .object? = former, case .object? = new else { return nil }
        return MemberEdit(of: members.former[name], members.new[name])
    }

    /// Whether the element writes another case of an enumeration than the stored one.
    ///
    /// A case is the only member of its object, and is an object itself.
    func isOfOtherCase(than stored: ValueObject) -> Bool {
        guard stored.names.count == 1, former?.isCase == true, new?.isCase == true else { return false }
        return members.new[stored.names[0]] == nil
    }

    /// Whether the element writes something in place of what was read as null, or as a value without members.
    var replacesNoObject: Bool {
        if case .object? = former { return false }
        return former != nil && isChanged
    }

    /// Returns the position of each new element's counterpart in a stored array; nil for new elements.
    ///
    /// Elements that are read as equal are matched in their order, and the rest if they are at the same position. A set, or
    /// an array whose elements were not read one by one, has no counterparts.
    ///
    /// - Parameters:
    ///   - count: The count of the new array.
    ///   - formerCount: The count of the stored array.
    func counterparts(of count: Int, in formerCount: Int) -> [Int?] {
        var counterparts = [Int?](repeating: nil, count: count)
        guard hasPositions(of: formerCount), case .array(let former)? = former, case .array(let new)? = new,
            new.count == count
        else { return counterparts }
        var positions = Dictionary(grouping: former.indices.reversed()) { former[$0] }
        var isMatched = [Bool](repeating: false, count: formerCount)
        for index in new.indices {
            guard let position = positions[new[index]]?.popLast() else { continue }
            (counterparts[index], isMatched[position]) = (position, true)
        }
        for index in new.indices where counterparts[index] == nil && index < formerCount && !isMatched[index] {
            counterparts[index] = index
        }
        return counterparts
    }

    /// Whether each element of a stored array has been read as the one at its position.
    ///
    /// - Parameter count: The count of the stored array.
    func hasPositions(of count: Int) -> Bool {
        // A set is no array in a survey.
        if case .array(let former)? = former { former.count == count } else { false }
    }

    /// Returns the edit of an element of an array; nil if the positions may be those of other elements.
    ///
    /// - Parameters:
    ///   - index: The position of the element in the new array.
    ///   - formerIndex: The position in the stored array of the element that it replaces.
    ///   - count: The count of the stored array.
    func ofElement(_ index: Int, from formerIndex: Int, of count: Int) -> MemberEdit? {
        guard hasPositions(of: count), case .array(let former)? = former, case .array(let new)? = new,
            new.indices.contains(index)
        else { return nil }
        return MemberEdit(of: former[formerIndex], new[index])
    }
}
