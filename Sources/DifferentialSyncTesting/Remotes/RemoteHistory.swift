import DifferentialSync
import SyncPersistence

/// What a ``StoredRemote`` keeps of its commits: for each a number, the push that made it, and the records that it
/// changed, as they were when it did.
struct RemoteHistory {
    /// The number of the epoch; it counts up.
    private(set) var epoch: Int

    /// Whether there is a collection.
    private(set) var exists: Bool

    /// The number and name of the last commit.
    private(set) var last: Int64 = 0
    private(set) var commit = RemoteHistory.beginning

    /// The number of the last commit of this epoch that was forgotten.
    private(set) var horizon: Int64

    private let subject: String

    /// The name of an epoch's state before its first commit.
    private static let beginning = "none"

    private var name: String { RemoteHistory.name(of: subject) }
    private static func name(of entity: String) -> String { "\(entity)History" }

    static func entity(of entity: String) -> Entity {
        Entity(
            name(of: entity),
            attributes: [
                Attribute("number", .integer, isPrimaryKey: true),
                Attribute("commit", .string, isOptional: false, isIndexed: true),
                Attribute("records", .json, isOptional: false),
            ])
    }

    init(of entity: String, in transaction: ReadTransaction) throws {
        subject = entity
        func noted(_ name: String) throws -> Int? {
            try transaction.metadata("remote.\(entity).\(name)").flatMap { Int($0) }
        }
        epoch = try noted("epoch") ?? 0
        exists = try noted("exists") == 1
        horizon = Int64(try noted("horizon") ?? 0)
        last = horizon
        let query = Query(
            RemoteHistory.name(of: entity), sort: [Query.SortKey("number", isDescending: true)], limit: 1)
        if let latest = try transaction.records(query).first, case .integer(let number) = latest["number"],
            case .string(let text) = latest["commit"]
        {
            last = number
            commit = text
        }
    }
}

extension RemoteHistory {
    /// The number of the state that a commit has made, or of that before the first one; nil if it is not known, or not
    /// any more.
    func number(ofState commit: String, in transaction: ReadTransaction) throws -> Int64? {
        if let number = try number(of: commit, in: transaction) { return number }
        return commit == RemoteHistory.beginning && horizon == 0 ? 0 : nil
    }

    /// The number of the commit with a name; nil if it is not known, or not any more.
    func number(of commit: String, in transaction: ReadTransaction) throws -> Int64? {
        let query = Query(
            name, where: .comparison(path: "commit", .equal, .string(commit)),
            sort: [Query.SortKey("number", isDescending: true)], limit: 1)
        guard case .integer(let number)? = try transaction.records(query).first?["number"] else { return nil }
        return number
    }

    /// The keys that have changed since a commit, in the order of their first change, each with an image of its record.
    func changes(since number: Int64, in transaction: ReadTransaction) throws -> [(key: Value, image: Record)] {
        let query = Query(
            name, where: .comparison(path: "number", .greater, .integer(number)), sort: [Query.SortKey("number")])
        var changes: [(key: Value, image: Record)] = []
        var seen: Set<Value> = []
        try transaction.forEach(query) { commit in
            guard case .array(let texts) = commit["records"] else { return true }
            for case .string(let text) in texts {
                let image = try Record(journalText: text, schema: transaction.schema)
                if seen.insert(image.key).inserted { changes.append((image.key, image)) }
            }
            return true
        }
        return changes
    }

    mutating func add(
        _ commit: String, _ images: [Record], in changes: inout ChangeSet, schema: Schema
    ) throws {
        guard let shape = schema[name] else { return }
        last += 1
        self.commit = commit
        changes.put(
            Record(
                shape,
                [
                    "number": .integer(last), "commit": .string(commit),
                    "records": .array(images.map { .string($0.journalText) }),
                ]))
    }

    mutating func beginEpoch(_ changes: inout ChangeSet) {
        epoch += 1
        exists = true
        changes.setMetadata("remote.\(subject).epoch", "\(epoch)")
        changes.setMetadata("remote.\(subject).exists", "1")
    }

    mutating func endEpoch(_ changes: inout ChangeSet, in transaction: WriteTransaction) throws {
        try forget(through: last, &changes, in: transaction)
        changes.setMetadata("remote.\(subject).horizon", nil)
        changes.setMetadata("remote.\(subject).exists", nil)
        (exists, horizon, last, commit) = (false, 0, 0, RemoteHistory.beginning)
    }

    mutating func forget(
        through number: Int64, _ changes: inout ChangeSet, in transaction: WriteTransaction
    ) throws {
        if number <= horizon { return }
        let query = Query(name, where: .comparison(path: "number", .lessOrEqual, .integer(number)))
        for commit in try transaction.records(query) { changes.delete(commit.id) }
        horizon = number
        changes.setMetadata("remote.\(subject).horizon", "\(number)")
    }
}
