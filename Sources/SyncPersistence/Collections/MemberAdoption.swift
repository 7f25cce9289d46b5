/// A record that was edited locally before the type read all of its members, and the remote's version of it.
///
/// The base lacks members that the type did not read when collection and remote last agreed. Their values are not a
/// change of the remote. So they are added to the base and to the local version, and only the remaining differences are
/// merged.
struct MemberAdoption {
    /// The version on which collection and remote last agreed.
    let base: Record
    /// The local version; nil if it was deleted locally.
    let local: Record?
    /// The present version of the remote.
    let remote: Record
    /// The members that were read when collection and remote last agreed.
    let known: MemberTree

    /// The versions with the remote's values of added members.
    struct Result {
        /// The base, with the remote's values of members that it lacked.
        let base: Record
        /// The local version, with the same values where it had not set them; nil if it was deleted.
        let local: Record?
    }
}

extension MemberAdoption {
    /// Returns the base and the local version with the remote's values of added attributes; nil if there are none.
    ///
    /// An attribute that was set locally since the update is kept. A renamed attribute is not new.
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
    /// Returns the base and the local version with the remote's new members; nil if there are none.
    ///
    /// A member that was set locally since the update is kept.
    ///
    /// - Complexity: O(size of the record)
    func adopting(_ adoption: MemberAdoption) -> MemberAdoption.Result? {
        guard let base = adoption.base.jsonContent, let remote = adoption.remote.jsonContent else { return nil }
        let now = members(of: remote)
        guard now.readsMore(than: adoption.known) else { return nil }
        // Values that the type itself adds to the base, for example defaults, were not set locally.
        var unedited: Value?
        if case .string(let text) = adoption.base["content"], let element = try? element(of: text) {
            unedited = (try? self.text(of: element, over: text)).flatMap { try? Value(json: $0, options: .exact) }
        }
        let merge = NewMembers(known: adoption.known, now: now)
        let local = adoption.local.map(\.jsonContent)
        let newBase = merge.adding(remote, to: base, .init(base: base, local: local ?? base, unedited: nil))
        let newLocal = local.map { local in
            local.map { merge.adding(remote, to: $0, .init(base: base, local: $0, unedited: unedited)) }
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
}

/// The members that a type reads now and did not read before.
private struct NewMembers {
    /// The members that the type read before.
    let known: MemberTree
    /// The members that the type reads now.
    let now: MemberTree

    /// Returns the new members within a part that both have; nil for other parts.
    private func inside(_ part: MemberTree.Part) -> NewMembers? {
        guard let now = now.parts[part], let known = known.parts[part] else { return nil }
        return NewMembers(known: known, now: now)
    }

    /// What an edit made of a value.
    struct Edit {
        /// The value before it was edited here.
        let base: Value?
        /// The local value.
        let local: Value?
        /// What the type writes of the base, with defaults of its own.
        let unedited: Value?
    }

    /// A value with new members of the remote, except for those that were edited locally.
    ///
    /// - Parameters:
    ///   - remote: What the remote has.
    ///   - value: The value that takes over the members.
    ///   - edit: What an edit made of the value.
    /// - Complexity: O(*n*)
    func adding(_ remote: Value, to value: Value, _ edit: Edit) -> Value {
        switch (value, remote) {
        case (.object(let object), .object(let remote)):
            let index = MemberIndex(value)
            let (bases, locals) = (MemberIndex(edit.base), MemberIndex(edit.local))
            let unedited = MemberIndex(edit.unedited)
            var (names, values) = (object.names, object.values)
            for member in remote.members {
                let name = member.name
                let position = index.position(of: name)
                let old = position.map { values[$0] }
                let edit = Edit(base: bases[name], local: locals[name], unedited: unedited[name])
                let part = [.member(name), .enumCase(name), .each].first { now.parts[$0] != nil } ?? .member(name)
                if let position, let inner = inside(part) {
                    values[position] = inner.adding(member.value, to: values[position], edit)
                } else if part == .member(name), known.isObject, known.parts[part] == nil {
                    // An earlier update may have put a default into the base, which is still unedited.
                    let isUnedited =
                        edit.base == nil
                        ? old == nil || old == edit.unedited : old == edit.base && edit.local == edit.base
                    if !isUnedited { continue }
                    if let position {
                        values[position] = member.value
                    } else {
                        names.append(name)
                        values.append(member.value)
                    }
                }
            }
            return .object(ValueObject(distinct: names, values))
        case (.array(let elements), .array(let others)):
            guard let inner = inside(.each) else { return value }
            let positions = Value.counterparts(of: elements, in: others)
            func counterparts(_ elements: [Value], in others: Value?) -> [Value?] {
                let others = others?.elements ?? []
                return Value.counterparts(of: elements, in: others).map { position in position.map { others[$0] } }
            }
            let bases = edit.base?.elements ?? []
            let basePositions = Value.counterparts(of: elements, in: bases)
            let (locals, unedited) = (counterparts(elements, in: edit.local), edit.unedited?.elements ?? [])
            return .array(
                elements.indices.map { index in
                    guard let position = positions[index] else { return elements[index] }
                    let base = basePositions[index]
                    return inner.adding(
                        others[position], to: elements[index],
                        Edit(
                            base: base.map { bases[$0] }, local: locals[index],
                            unedited: base.flatMap { $0 < unedited.count ? unedited[$0] : nil }))
                })
        default: return value
        }
    }
}

extension Value {
    /// The elements of an array; empty for other values.
    fileprivate var elements: [Value] {
        if case .array(let elements) = self { elements } else { [] }
    }
}
