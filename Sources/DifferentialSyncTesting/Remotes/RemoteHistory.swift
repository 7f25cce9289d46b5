import DifferentialSync
import SyncPersistence

/// The history of a ``StoredRemote``.
///
/// Each commit has a number, the push that made it, and the records that it changed or deleted.
struct RemoteHistory {
    /// The number of the epoch, which only increases.
    private(set) var epoch: Int

    /// Whether there is a collection.
    private(set) var exists: Bool

    /// The number and name of the last commit.
    private(set) var last: Int64 = 0
    /// The name of the last commit, which is that of its push.
    private(set) var commit = RemoteHistory.beginning

    /// The number of the last commit of this epoch that was removed.
    private(set) var horizon: Int64

    /// The entity whose elements the commits change.
    private let subject: String

    /// The name of an epoch's state before its first commit.
    private static let beginning = "none"

    /// The name of the entity for commits.
    private static func commits(of entity: String) -> String { "\(entity)Commits" }
    /// The name of the entity for the changes of commits.
    private static func changes(of entity: String) -> String { "\(entity)CommitChanges" }

    /// The definitions of commits and their changes.
    ///
    /// Each change is a record of its own, so that a commit is read without its changes.
    static func entities(of entity: String) -> [Entity] {
        [
            Entity(
                commits(of: entity),
                attributes: [
                    Attribute("number", .integer, isPrimaryKey: true),
                    Attribute("commit", .string, isOptional: false, isIndexed: true),
                ]),
            Entity(
                changes(of: entity),
                attributes: [
                    Attribute("number", .integer, isPrimaryKey: true, isIndexed: true),
                    Attribute("position", .integer, isPrimaryKey: true),
                    Attribute("key", .string, isOptional: false),
                    // For a deleted record. Its key is the key of an element.
                    Attribute("image", .string),
                ]),
        ]
    }

    /// Reads the state of the history; one that was never begun is empty.
    init(of entity: String, in transaction: ReadTransaction) throws {
        subject = entity
        func number(named name: String) throws -> Int? {
            try transaction.metadata("remote.\(entity).\(name)").flatMap { Int($0) }
        }
        epoch = try number(named: "epoch") ?? 0
        exists = try number(named: "exists") == 1
        horizon = Int64(try number(named: "horizon") ?? 0)
        last = try number(named: "last").map { Int64($0) } ?? horizon
        let latest = try transaction.record(RecordID(RemoteHistory.commits(of: entity), .integer(last)))
        if case .string(let name)? = latest?["commit"] { commit = name }
    }
}

extension RemoteHistory {
    /// Returns the number of the state that a commit made, or of the state before the first commit; nil if it is
    /// unknown or was removed.
    func number(ofState commit: String, in transaction: ReadTransaction) throws -> Int64? {
        if let number = try number(of: commit, in: transaction) { return number }
        return commit == RemoteHistory.beginning && horizon == 0 ? 0 : nil
    }

    /// Returns the number of the commit with a name; nil if it is unknown or was removed.
    func number(of commit: String, in transaction: ReadTransaction) throws -> Int64? {
        let query = Query(
            RemoteHistory.commits(of: subject), where: .comparison(path: "commit", .equal, .string(commit)),
            sort: [Query.SortKey("number", isDescending: true)], limit: 1)
        guard case .integer(let number)? = try transaction.records(query).first?["number"] else { return nil }
        return number
    }

    /// Returns the keys that changed since a commit, in the order of their first change.
    ///
    /// Each has the record as it last was before a deletion since then.
    ///
    /// - Complexity: O(number of commits and changes since)
    func changes(since number: Int64, in transaction: ReadTransaction) throws -> [(key: Value, deleted: Record?)] {
        var changes: [(key: Value, deleted: Record?)] = []
        var positions: [Value: Int] = [:]
        for number in (number..<last).map({ $0 + 1 }) {
            try transaction.forEach(query(forChangesOf: number)) { change in
                guard case .string(let text) = change["key"] else { return true }
                let key = try Value(taggedJSON: text)
                let position = positions[key] ?? changes.count
                if positions.updateValue(position, forKey: key) == nil { changes.append((key, nil)) }
                if case .string(let image) = change["image"] {
                    changes[position].deleted = try Record(journalText: image, schema: transaction.schema)
                }
                return true
            }
        }
        return changes
    }

