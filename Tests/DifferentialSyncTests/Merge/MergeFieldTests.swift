import DifferentialSync
import DifferentialSyncTesting
import TestSupport
import Testing

/// Fields that know how to merge what both sides changed.
struct MergeFieldTests {
    struct Post: Hashable, Sendable, Identifiable {
        let id: Int
        var title = ""
        var tags: Set<String> = []
        var likes = 0
        var level: Int8 = 0
        var stock: UInt8 = 0
        var visits: [Int] = []
        var comments: [Comment] = []

        static let fields: [MergeField<Post>] = [
            MergeField("title", \.title), .set("tags", \.tags), .counter("likes", \.likes), .counter("level", \.level),
            .counter("stock", \.stock), .log("visits", \.visits), .log("comments", \.comments) { $0.written },
        ]
    }

    struct Comment: Hashable, Sendable {
        let written: Int
        let text: String
    }

    /// The record merged from two edits of a base, or nil and the names of the fields that clash.
    static func merged(
        _ base: Post?, _ local: Post, _ remote: Post, otherwise policy: ConflictPolicy<Post> = .leaveOpen
    ) throws -> (Post?, clashes: [String]) {
        let result = try merge(
            base: base.map { [$0] }, local: [local], remote: [remote], primaryKey: \.id,
            policy: .mergingFields(Post.fields, otherwise: policy))
        let clashes = result.open.flatMap { $0.clashingFields(of: Post.fields) }
        return (result.open.isEmpty ? result.elements.first : nil, clashes)
    }

    static func edited(_ post: Post?, _ edit: (inout Post) -> Void) -> Post {
        var edited = post ?? Post(id: 1)
        edit(&edited)
        return edited
    }

    @Test func setsTakeAdditionsAndRemovalsOfBothSides() throws {
        let base = Post(id: 1, tags: ["a", "b", "c"])
        let local = Self.edited(base) { $0.tags = ["b", "c", "d"] }
        let remote = Self.edited(base) { $0.tags = ["a", "b", "e"] }
        #expect(try Self.merged(base, local, remote).0?.tags == ["b", "d", "e"])
        #expect(try Self.merged(nil, local, remote).0?.tags == ["a", "b", "c", "d", "e"], "nothing is removed")
    }

    @Test func countersAddWhatBothSidesAdded() throws {
        let base = Post(id: 1, likes: 10)
        let local = Self.edited(base) { $0.likes = 13 }
        let remote = Self.edited(base) { $0.likes = 8 }
        #expect(try Self.merged(base, local, remote).0?.likes == 11)
        #expect(try Self.merged(nil, local, remote).clashes == ["likes"], "nothing tells what was added")
        #expect(try Self.merged(base, Self.edited(base) { $0.likes = .max }, remote).0?.likes == .max - 2)
    }

    /// Every number of a small type: the result is the exact one, and what does not fit clashes.
    @Test func countersDoNotOverflow() throws {
        func check<Number: FixedWidthInteger & Sendable>(
            _ numbers: [Number], _ path: any WritableKeyPath<Post, Number> & Sendable, _ name: String
        ) throws {
            for base in numbers {
                for local in numbers where local != base {
                    for remote in numbers where remote != base && remote != local {
                        let posts = [base, local, remote].map { number in
                            Self.edited(nil) { $0[keyPath: path] = number }
                        }
                        let sum = Int(local) + Int(remote) - Int(base)
                        let result = try Self.merged(posts[0], posts[1], posts[2])
                        #expect(result.0?[keyPath: path] == Number(exactly: sum), "\(base), \(local), \(remote)")
                        #expect(result.clashes == (Number(exactly: sum) == nil ? [name] : []))
                    }
                }
            }
        }
        try check([Int8.min, -127, -1, 0, 1, 100, 126, .max], \.level, "level")
        try check([UInt8.min, 1, 2, 100, 200, 201, 254, .max], \.stock, "stock")
    }

