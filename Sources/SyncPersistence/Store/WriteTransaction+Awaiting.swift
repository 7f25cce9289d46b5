/// Records of the remote that wait for others they name, found by the record that they wait for.
///
/// The metadata hold a list for each record that is awaited: its name gives the first that waits, and a name for each that
/// waits gives the next. So adding one, and finding all, is a few lookups. What is listed may not wait any more, and what
/// is not listed is tried by the cycle of its own entity, so the lists need not be exact.
extension WriteTransaction {
    /// The name for the number of the records that are awaited.
    private static let awaitedCountName = "sync.awaited"

    /// The name of a list.
    private static func awaitedName(_ id: RecordID) -> String { "\(awaitedCountName).\(awaitingText(of: id))" }

    private static func awaitingText(of id: RecordID) -> String { Tombstone.text(of: [.string(id.entity), id.key]) }

    private static func waiting(_ text: String) -> RecordID? {
        guard case .array(let parts)? = try? Value(taggedJSON: text), parts.count == 2,
            case .string(let name) = parts[0]
        else { return nil }
        return RecordID(name, parts[1])
    }

    /// Notes for which records some wait that were put back, under the names of their hierarchies' roots.
    ///
    /// - Complexity: O(number of references of the records), each with a lookup
    func noteAwaited(by ids: [RecordID]) throws {
        var lists: [RecordID: [RecordID]] = [:]
        var awaited: [RecordID] = []
        for id in ids {
            guard let entry = try journalEntry(id), let remote = entry.remote else { continue }
            let state = try hierarchy(of: shape(id.entity))
            for reference in state.references(of: remote.shape, in: schema).enforced {
                let key = remote.values[reference.position]
                if key.isNull { continue }
                if try record(RecordID(reference.destination.name, key)) != nil { continue }
                let target = RecordID(reference.destination.root, key)
                if lists[target] == nil { awaited.append(target) }
                lists[target, default: []].append(id)
            }
        }
        for target in awaited { try note(lists[target] ?? [], waitFor: target) }
    }

    private func note(_ waiting: [RecordID], waitFor target: RecordID) throws {
        let list = Self.awaitedName(target)
        let first = try metadata(list)
        var next = first
        for text in waiting.map(Self.awaitingText) where try metadata(list + text) == nil {
            try noteAside(next ?? "", as: list + text)
            next = text
        }
        if next == first { return }
        try noteAside(next, as: list)
        if first == nil { try setAwaitedCount(knownAwaitedCount() + 1) }
    }

    func knownAwaitedCount() throws -> Int64 {
        if let awaitedCount { return awaitedCount }
        let count = try metadata(Self.awaitedCountName).flatMap { Int64($0) } ?? 0
        awaitedCount = count
        return count
    }

    private func setAwaitedCount(_ count: Int64) throws {
        awaitedCount = count
        try noteAside(count > 0 ? "\(count)" : nil, as: Self.awaitedCountName)
    }
}

extension WriteTransaction {
    /// Stores records as the remote has them that wait for records which the transaction has brought; answers whether
    /// there are any.
    ///
    /// What they still lack puts them back.
    ///
    /// - Complexity: O(number of touched records) where anything waits, each new one with a lookup; else O(1)
    func resumeAwaiting() throws -> Bool {
        if awaitingScan == touched.count { return false }
        if try knownAwaitedCount() == 0 {
            awaitingScan = touched.count
            return false
        }
        var hasResumed = false
        while awaitingScan < touched.count {
            let change = touched[awaitingScan]
            awaitingScan += 1
            guard change.old == nil, let new = change.new else { continue }
            for id in try takeWaiting(for: RecordID(new.shape.root, new.key)) where try resume(id) { hasResumed = true }
        }
        return hasResumed
    }

    /// Empties the list of those that wait for a record, and returns them, the first to wait first.
    private func takeWaiting(for target: RecordID) throws -> [RecordID] {
        let list = Self.awaitedName(target)
        guard var text = try metadata(list) else { return [] }
        var waiting: [RecordID] = []
        while let id = Self.waiting(text), let next = try metadata(list + text) {
            try noteAside(nil, as: list + text)
            waiting.append(id)
            text = next
        }
        try noteAside(nil, as: list)
        try setAwaitedCount(max(knownAwaitedCount() - 1, 0))
        return waiting.reversed()
    }

    /// Stores a record as the remote has it, if that waits; answers whether it does.
    private func resume(_ id: RecordID) throws -> Bool {
        guard let shape = schema[id.entity], let entry = try entry(for: DigestedKey(id.key), in: hierarchy(of: shape)),
            let remote = entry.remote, entry.isWaiting(with: try record(id)), try isSynchronized(remote.shape),
            remote.shape.firstInvalidSlot(remote.values) == nil
        else { return false }
        try store(remote, origin: .agreed)
        return true
    }
}
