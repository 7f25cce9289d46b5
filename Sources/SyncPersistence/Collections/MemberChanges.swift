public import DifferentialSync

/// The changes of a diff by members of JSON.
///
/// A device sends them so that a server keeps members that the device's type does not read.
///
/// ```swift
/// let changes = try MemberChanges(push.changes)
/// let body = try JSONEncoder().encode(changes)
/// // {"changed":[{"id":7,"removed":[["due"]],"set":{"text":"oat milk"}}],"deleted":[9],"inserted":[]}
/// ```
///
/// The server applies them to its own documents:
///
/// ```swift
/// for replacement in changes.changed { replacement.apply(to: &documents[replacement.id]!) }
/// ```
///
/// An array is sent as a whole, so unknown members of the objects in it are lost if the array changes. A remote of
/// ``JSONDocument`` values does not lose them.
public struct MemberChanges<ID: Codable & Hashable & Sendable>: Hashable, Sendable {
    /// The members of new elements.
    public var inserted: [ValueObject]

    /// The changes of elements.
    public var changed: [Replacement]

    /// The ids of deleted elements.
    public var deleted: [ID]

    /// The changes of one element.
    public struct Replacement: Hashable, Sendable {
        /// The id of the element.
        public var id: ID

        /// The new values of changed members; a nested object contains only its changed members.
        public var set: ValueObject

        /// The paths of removed members.
        public var removed: [[String]]
    }

    /// Creates the changes of a diff.
    ///
    /// - Throws: `EncodingError` if an element has no JSON, or its JSON is not an object.
    /// - Complexity: O(size of the diff)
    public init<Element: Encodable & Identifiable>(_ diff: Diff<Element>) throws where Element.ID == ID {
        var old = Dictionary(diff.delete.map { ($0.id, $0) }) { first, _ in first }
        inserted = try diff.add.map { try ValueObject(membersOf: $0) }
        changed = try diff.replace.compactMap { new in
            var replacement = Replacement(id: new.id, set: ValueObject(), removed: [])
            let before = try old.removeValue(forKey: new.id).map { try ValueObject(membersOf: $0) } ?? ValueObject()
            replacement.set = replacement.difference(from: before, to: try ValueObject(membersOf: new), at: [])
            return replacement.set.members.isEmpty && replacement.removed.isEmpty ? nil : replacement
        }
        deleted = diff.delete.map(\.id).filter { old.removeValue(forKey: $0) != nil }
    }
}

extension MemberChanges.Replacement {
    /// Applies the changes of the element to a document; all other members are kept.
    ///
    /// - Complexity: O(size of the document and of the changes)
    public func apply(to document: inout ValueObject) {
        document.remove(removed.map { $0[...] })
        document.merge(set)
    }

    /// Returns the members that were added or changed, and appends the paths of removed ones.
    fileprivate mutating func difference(from old: ValueObject, to new: ValueObject, at path: [String]) -> ValueObject {
        let (oldMembers, newMembers) = (MemberIndex(.object(old)), MemberIndex(.object(new)))
        for name in old.names where newMembers[name] == nil { removed.append(path + [name]) }
        var set: [ValueObject.Member] = []
        for member in new.members {
            let before = oldMembers[member.name]
            if case .object(let old)? = before, case .object(let new) = member.value {
                let difference = difference(from: old, to: new, at: path + [member.name])
                if !difference.members.isEmpty { set.append(.init(name: member.name, value: .object(difference))) }
            } else if before != member.value {
                set.append(member)
            }
        }
        return ValueObject(set)
    }
}

extension ValueObject {
    /// Creates the members of an element's JSON.
    fileprivate init(membersOf element: some Encodable) throws {
        guard case .object(let members) = try Value(json: jsonText(of: element), options: .exact) else {
            throw EncodingError.invalidValue(
                element, .init(codingPath: [], debugDescription: "an element with members is an object"))
        }
        self = members
    }

    /// Removes the members that paths lead to, if they exist.
    fileprivate mutating func remove(_ paths: [ArraySlice<String>]) {
        let steps = Dictionary(grouping: paths.filter { !$0.isEmpty }) { Value.string($0[$0.startIndex]) }
        if steps.isEmpty { return }
        self = ValueObject(
            members.compactMap { member in
                guard let paths = steps[.string(member.name)] else { return member }
                if paths.contains(where: { $0.count == 1 }) { return nil }
                guard case .object(var object) = member.value else { return member }
                object.remove(paths.map { $0.dropFirst() })
                return Member(name: member.name, value: .object(object))
            })
    }

    /// Sets members, and merges those that are objects on both sides.
    fileprivate mutating func merge(_ other: ValueObject) {
        let index = MemberIndex(.object(self))
        var (names, values) = (names, values)
        for member in other.members {
            guard let position = index.position(of: member.name) else {
                names.append(member.name)
                values.append(member.value)
                continue
            }
            if case .object(var object) = values[position], case .object(let changes) = member.value {
                object.merge(changes)
                values[position] = .object(object)
            } else {
                values[position] = member.value
            }
        }
        self = ValueObject(distinct: names, values)
    }
}

extension MemberChanges: Codable {
    private enum CodingKeys: CodingKey { case inserted, changed, deleted }

    /// Decodes changes from `inserted`, `changed` and `deleted`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        inserted = try container.decode([PlainJSON].self, forKey: .inserted).map { try $0.object }
        changed = try container.decode([Replacement].self, forKey: .changed)
        deleted = try container.decode([ID].self, forKey: .deleted)
    }

    /// Encodes the changes as `inserted`, `changed` and `deleted`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(inserted.map { PlainJSON(.object($0)) }, forKey: .inserted)
        try container.encode(changed, forKey: .changed)
        try container.encode(deleted, forKey: .deleted)
    }
}

extension MemberChanges.Replacement: Codable {
    private enum CodingKeys: CodingKey { case id, set, removed }

    /// Decodes a replacement from `id`, `set` and `removed`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ID.self, forKey: .id)
        set = try container.decode(PlainJSON.self, forKey: .set).object
        removed = try container.decode([[String]].self, forKey: .removed)
    }

    /// Encodes the replacement as `id`, `set` and `removed`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(PlainJSON(.object(set)), forKey: .set)
        try container.encode(removed, forKey: .removed)
    }
}