    @Test func logsKeepTheBaseAndTakeBothAppendixes() throws {
        let base = Post(id: 1, visits: [9, 1])
        let local = Self.edited(base) { $0.visits += [3, 7] }
        let remote = Self.edited(base) { $0.visits += [2, 5] }
        #expect(try Self.merged(base, local, remote).0?.visits == [9, 1, 2, 3, 5, 7])
        #expect(try Self.merged(base, remote, local).0?.visits == [9, 1, 2, 3, 5, 7])
        #expect(try Self.merged(nil, local, remote).0?.visits == [9, 1, 2, 3, 5, 7], "the common beginning is kept")
        let later = Self.edited(local) { $0.visits.append(8) }
        #expect(try Self.merged(base, local, later).0?.visits == [9, 1, 3, 7, 8], "what both appended counts once")
    }

    @Test func aLogWhoseBaseWasChangedClashes() throws {
        let base = Post(id: 1, visits: [1, 2])
        let local = Self.edited(base) { $0.visits.append(3) }
        for visits in [[], [1], [1, 3], [0, 1, 2]] {
            let remote = Self.edited(base) { $0.visits = visits }
            #expect(try Self.merged(base, local, remote).clashes == ["visits"])
        }
    }

    @Test func entriesWithoutAnOrderClash() throws {
        let (one, two) = (Comment(written: 1, text: "one"), Comment(written: 1, text: "two"))
        let base = Post(id: 1)
        let local = Self.edited(base) { $0.comments = [one] }
        #expect(try Self.merged(base, local, Self.edited(base) { $0.comments = [two] }).clashes == ["comments"])
        let later = Self.edited(base) { $0.comments = [Comment(written: 2, text: "a")] }
        #expect(try Self.merged(base, later, local).0?.comments == [one, Comment(written: 2, text: "a")])
    }

    @Test func onlyFieldsThatClashGoToThePolicy() throws {
        let base = Post(id: 1, title: "a", tags: ["x"], likes: 1)
        let local = Self.edited(base) { ($0.title, $0.tags, $0.likes) = ("b", ["x", "y"], 2) }
        let remote = Self.edited(base) { ($0.title, $0.tags, $0.likes) = ("c", ["z"], 3) }
        #expect(Conflict(base: base, local: local, remote: remote).clashingFields(of: Post.fields) == ["title"])
        let result = try Self.merged(base, local, remote, otherwise: .remoteWins)
        #expect(result.0 == Post(id: 1, title: "c", tags: ["y", "z"], likes: 4))
    }

    /// The laws, over random records: exchanged sides come to the same, and a merge with a result changes nothing.
    @Test(arguments: 0..<20)
    func mergesAreSymmetricAndIdempotent(run: UInt64) throws {
        let seed = SeededGenerator.testSeed(run)
        print("MergeFieldTests.mergesAreSymmetricAndIdempotent: DIFFSYNC_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
        func edit(_ post: Post, ascending start: Int) -> Post {
            var post = post
            for _ in 0..<number(4) {
                let tag = "\(number(6))"
                if post.tags.remove(tag) == nil { post.tags.insert(tag) }
            }
            post.likes += number(7) - 3
            var visit = start
            for _ in 0..<number(4) {
                visit += number(3)
                post.visits.append(visit)
            }
            for _ in 0..<number(3) {
                visit += number(3)
                post.comments.append(Comment(written: visit, text: "\(visit)"))
            }
            return post
        }
        for _ in 0..<100 {
            let base = edit(Post(id: 1), ascending: 0)
            let (local, remote) = (edit(base, ascending: 100), edit(base, ascending: 100))
            let merged = try #require(try Self.merged(base, local, remote, otherwise: .unexpected).0)
            #expect(try Self.merged(base, remote, local, otherwise: .unexpected).0 == merged)
            #expect(try Self.merged(base, merged, merged, otherwise: .unexpected).0 == merged)
            // What a side already holds is not taken twice.
            let again = try Self.merged(local, local, merged, otherwise: .unexpected).0
            #expect(again == merged)
            let absorbed = try #require(try Self.merged(base, local, merged, otherwise: .unexpected).0)
            #expect(absorbed.tags == merged.tags)
            #expect(absorbed.visits == merged.visits)
            #expect(absorbed.comments == merged.comments)
            // Nothing that a side appended or added is lost.
            #expect(
                merged.tags.isSuperset(of: local.tags.subtracting(base.tags).union(remote.tags.subtracting(base.tags))))
            #expect(Set(merged.visits).isSuperset(of: local.visits + remote.visits))
        }
    }
}

