extension Value {
    /// Returns this value with those members of an older one that its type neither reads nor writes, and those that it
    /// reads as the members that this one has.
    ///
    /// Objects in an array are matched by `id` if each has a distinct one. Otherwise they are matched by position if
    /// both arrays have the same count. Otherwise all are new.
    ///
    /// - Parameters:
    ///   - old: The older value.
    ///   - written: The value that the type writes, with null for absent members.
    ///   - read: The members that the type reads of the older value.
    ///   - edit: What the type reads of the older value and writes now; nil to keep only members that are not written.
    /// - Complexity: O(*n*)
    func keepingMembers(of old: Value, written: Value?, read: MemberReads?, edit: MemberEdit?) -> Value {
        switch (self, old) {
        case (.object(var object), .object(let old)):
            let written: ValueObject? = if case .object(let names)? = written { names } else { nil }
            for member in old.members {
                let (name, writtenPart) = (member.name, written?[member.name])
                let edit = edit?[name]
                if let new = object[name] {
                    object[name] = new.keepingMembers(
                        of: member.value, written: writtenPart, read: read?[name], edit: edit)
                } else if edit?.isChanged == false || writtenPart == nil && read?[name] == nil {
                    object[name] = member.value
                }
            }
            return .object(object)
        case (.array(let elements), .array(let old))
        where edit?.isChanged != false || edit?.hasPositions(of: old.count) == true:
            let written: [Value] = if case .array(let values)? = written { values } else { [] }
            let positions = Value.counterparts(of: elements, in: old)
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
        case (.object(var object), .object(let base), .object(let own)):
            let stored: ValueObject? = if case .object(let object)? = stored { object } else { nil }
            for member in own.members {
                guard let value = object[member.name], let base = base[member.name] else { continue }
                object[member.name] = value.restoring(base, over: stored?[member.name], of: member.value)
            }
            return .object(object)
        case (.array(let elements), .array(let others), _):
            return Dictionary(grouping: elements) { $0 } == Dictionary(grouping: others) { $0 } ? base : self
        default: return self == stored ? self : base
        }
    }
}

/// What a type reads of a stored value, and what it writes in place of it.
struct MemberEdit {
    /// The value that the element writes which was read; nil for an absent part.
    private let former: Value?
    /// The value that the element writes now; nil for an absent part.
    private let new: Value?

    /// Creates an edit from an element that was read to another one.
    ///
    /// - Throws: The error of encoding one of them.
    init(from former: some Encodable, to new: some Encodable) throws {
        self.former = try ValueEncoder().survey(former, isSorted: true).value
        self.new = try ValueEncoder().survey(new, isSorted: true).value
    }

    /// Creates an edit of a part; nil if neither element writes it.
    private init?(former: Value?, new: Value?) {
        if former == nil, new == nil { return nil }
        (self.former, self.new) = (former, new)
    }

    /// Whether the element writes something else than the one that was read.
    var isChanged: Bool { former != new }

    /// The edit of a member; nil if neither element writes it.
    subscript(name: String) -> MemberEdit? {
        func part(_ value: Value?) -> Value? { if case .object(let object)? = value { object[name] } else { nil } }
        return MemberEdit(former: part(former), new: part(new))
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
        return MemberEdit(former: former[formerIndex], new: new[index])
    }
}
