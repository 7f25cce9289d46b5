/// A record that was edited here before the type read all of its members, and what the remote has of it.
///
/// Members that the type did not read when collection and remote last agreed are not in the base. That the remote has them is
/// no change of the remote: base and local version take them over, and only what differs then is merged.
struct MemberAdoption {
    let base: Record
    /// The local version; nil if it was deleted here.
    let local: Record?
    let remote: Record
    /// The members that were read when collection and remote last agreed.
    let known: MemberTree

    struct Result {
        let base: Record
        let local: Record?
    }
}

extension MemberAdoption {
    /// The base and the local version with the remote's values of attributes that the schema has added; nil if there are
    /// none.
    ///
    /// An attribute that was set here since the update is kept. One that was renamed is not new.
    ///
    /// - Complexity: O(number of slots)
    func adoptingAttributes(of entity: String) -> Result? {
        var (newBase, newLocal) = (base, local)
        var hasNew = false
        for slot in remote.shape.slots where !slot.isInternal {
            let names = [slot.name, slot.renamedFrom].compactMap { $0 }
            let isKnown = names.contains {
                known.parts[.member(remote.shape.memberName(of: slot, $0, in: entity))] != nil
            }
            if isKnown || base.shape.slot(named: slot.name) == nil { continue }
            hasNew = true
            let value = remote[slot.name]
            newBase[slot.name] = value
            if let local, local.shape.slot(named: slot.name) != nil, local[slot.name] == base[slot.name] {
                newLocal?[slot.name] = value
            }
        }
        return hasNew ? Result(base: newBase, local: newLocal) : nil
    }
}

extension JSONContent {
    /// The base and the local version with the remote's new members; nil if there are none.
    ///
    /// A member that was set here since the update is kept.
    ///
    /// - Complexity: O(size of the record)
    func adopting(_ adoption: MemberAdoption) -> MemberAdoption.Result? {
        guard let base = value(adoption.base), let remote = value(adoption.remote) else { return nil }
        let now = members(of: remote)
        guard now.readsMore(than: adoption.known) else { return nil }
        // What the type makes of the base by itself, such as a default, was not set here.
        var unedited: Value?
        if case .string(let text) = adoption.base["content"], let element = try? element(of: text) {
            unedited = (try? self.text(of: element, over: text)).flatMap { try? Value(json: $0, options: .exact) }
        }
        let merge = NewMembers(known: adoption.known, now: now)
        let newBase = merge.adding(remote, to: base, base: base, unedited: nil)
        let newLocal = adoption.local.map { local in
            value(local).map { merge.adding(remote, to: $0, base: base, unedited: unedited) }
        }
        func record(_ value: Value, of record: Record) -> Record {
            // Equal values have one text.
            if value == remote { return adoption.remote }
            guard let text = try? value.json(.sortedNames) else { return record }
            var record = record
            record["content"] = .string(text)
            return record
        }
        let newBaseRecord = record(newBase, of: adoption.base)
        guard let local = adoption.local, let newLocal else { return .init(base: newBaseRecord, local: nil) }
        guard let newLocal else { return nil }
        return .init(base: newBaseRecord, local: newLocal == newBase ? newBaseRecord : record(newLocal, of: local))
    }

    private func value(_ record: Record) -> Value? {
        guard case .string(let text) = record["content"] else { return nil }
        return try? Value(json: text, options: .exact)
    }
}

/// The members that a type reads now and did not read before.
private struct NewMembers {
    let known: MemberTree
    let now: MemberTree

    private func inside(_ part: MemberTree.Part) -> NewMembers? {
        guard let now = now.parts[part], let known = known.parts[part] else { return nil }
        return NewMembers(known: known, now: now)
    }

    /// A value with new members of the remote, but for those that it or the base has.
    ///
    /// - Parameters:
    ///   - remote: What the remote has.
    ///   - value: The value that takes over the members.
    ///   - base: The value before it was edited here.
    ///   - unedited: What the type writes of the base, with defaults of its own.
    func adding(_ remote: Value, to value: Value, base: Value?, unedited: Value?) -> Value {
        switch (value, remote) {
        case (.object(var object), .object(let remote)):
            for member in remote.members {
                let name = member.name
                let (old, base, unedited) = (object[name], base?.member(name), unedited?.member(name))
                let part = [.member(name), .enumCase(name), .each].first { now.parts[$0] != nil } ?? .member(name)
                if let old, let inner = inside(part) {
                    object[name] = inner.adding(member.value, to: old, base: base, unedited: unedited)
                } else if part == .member(name), known.isObject, known.parts[part] == nil, base == nil,
                    old == nil || old == unedited
                {
                    object[name] = member.value
                }
            }
            return .object(object)
        case (.array(let elements), .array(let others)):
            guard let inner = inside(.each) else { return value }
            let bases = base?.elements ?? []
            let unedited = unedited?.elements ?? []
            let (positions, basePositions) = (
                Value.counterparts(of: elements, in: others), Value.counterparts(of: elements, in: bases)
            )
            return .array(
                elements.indices.map { index in
                    guard let position = positions[index] else { return elements[index] }
                    let base = basePositions[index]
                    return inner.adding(
                        others[position], to: elements[index], base: base.map { bases[$0] },
                        unedited: base.flatMap { $0 < unedited.count ? unedited[$0] : nil })
                })
        default: return value
        }
    }
}

extension Value {
    fileprivate func member(_ name: String) -> Value? {
        if case .object(let object) = self { object[name] } else { nil }
    }

    fileprivate var elements: [Value] {
        if case .array(let elements) = self { elements } else { [] }
    }
}