/// What the other policy merges counts for the clashing fields alone.
struct NestedFieldMergeTests {
    struct Contact: Equatable, Sendable, Identifiable {
        let id: Int
        var name: String
        var phone: String
        var email: String
    }

    static let all: [MergeField<Contact>] = [
        MergeField("name", \.name), MergeField("phone", \.phone), MergeField("email", \.email),
    ]
    let base = Contact(id: 1, name: "Ann", phone: "1", email: "a@a")
    let mine = Contact(id: 1, name: "Anna", phone: "1", email: "a@b")
    let theirs = Contact(id: 1, name: "Anne", phone: "2", email: "a@a")

    func merged(_ policy: ConflictPolicy<Contact>) throws -> [Contact] {
        try merge(base: [base], local: [mine], remote: [theirs], primaryKey: \.id, policy: policy).elements
    }

    @Test func aMergedNameKeepsBothPhoneAndEmail() throws {
        let joined = ConflictPolicy<Contact> { conflict in
            guard let local = conflict.local, let remote = conflict.remote else { return .open }
            var merged = local
            merged.name = [local.name, remote.name].sorted().joined(separator: "/")
            return .merged(merged)
        }
        #expect(
            try merged(.mergingFields(Self.all, otherwise: joined))
                == [Contact(id: 1, name: "Anna/Anne", phone: "2", email: "a@b")])
    }

    @Test func nestedMergesOfFieldsKeepThemToo() throws {
        for inner in [Self.all, [Self.all[0]], []] {
            for (policy, name) in [(ConflictPolicy<Contact>.localWins, "Anna"), (.remoteWins, "Anne")] {
                let nested = ConflictPolicy.mergingFields(inner, otherwise: policy)
                let result = try merged(.mergingFields(Self.all, otherwise: nested))
                #expect(result == [Contact(id: 1, name: name, phone: "2", email: "a@b")])
            }
        }
    }

    @Test func recordsByNameKeepThemToo() throws {
        let base = ["id": "1", "name": "Ann", "phone": "1", "email": "a@a"]
        let mine = base.merging(["name": "Anna", "email": "a@b"]) { $1 }
        let theirs = base.merging(["name": "Anne", "phone": "2"]) { $1 }
        let policy = ConflictPolicy<[String: String]>.mergingFields(
            otherwise: ConflictPolicy { conflict in .merged(["name": (conflict.local?["name"] ?? "") + "!"]) })
        let result = try merge(base: [base], local: [mine], remote: [theirs], primaryKey: "id", policy: policy)
        #expect(result.elements == [["id": "1", "name": "Anna!", "phone": "2", "email": "a@b"]])
    }

    @Test func answersForTheWholeRecordStayThat() throws {
        #expect(try merged(.mergingFields(Self.all, otherwise: ConflictPolicy { _ in .delete })) == [])
        #expect(try merged(.mergingFields(Self.all, otherwise: .leaveOpen)) == [base])
        let based = try merged(.mergingFields(Self.all, otherwise: ConflictPolicy { _ in .base }))
        #expect(based == [Contact(id: 1, name: "Ann", phone: "2", email: "a@b")])
    }
}
