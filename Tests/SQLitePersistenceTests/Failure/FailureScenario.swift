import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

/// What is done to a file while it fails.
struct FailureScenario: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let schema: Schema
    /// How many places to fail it has at least.
    let leastFailures: Int
    /// What comes before, and does not fail.
    let prepare: @Sendable (any PersistenceAdapter) async throws -> Void
    let run: @Sendable (FailingAdapter) async throws -> Void
    /// What holds in the file that was opened again, wherever it failed.
    let check: @Sendable (any PersistenceAdapter, FailingAdapter.Failure?) async throws -> Void

    init(
        _ name: String, _ schema: Schema, leastFailures: Int,
        prepare: @escaping @Sendable (any PersistenceAdapter) async throws -> Void = { _ in },
        run: @escaping @Sendable (FailingAdapter) async throws -> Void,
        check: @escaping @Sendable (any PersistenceAdapter, FailingAdapter.Failure?) async throws -> Void = { _, _ in }
    ) {
        testDescription = name
        self.schema = schema
        self.leastFailures = leastFailures
        self.prepare = prepare
        self.run = run
        self.check = check
    }

    static let all = [authorship, orderedLinks, cascade, remoteChanges, notes, cycle]
}

extension FailureScenario {
    static let authorship = FailureScenario(
        "records, links and metadata", Authorship.schema, leastFailures: 26,
        run: { try await Authorship.commit(to: $0) },
        check: { store, _ in
            let isWhole = try await Authorship.isWhole(store)
            #expect(isWhole)
        })

    static let orderedLinks = FailureScenario(
        "the order of links", blog, leastFailures: 18, prepare: { try await fill($0) },
        run: { store in
            try await store.change { $0.setLinks(RecordID("User", 1), "posts", to: [3, 1, 2]) }
            try await store.change { changes in
                changes.unlink(RecordID("User", 1), "posts", from: 1)
                changes.link(RecordID("User", 2), "posts", to: 1, at: 0)
                changes.link(RecordID("User", 1), "posts", to: 4, at: 1)
            }
            let posts = try await store.read { transaction in
                try [1, 2].map { try transaction.related(RecordID("User", $0), "posts") }
            }
            #expect(posts == [[3, 4, 2], [1]])
        })

    static let cascade = FailureScenario(
        "a deletion that takes others along", blog, leastFailures: 12, prepare: { try await fill($0) },
        run: { store in
            let commit = try await store.change { $0.delete(RecordID("User", 1)) }
            #expect(commit.changes.filter(\.isConsequence).count >= 3)
        },
        check: { store, _ in
            let counts = try await store.read { transaction in
                try (
                    transaction.count(Query("User")), transaction.count(Query("Post")),
                    transaction.journal(of: "Post").count, deletedCount(transaction)
                )
            }
            #expect(counts == (2, 4, 0, 0) || counts == (1, 1, 3, 4))
        })

    static let remoteChanges = FailureScenario(
        "remote changes that are held back", blog, leastFailures: 12, prepare: { try await fill($0) },
        run: { store in
            try await store.change { changes in
                for key in [1, 2] as [Value] { changes.update(RecordID("Post", key), ["text": "here"]) }
                changes.delete(RecordID("Post", 3))
            }
            let commit = try await store.change(origin: .remote) { changes in
                for key in [1, 3] as [Value] { changes.update(RecordID("Post", key), ["text": "there"]) }
                changes.delete(RecordID("Post", 2))
                changes.delete(RecordID("User", 1))
                changes.put(Record(blog["Post"]!, ["id": 5, "text": "there", "author": 2]))
            }
            #expect(commit.heldBack.count == 4)
        },
        check: { store, _ in
            let (posts, users, isThere) = try await store.read { transaction in
                try (
                    transaction.journal(of: "Post"), transaction.journal(of: "User"),
                    transaction.record(RecordID("Post", 5)) != nil
                )
            }
            // What the remote has, of all that was held back, or of nothing.
            let remote = (posts + users).filter(\.isUnresolved).map { $0.remote?["text"] }
            #expect(remote == (isThere ? ["there", nil, "there", nil] : []))
        })

    static let notes = FailureScenario(
        "what the journal notes, and deletions that are forgotten", blog, leastFailures: 16,
        prepare: { try await fill($0) },
        run: { store in
            func post(_ text: Value) -> Record { Record(blog["Post"]!, ["id": 1, "text": text, "author": 1]) }
            try await store.change { changes in
                changes.add(
                    .setShadow(
                        JournalEntry(
                            id: RecordID("Post", 1), base: post("before"), isUnresolved: true, remote: post("there"))))
                changes.add(.setShadow(JournalEntry(id: RecordID("Post", 2), base: nil)))
                changes.setMetadata("cursor", "1")
            }
            try await store.change { $0.delete(RecordID("Post", 3)) }
            let deletion = try await store.read { try $0.historySequence }
            try await store.change { $0.delete(RecordID("Post", 4)) }
            try await store.change { changes in
                changes.forgetHistory(through: deletion)
                changes.setMetadata("cursor", nil)
            }
            try await store.change(origin: .agreed) { $0.put(post("there")) }
            #expect(try await store.read { try $0.historyHorizon } == deletion)
            #expect(try await store.read { try $0.lastChange(of: RecordID("Post", 3)) } == nil)
            #expect(try await store.read { try deletedCount($0) } == 1)
        })

    /// Returns the number of deleted records in the history.
    private static func deletedCount(_ transaction: ReadTransaction) throws -> Int {
        try transaction.history(after: 0, limit: .max).count { try transaction.record($0.id) == nil }
    }

    /// Users and their posts.
    private static let blog = try! Schema {
        Entity("User") {
            Attribute("id", .integer, isPrimaryKey: true)
            Relationship("posts", toMany: "Post", isOrdered: true, inverse: "author", deleteRule: .cascade)
        }
        Entity("Post") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("text", .string, isIndexed: true)
            Relationship("author", to: "User", inverse: "posts")
        }
    }

    /// Stores two users, the first with three posts, the second with one.
    private static func fill(_ store: any PersistenceAdapter) async throws {
        try await store.change(origin: .agreed) { changes in
            changes.keepHistory(true)
            for key in 1...2 as ClosedRange<Int64> { changes.put(Record(blog["User"]!, ["id": .integer(key)])) }
            for key in 1...4 as ClosedRange<Int64> {
                changes.put(
                    Record(blog["Post"]!, ["id": .integer(key), "text": "first", "author": key < 4 ? 1 : 2]))
            }
        }
    }
}

extension PersistenceAdapter {
    /// Commits changes.
    @discardableResult
    fileprivate func change(
        origin: ChangeSet.Origin = .local, _ build: (inout ChangeSet) -> Void
    ) async throws -> Commit {
        var changes = ChangeSet(origin: origin)
        build(&changes)
        return try await commit(changes)
    }
}