    /// Returns the query for the changes of a commit, in their order.
    private func query(forChangesOf number: Int64) -> Query {
        Query(
            RemoteHistory.changes(of: subject), where: .comparison(path: "number", .equal, .integer(number)),
            sort: [Query.SortKey("position")])
    }

    /// Returns the digest of the push that made a commit.
    func digest(of number: Int64, in transaction: ReadTransaction) throws -> String? {
        try transaction.metadata("remote.\(subject).push.\(number)")
    }

    /// Begins a commit by a push with a digest.
    mutating func add(_ commit: String, _ digest: String, in changes: inout ChangeSet, schema: Schema) {
        guard let shape = schema[RemoteHistory.commits(of: subject)] else { return }
        last += 1
        self.commit = commit
        changes.put(Record(shape, ["number": .integer(last), "commit": .string(commit)]))
        changes.setMetadata("remote.\(subject).last", "\(last)")
        changes.setMetadata("remote.\(subject).push.\(last)", digest)
    }

    /// Adds a change to the current commit.
    ///
    /// - Parameters:
    ///   - key: The key of the record.
    ///   - deleted: The record, if the change deletes it.
    ///   - position: The place of the change in the commit.
    func add(
        _ key: Value, deleted: Record?, at position: Int, in changes: inout ChangeSet, schema: Schema
    ) {
        guard let shape = schema[RemoteHistory.changes(of: subject)] else { return }
        changes.put(
            Record(
                shape,
                [
                    "number": .integer(last), "position": .integer(Int64(position)),
                    "key": .string(key.taggedJSON), "image": deleted.map { .string($0.journalText) } ?? .null,
                ]))
    }

    /// Whether another push had the name of a commit.
    func isReused(_ commit: String, in transaction: ReadTransaction) throws -> Bool {
        try transaction.metadata("remote.\(subject).reused.\(epoch).\(commit)") != nil
    }

    /// Remembers that two pushes had the same name, so that neither is recognized by it.
    func markReuse(of commit: String, in changes: inout ChangeSet) {
        changes.setMetadata("remote.\(subject).reused.\(epoch).\(commit)", "1")
    }

    /// Begins an epoch with an empty collection.
    mutating func beginEpoch(_ changes: inout ChangeSet) {
        epoch += 1
        exists = true
        changes.setMetadata("remote.\(subject).epoch", "\(epoch)")
        changes.setMetadata("remote.\(subject).exists", "1")
    }

    /// Removes all commits, as when a collection is deleted at the remote.
    mutating func endEpoch(_ changes: inout ChangeSet, in transaction: WriteTransaction) throws {
        try forget(through: last, &changes, in: transaction)
        changes.setMetadata("remote.\(subject).horizon", nil)
        changes.setMetadata("remote.\(subject).last", nil)
        changes.setMetadata("remote.\(subject).exists", nil)
        (exists, horizon, last, commit) = (false, 0, 0, RemoteHistory.beginning)
    }

    /// Removes the commits up to a number, whose changes devices can then no longer pull one by one.
    mutating func forget(
        through number: Int64, _ changes: inout ChangeSet, in transaction: WriteTransaction
    ) throws {
        if number <= horizon { return }
        for number in (horizon..<min(number, last)).map({ $0 + 1 }) {
            changes.delete(RecordID(RemoteHistory.commits(of: subject), .integer(number)))
            changes.setMetadata("remote.\(subject).push.\(number)", nil)
            try transaction.forEach(query(forChangesOf: number)) { change in
                changes.delete(change.id)
                return true
            }
        }
        horizon = number
        changes.setMetadata("remote.\(subject).horizon", "\(number)")
    }
}
