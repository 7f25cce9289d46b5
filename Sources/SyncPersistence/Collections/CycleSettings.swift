public import DifferentialSync

/// The settings of a durable cycle.
struct CycleSettings<Element: Equatable & Sendable, Key: Hashable & Sendable>: Sendable {
    /// The conversion between elements and records.
    let coding: RecordCoding<Element, Key>
    /// What the names of the cycle's pushes begin with.
    let pushID: String
    /// The account that the remote belongs to.
    let account: String
    /// What happens to the local elements if the account is another one than before.
    let onAccountChange: AccountChange
    /// After how many rounds of pulling and pushing the cycle gives up.
    let maximumRounds: Int
    /// The greatest number and size of the elements in one push.
    let limit: PushLimit<Record>
    /// Whether the remote never refuses a push that it has applied.
    let recognizesPushes: Bool
    /// Resolves conflicts between local and remote changes.
    let policy: ConflictPolicy<Element>

    /// Returns a state machine that has not begun.
    func cycle() -> SyncCycle<Record, Value> {
        SyncCycle(
            pushID: pushID, account: account, onAccountChange: onAccountChange, maximumRounds: maximumRounds,
            limit: limit, recognizesPushes: recognizesPushes, policy: coding.policy(policy))
    }
}

extension RecordCoding where Element: Equatable {
    /// Returns a policy for records that calls a policy for elements.
    ///
    /// A conflict stays open if a side cannot be read as an element. There is no conflict if one side differs from the
    /// base only in values that the type does not read. It remains one if the other side has changed such a value too,
    /// or has deleted the record. The elements have no keys of related records that their own records do not store.
    package func policy(_ policy: ConflictPolicy<Element>) -> ConflictPolicy<Record> {
        ConflictPolicy { conflict in
            guard let elements = try? elements(conflict, { _ in { _ in [] } }) else { return .open }
            if try conflict.local != nil && conflict.remote != nil && !haveUnreadClash(elements, conflict) {
                if try isSame(elements.remote, as: conflict.base) || isSame(elements.local, as: conflict.remote) {
                    return try resolution(.local, elements, conflict)
                }
                if try isSame(elements.local, as: conflict.base) {
                    return try resolution(.remote, elements, conflict)
                }
            }
            return try resolution(policy.resolve(elements), elements, conflict)
        }
    }

    /// Returns the resolution for records that corresponds to one for their elements.
    ///
    /// Values that the type does not read are those of the side that has changed them.
    package func resolution(
        _ resolution: Resolution<Element>, _ elements: Conflict<Element>, _ conflict: Conflict<Record>
    ) throws -> Resolution<Record> {
        func merged(_ element: Element, prefersRemote: Bool = false) throws -> Resolution<Record> {
            guard let stored = conflict.remote ?? conflict.local ?? conflict.base else { return .open }
            var record = try form(of: element, over: stored, shape: stored.shape).record
            if let content = try unreadMembers(element, record, conflict, prefersRemote: prefersRemote)?.content {
                record["content"] = .string(try content.json(.sortedNames))
            }
            for slot in try unreadSlots(element, record, conflict) {
                let base = conflict.base?.values[slot] ?? record.shape.slots[slot].defaultValue
                guard let local = conflict.local?.values[slot] else { continue }
                // A value that is not the remote's is another form of the local one, such as a fallback.
                let isOtherForm = record.values[slot] != conflict.remote?.values[slot]
                let isEdit = local != base && (!prefersRemote || record.values[slot] == base)
                if isOtherForm || isEdit { record.values[slot] = local }
            }
            return .merged(record)
        }
        switch resolution {
        case .local: return try elements.local.map { try merged($0) } ?? .local
        case .base: return try elements.base.map { try merged($0) } ?? .base
        case .merged(let element):
            try requireLinks(of: element, asIn: elements, conflict)
            return try merged(element)
        case .remote:
            guard let remote = elements.remote else { return .remote }
            let resolution = try merged(remote, prefersRemote: true)
            if case .merged(conflict.remote) = resolution { return .remote }
            return resolution
        case .delete: return .delete
        case .open: return .open
        }
    }

