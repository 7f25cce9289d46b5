/// Records of the remote that wait for missing records, found by the record that they wait for.
///
/// The metadata have a linked list for each awaited record. A list's name leads to its first waiting record, and a name
/// for each waiting record leads to the next. So adding a record and finding all of them take few lookups.
///
/// The lists need not be exact. A listed record may no longer wait, and the cycle of its entity tries one that is not
/// listed.
final class AwaitedRecords {
    /// The number of awaited records; nil if unknown.
    private var knownCount: Int64?

    /// The number of touched records that were compared with the lists.
    private var scannedCount = 0

    private unowned let transaction: WriteTransaction

    /// Creates the lists of a transaction.
    init(of transaction: WriteTransaction) {
        self.transaction = transaction
    }

    /// The metadata's name of the number of awaited records.
    static let countName = "sync.awaited"

    /// Returns the metadata's name of a list.
    private static func listName(_ id: RecordID) -> String { "\(countName).\(text(of: id))" }

    /// Returns an identifier as a name of metadata has it.
    private static func text(of id: RecordID) -> String { Value.array([.string(id.entity), id.key]).keyText }

    /// Returns the identifier of a text; nil if it is none.
    private static func id(_ text: String) -> RecordID? {
        guard case .array(let parts)? = try? Value(taggedJSON: text), parts.count == 2,
            case .string(let name) = parts[0]
        else { return nil }
        return RecordID(name, parts[1])
    }

    /// Returns the number of awaited records.
    func count() throws -> Int64 {
        if let knownCount { return knownCount }
        let count = try transaction.metadata(Self.countName).flatMap { Int64($0) } ?? 0
        knownCount = count
        return count
    }

    /// Whether records wait for a record.
    ///
    /// - Parameter target: The record, under the name of its hierarchy's root.
    /// - Complexity: O(1) with a lookup if anything waits; else O(1)
    func isAwaited(_ target: RecordID) throws -> Bool {
        try count() > 0 && transaction.metadata(Self.listName(target)) != nil
    }

    /// Stores how many records wait; no row if none does.
    private func setCount(_ count: Int64) throws {
        knownCount = count
        try transaction.metadataLog.setUncounted(count > 0 ? "\(count)" : nil, for: Self.countName)
    }

    /// Lists records that were reverted, by the missing records that they wait for.
    ///
    /// - Parameter ids: The records, under the names of their hierarchies' roots.
    /// - Complexity: O(number of references of the records), each with a lookup
    func add(_ ids: [RecordID]) throws {
        var lists: [RecordID: [RecordID]] = [:]
        var awaited: [RecordID] = []
        for id in ids {
            guard let entry = try transaction.journalEntry(id), let remote = entry.remote else { continue }
            let state = try transaction.log.hierarchy(of: transaction.shape(id.entity))
            for reference in state.references(of: remote.shape, in: transaction.schema).enforced {
                let key = remote.values[reference.position]
                if key.isNull { continue }
                if try transaction.record(RecordID(reference.destination.name, key)) != nil { continue }
                let target = RecordID(reference.destination.root, key)
                if lists[target] == nil { awaited.append(target) }
                lists[target, default: []].append(id)
            }
        }
        for target in awaited { try add(lists[target] ?? [], waitingFor: target) }
    }

    /// Appends records to the list of those that wait for a target.
    private func add(_ waiting: [RecordID], waitingFor target: RecordID) throws {
        let list = Self.listName(target)
        let first = try transaction.metadata(list)
        var next = first
        for text in waiting.map(Self.text) where try transaction.metadata(list + text) == nil {
            try transaction.metadataLog.setUncounted(next ?? "", for: list + text)
            next = text
        }
        if next == first { return }
        try transaction.metadataLog.setUncounted(next, for: list)
        if first == nil { try setCount(count() + 1) }
    }

    /// Stores the remote's versions that wait for records which the transaction has inserted; returns whether there are
    /// any.
    ///
    /// A version that still refers to a missing record is reverted again later.
    ///
    /// - Complexity: O(number of touched records) if anything waits, each new one with a lookup; else O(1)
    func resume() throws -> Bool {
        let log = transaction.log
        if scannedCount == log.touched.count { return false }
        if try count() == 0 {
            scannedCount = log.touched.count
            return false
        }
        var hasResumed = false
        while scannedCount < log.touched.count {
            let change = log.touched[scannedCount]
            scannedCount += 1
            guard change.old == nil, let new = change.new else { continue }
            for id in try removeList(of: new.rootID) where try resume(id) { hasResumed = true }
        }
        return hasResumed
    }

    /// Removes the list of an awaited record, and returns the waiting records in the order in which they were added.
    private func removeList(of target: RecordID) throws -> [RecordID] {
        let list = Self.listName(target)
        guard var text = try transaction.metadata(list) else { return [] }
        var waiting: [RecordID] = []
        while let id = Self.id(text), let next = try transaction.metadata(list + text) {
            try transaction.metadataLog.setUncounted(nil, for: list + text)
            waiting.append(id)
            text = next
        }
        try transaction.metadataLog.setUncounted(nil, for: list)
        try setCount(max(count() - 1, 0))
        return waiting.reversed()
    }

    /// Stores the remote's version of a record if it waits; returns whether it does.
    private func resume(_ id: RecordID) throws -> Bool {
        guard let shape = transaction.schema[id.entity],
            let entry = try transaction.entries.entry(
                for: DigestedKey(id.key), in: transaction.log.hierarchy(of: shape)),
            let remote = entry.remote,
            try transaction.isUnedited(RecordID(shape.root, id.key), transaction.record(id), entry),
            try transaction.synchronized.contains(remote.shape), remote.shape.firstInvalidSlot(remote.values) == nil
        else { return false }
        try transaction.store(remote, origin: .agreed)
        return true
    }
}
