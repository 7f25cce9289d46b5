/// A link of a synced payload that waits for a missing record.
package struct PendingLink {
    /// The entity and the key of the record that has the relationship.
    package let entity: String
    package let owner: Value
    package let relationship: String
    /// The key of the missing record.
    package let key: Value
    /// The target of a relationship to one until the missing record exists.
    package let meanwhile: Value

    /// The family of rows in which a store keeps the links, by the token of the missing record.
    package static let family = "sync.pendingLinks"

    package var value: Value { [.string(entity), owner, .string(relationship), key, meanwhile] }

    package init(entity: String, owner: Value, relationship: String, key: Value, meanwhile: Value) {
        self.entity = entity
        self.owner = owner
        self.relationship = relationship
        self.key = key
        self.meanwhile = meanwhile
    }

    package init?(_ value: Value) {
        guard case .array(let parts) = value, parts.count == 5, case .string(let entity) = parts[0],
            case .string(let relationship) = parts[2]
        else { return nil }
        self.init(entity: entity, owner: parts[1], relationship: relationship, key: parts[3], meanwhile: parts[4])
    }
}

/// A relationship of a record that waits for missing records.
///
/// It has the tokens of all listed records in their order, and of the missing ones.
package struct PendingList {
    package let relationship: String
    package private(set) var listed: [Value]
    package var missing: Set<Value>

    /// The family of rows in which a store keeps the lists, by the token of the record that has the relationship.
    package static let family = "sync.pendingOwners"
    /// The number of the row that contains how many records wait.
    package static let count: Int64 = 0

    /// Appends the records of a former list to the current ones.
    package mutating func add(_ former: PendingList) {
        let known = Set(listed)
        listed += former.listed.filter { !known.contains($0) }
        missing.formUnion(former.missing.subtracting(known))
    }

    package var value: Value {
        [.string(relationship), .array(listed), .array(listed.filter { missing.contains($0) })]
    }

    package init(relationship: String, listed: [Value], missing: Set<Value>) {
        self.relationship = relationship
        self.listed = listed
        self.missing = missing
    }

    package init?(_ value: Value) {
        guard case .array(let parts) = value, parts.count == 3, case .string(let relationship) = parts[0],
            case .array(let listed) = parts[1], case .array(let missing) = parts[2]
        else { return nil }
        self.init(relationship: relationship, listed: listed, missing: Set(missing))
    }
}

extension WriteTransaction {
    /// Returns the values in a row of pending links or lists; none if there is no row.
    package func pendingValues(_ family: String, _ number: Int64) throws -> [Value] {
        guard let content = try payloadNote(family, number),
            case .array(let values)? = try? Value(taggedJSON: String(decoding: content, as: UTF8.self))
        else { return [] }
        return values
    }

    /// Stores the values in a row of pending links or lists, or removes the row if there are none.
    package func setPendingValues(_ values: [Value], _ family: String, _ number: Int64) throws {
        let content = values.isEmpty ? nil : Array(Value.array(values).taggedJSON.utf8)
        try setPayloadNote(family, number, content)
    }

    /// Changes the key of a record in its pending links and lists, and in those that refer to it.
    ///
    /// - Complexity: O(number of pending links)
    func renamePendingLinks(_ renaming: Renaming) throws {
        guard try payloadNote(PendingList.family, PendingList.count) != nil else { return }
        let shape = renaming.shape
        let (former, new) = (token(renaming.former, of: shape), token(renaming.new, of: shape))
        var lists: [Int64: [PendingList]] = [:]
        for number in try pendingNumbers(PendingList.family) where number != PendingList.count {
            lists[number] = try pendingValues(PendingList.family, number).compactMap { PendingList($0) }
        }
        for (number, own) in lists.sorted(by: { $0.key < $1.key }) {
            var renamed = own.map { $0.renaming(.integer(former), to: .integer(new)) }
            if number == former {
                let said = Set(renamed.map(\.relationship))
                renamed += (lists[new] ?? []).filter { !said.contains($0.relationship) }
                try setPendingValues([], PendingList.family, former)
            } else if number == new, lists[former] != nil {
                continue
            }
            try setPendingValues(renamed.map(\.value), PendingList.family, number == former ? new : number)
        }
        if lists[former] != nil && lists[new] != nil {
            try setPendingValues([.integer(Int64(lists.count - 1))], PendingList.family, PendingList.count)
        }
        try renameLinks(renaming, former, new)
    }

    private func renameLinks(_ renaming: Renaming, _ former: Int64, _ new: Int64) throws {
        var moved: [Value] = []
        for number in try pendingNumbers(PendingLink.family) {
            let links = try pendingValues(PendingLink.family, number).compactMap { PendingLink($0) }
            let renamed = links.map { $0.renamed(by: renaming, in: schema).value }
            if number == former {
                moved = renamed
                try setPendingValues([], PendingLink.family, former)
            } else if renamed != links.map(\.value) {
                try setPendingValues(renamed, PendingLink.family, number)
            }
        }
        if moved.isEmpty { return }
        try setPendingValues(pendingValues(PendingLink.family, new) + moved, PendingLink.family, new)
    }

    private func token(_ key: Value, of shape: Shape) -> Int64 { Int64(bitPattern: RecordToken.record(key, of: shape)) }

    private func pendingNumbers(_ family: String) throws -> [Int64] {
        var numbers: [Int64] = []
        try forEachPayloadNote(of: family) { number, _ in
            numbers.append(number)
            return true
        }
        return numbers
    }
}

extension PendingList {
    fileprivate func renaming(_ former: Value, to new: Value) -> PendingList {
        func renamed(_ token: Value) -> Value { token == former ? new : token }
        return PendingList(
            relationship: relationship, listed: listed.map(renamed), missing: Set(missing.map(renamed)))
    }
}

extension PendingLink {
    fileprivate func renamed(by renaming: Renaming, in schema: Schema) -> PendingLink {
        let destination = schema[entity]?.relationship(named: relationship)?.definition.destination
        let isNamed = destination.map { schema[$0]?.root == renaming.shape.root } ?? false
        func renamed(_ key: Value, _ isMeant: Bool) -> Value { isMeant && key == renaming.former ? renaming.new : key }
        return PendingLink(
            entity: entity, owner: renamed(owner, schema[entity]?.root == renaming.shape.root),
            relationship: relationship, key: renamed(key, isNamed), meanwhile: renamed(meanwhile, isNamed))
    }
}