    /// Requires that a merged element has the keys that the versions have of related records.
    ///
    /// - Throws: ``PersistenceError`` for other keys, because the conflict is that of the record alone.
    private func requireLinks(
        of element: Element, asIn elements: Conflict<Element>, _ conflict: Conflict<Record>
    ) throws {
        guard let stored = conflict.remote ?? conflict.local ?? conflict.base else { return }
        let links = try form(of: element, over: stored, shape: stored.shape).links
        if links.isEmpty { return }
        let known = try (elements.local ?? elements.remote ?? elements.base).map {
            try form(of: $0, over: stored, shape: stored.shape).links
        }
        guard let other = links.first(where: { known?.contains($0) != true }) else { return }
        throw PersistenceError(
            .wrongType,
            "a conflict is about values of the record, which does not store '\(other.relationship)': merge versions "
                + "without changing it, and change it afterwards",
            id: stored.id, property: other.relationship)
    }

    /// Whether both sides have changed a value that the type does not read, to different values.
    private func haveUnreadClash(_ elements: Conflict<Element>, _ conflict: Conflict<Record>) throws -> Bool {
        guard let element = elements.local, let local = conflict.local, let remote = conflict.remote else {
            return false
        }
        let record = try form(of: element, over: remote, shape: remote.shape).record
        if try unreadMembers(element, record, conflict, prefersRemote: true)?.hasClash == true { return true }
        return try unreadSlots(element, record, conflict).contains { slot in
            let base = conflict.base?.values[slot] ?? remote.shape.slots[slot].defaultValue
            return local.values[slot] != base && remote.values[slot] != base
        }
    }

    /// Returns the positions of the slots that an element does not determine, and that differ in a conflict.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - record: The record of the element over the remote's version.
    ///   - conflict: The conflict; there are none if a side has deleted the record, or is of another entity.
    private func unreadSlots(_ element: Element, _ record: Record, _ conflict: Conflict<Record>) throws -> [Int] {
        // JSON is one slot, whose members are merged.
        guard !hasMembers, let local = conflict.local, conflict.remote != nil,
            [local, conflict.base ?? local].allSatisfy({ $0.shape === record.shape })
        else { return [] }
        let other = try form(of: element, over: local, shape: local.shape).record
        return record.values.indices.filter { record.values[$0] != other.values[$0] }
    }

    /// Returns an element's JSON with the members that its type does not read, merged from both sides of a conflict.
    ///
    /// All three versions have the element's values, so that they differ only in what the type does not read.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - record: The record of the element over the remote's version.
    ///   - conflict: The conflict.
    ///   - prefersRemote: Whether the remote's value counts where both sides have changed a member.
    /// - Returns: The JSON, and whether both sides have changed a member to different values; nil if the element has the
    ///   same JSON over both versions, or one is missing.
    private func unreadMembers(
        _ element: Element, _ record: Record, _ conflict: Conflict<Record>, prefersRemote: Bool
    ) throws -> (content: Value?, hasClash: Bool)? {
        guard hasMembers, let local = conflict.local, conflict.remote != nil else { return nil }
        let mine = try form(of: element, over: local, shape: local.shape).record.jsonContent
        let theirs = record.jsonContent
        if mine == theirs { return nil }
        let base = try conflict.base.map { try form(of: element, over: $0, shape: $0.shape).record.jsonContent }
        var merge = MemberMerge()
        let content = merge.merged(
            base: base ?? nil, local: mine, remote: theirs, source: prefersRemote ? theirs : mine)
        return (content == theirs ? nil : content, merge.hasClash)
    }

    /// Whether storing an element would leave its record unchanged, or neither exists.
    func isSame(_ element: Element?, as stored: Record?) throws -> Bool {
        guard let element, let stored else { return element == nil && stored == nil }
        return try form(of: element, over: stored, shape: stored.shape).record == stored
    }
}

extension PushLimit<Record> {
    /// Limits a push to a number of changes and an approximate number of bytes of their old and new records.
    ///
    /// - Parameters:
    ///   - count: The maximum number of changes in a push. At least 1.
    ///   - bytes: The approximate maximum number of bytes of a push's values.
    public static func records(count: Int = 5_000, bytes: Int = 8_000_000) -> PushLimit {
        PushLimit(count: count, weight: bytes) { $0.values.reduce(0) { $0 + $1.size } }
    }
}

extension Value {
    /// The approximate number of bytes of its content.
    fileprivate var size: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        case .array(let elements): elements.reduce(8) { $0 + $1.size }
        case .object(let object): object.sorted.reduce(8) { $0 + $1.name.utf8.count + $1.value.size }
        default: 8
        }
    }
}
