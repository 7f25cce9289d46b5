import SyncPersistence

/// Checks of relationships to one record: the key is stored in the record, and must name an existing one.
///
/// A reference is the key of another record. It is checked when the transaction ends, so that the order of changes does
/// not matter.
///
/// An adapter must not check references itself, by foreign keys for example, unless these are deferred to the commit.
enum ReferenceChecks {
    /// The checks of the topic, in the order in which they run.
    static let all = [
        ContractCheck("relating.toOne", toOne),
        ContractCheck("relating.inverse", inverse),
        ContractCheck("relating.danglingReferences", danglingReferences),
        ContractCheck("relating.laterInTheTransaction", laterInTheTransaction),
        ContractCheck("relating.uncheckedReferences", uncheckedReferences),
        ContractCheck("relating.compositeKeys", compositeKeys),
        ContractCheck("relating.mandatory", mandatory),
        ContractCheck("relating.mandatoryInBetween", mandatoryInBetween),
        ContractCheck("relating.toItself", toItself),
    ]

    /// Checks reading, linking, unlinking and setting a reference to one.
    ///
    /// Links from missing records, wrong types and several targets must be refused.
    ///
    /// Look at columns for references, which have the type of the target's key.
    static func toOne(_ trial: Trial) async throws {
        let store = try await trial.blog()
        try await store.put("Post", ["id": 1, "author": 1, "editor": 2], ["id": 2])
        trial.expect("a related key", try await store.related("Post", 1, "author"), is: [1])
        trial.expect("without an inverse", try await store.related("Post", 1, "editor"), is: [2])
        trial.expect("none", try await store.related("Post", 2, "author"), is: [])
        trial.expect("of no record", try await store.related("Post", 9, "author"), is: [])
        let users = try await store.read { try $0.relatedRecords(RecordID("Post", 1), "author") }
        trial.expect("a related record", users, is: [store.make("User", ["id": 1])])
        try await store.change { $0.link(RecordID("Post", 2), "author", to: 2) }
        trial.expect("a link", try await store.value("Post", 2, "author"), is: 2)
        try await store.change { $0.unlink(RecordID("Post", 2), "author", from: 1) }
        trial.expect("an unlink from another", try await store.value("Post", 2, "author"), is: 2)
        try await store.change { $0.unlink(RecordID("Post", 2), "author", from: 2) }
        trial.expect("an unlink", try await store.value("Post", 2, "author"), is: .null)
        try await store.change { $0.setLinks(RecordID("Post", 2), "author", to: [1]) }
        trial.expect("links that are set", try await store.value("Post", 2, "author"), is: 1)
        try await store.change { $0.setLinks(RecordID("Post", 2), "author", to: []) }
        trial.expect("links that are set to none", try await store.value("Post", 2, "author"), is: .null)
        try await trial.expectRefusal(.wrongType, "two links to one", by: store) {
            $0.setLinks(RecordID("Post", 2), "author", to: [1, 2])
        }
        try await trial.expectRefusal(.wrongType, "a link to a key of another type", by: store) {
            $0.link(RecordID("Post", 2), "author", to: "1")
        }
        try await trial.expectRefusal(.danglingReference, "a link from no record", by: store) {
            $0.link(RecordID("Post", 9), "author", to: 1)
        }
    }

    /// Checks that both ends of a relationship agree, whichever end is changed.
    ///
    /// A link from the far end must take the record away from its former owner.
    ///
    /// Look at indexes on references after they were changed within the transaction.
    static func inverse(_ trial: Trial) async throws {
        let store = try await trial.blog()
        try await store.put("Post", ["id": 3, "author": 1], ["id": 1, "author": 2], ["id": 2, "author": 1])
        trial.expect("from the other end", try await store.related("User", 1, "posts"), is: [3, 2])
        let commit = try await store.change { $0.link(RecordID("User", 1), "posts", to: 1) }
        trial.expect("a link from the other end", commit.summary, is: ["Post 1: author"])
        trial.expect("who had it", try await store.related("User", 2, "posts"), is: [])
        try await store.change { $0.unlink(RecordID("User", 1), "posts", from: 3) }
        trial.expect("an unlink from the other end", try await store.related("User", 1, "posts"), is: [1, 2])
        let set = try await store.change { $0.setLinks(RecordID("User", 1), "posts", to: [3, 2, 3]) }
        trial.expect("links that are set from the other end", set.summary, is: ["Post 1: author", "Post 3: author"])
        trial.expect("them", try await store.related("User", 1, "posts"), is: [3, 2])
        try await trial.expectRefusal(.danglingReference, "a link to no record", by: store) {
            $0.link(RecordID("User", 1), "posts", to: 9)
        }
    }

    /// Checks that a reference to a missing record is refused at the end of the transaction.
    ///
    /// Otherwise paths, delete rules and exports would meet keys without records.
    static func danglingReferences(_ trial: Trial) async throws {
        let store = try await trial.blog()
        try await store.put("Post", ["id": 1, "author": 1])
        for name in ["author", "editor"] {
            try await trial.expectRefusal(.danglingReference, "a new record that names none", by: store) {
                $0.put(store.make("Post", ["id": 2, name: 9]))
            }
            try await trial.expectRefusal(.danglingReference, "an update to none", by: store) {
                $0.update(RecordID("Post", 1), [name: 9])
            }
            try await trial.expectRefusal(.danglingReference, "a link to none", by: store) {
                $0.link(RecordID("Post", 1), name, to: 9)
            }
        }
        // Two records refer to a missing one, and only the second is deleted again. The first still refers to it.
        try await trial.expectRefusal(.danglingReference, "one of two that name none", by: store) {
            $0.put(store.make("Post", ["id": 2, "author": 9]))
            $0.put(store.make("Post", ["id": 3, "author": 9]))
            $0.delete(RecordID("Post", 3))
        }
        try await trial.expectRefusal(.danglingReference, "one of two that name none, with another property", by: store)
        {
            $0.put(store.make("Post", ["id": 2, "author": 9, "editor": 9]))
            $0.update(RecordID("Post", 2), ["editor": 1])
        }
        let commit = try await store.change {
            $0.put(store.make("Post", ["id": 2, "author": 9]))
            $0.update(RecordID("Post", 2), ["author": 2])
        }
        trial.expect("one that is corrected in the same transaction", commit.summary, is: ["+Post 2"])
    }

    /// Checks that a reference may precede its target within a transaction.
    ///
    /// Payloads list records in any order.
    ///
    /// Look at foreign keys that are checked at once.
    static func laterInTheTransaction(_ trial: Trial) async throws {
        let store = try await trial.blog()
        try await store.change {
            $0.put(store.make("Post", ["id": 1, "author": 7]))
            $0.put(store.make("User", ["id": 7]))
        }
        trial.expect("a record that is stored after its name", try await store.related("User", 7, "posts"), is: [1])
        try await trial.expectRefusal(.danglingReference, "one that is stored and deleted again", by: store) {
            $0.put(store.make("User", ["id": 8]))
            $0.put(store.make("Post", ["id": 2]))
            $0.delete(RecordID("User", 8))
            $0.update(RecordID("Post", 2), ["author": 8])
        }
    }

    /// Checks that a reference may name a missing record if the inverse has the delete rule `.noAction`.
    ///
    /// Its path is null.
    ///
    /// Look at joins for paths, which must not lose the row.
    static func uncheckedReferences(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("posts", toMany: "Post", inverse: "author", deleteRule: .noAction)
            }
            Entity("Post") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("author", to: "User", inverse: "posts")
            }
        }
        // If posts may outlive their author, they may also precede it.
        try await store.put("Post", ["id": 1, "author": 9])
        trial.expect("the key that names no record", try await store.related("Post", 1, "author"), is: [9])
        let users = try await store.read { try $0.relatedRecords(RecordID("Post", 1), "author") }
        trial.expect("the record that is not there", users, is: [])
        trial.expect(
            "null at the end of its path", try await store.keys("Post", where: Field("author.id").isNull), is: [1])
    }

    /// Checks references, links, filters and paths by keys of two parts.
    ///
    /// An adapter that joins the parts as text would confuse `["A1", 1]` with `["A", 11]`.
    ///
    /// Look at references with several columns: all are null, or none is.
    static func compositeKeys(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Seat") {
                Attribute("row", .string, isPrimaryKey: true)
                Attribute("number", .integer, isPrimaryKey: true)
                Attribute("note", .string)
                Relationship("tickets", toMany: "Ticket", inverse: "seat")
                Relationship("neighbours", toMany: "Seat", inverse: "neighbours")
            }
            Entity("Ticket") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("seat", to: "Seat", inverse: "tickets")
            }
        }
        try await store.put(
            "Seat", ["row": "B", "number": 1], ["row": "A", "number": 2], ["row": "A", "number": 1],
            ["row": "A1", "number": 1])
        trial.expect(
            "keys of two parts", try await store.keys("Seat"), is: [["B", 1], ["A", 2], ["A", 1], ["A1", 1]])
        try await store.update("Seat", ["A", 2], ["note": "aisle"])
        trial.expect("a record by two parts", try await store.value("Seat", ["A", 2], "note"), is: "aisle")
        trial.expect("a record by parts in the wrong order", try await store.record("Seat", [2, "A"]), is: nil)
        trial.expect("a record by one part", try await store.record("Seat", "A"), is: nil)
        try await store.put("Ticket", ["id": 1, "seat": ["A", 2]], ["id": 2, "seat": ["B", 1]], ["id": 3])
        trial.expect("a reference of two parts", try await store.related("Ticket", 1, "seat"), is: [["A", 2]])
        trial.expect("from the other end", try await store.related("Seat", ["A", 2], "tickets"), is: [1])
        trial.expect(
            "a filter by it", try await store.keys("Ticket", where: Field("seat") == ["B", 1]), is: [2])
        trial.expect(
            "one of several", try await store.keys("Ticket", where: Field("seat").isOne(of: [["B", 1], ["B", 2]])),
            is: [2])
        trial.expect("one that is null", try await store.keys("Ticket", where: Field("seat").isNull), is: [3])
        trial.expect("a path over it", try await store.keys("Ticket", where: Field("seat.row") == "A"), is: [1])
        try await trial.expectRefusal(.danglingReference, "a reference of two parts to none", by: store) {
            $0.update(RecordID("Ticket", 1), ["seat": ["A", 9]])
        }
        for key: Value in [["A"], "A", ["A", "2"], ["A", .null], ["A", 2, 3]] {
            try await trial.expectRefusal(.wrongType, "a reference by \(key)", by: store) {
                $0.update(RecordID("Ticket", 1), ["seat": key])
            }
        }
        try await store.change { $0.setLinks(RecordID("Seat", ["A", 1]), "neighbours", to: [["A", 2], ["B", 1]]) }
        trial.expect(
            "links of keys of two parts", try await store.related("Seat", ["B", 1], "neighbours"), is: [["A", 1]])
        let commit = try await store.delete("Seat", ["A", 2])
        trial.expect("references to a deleted one", commit.updated, is: [RecordID("Ticket", 1)])
        trial.expect(
            "links to a deleted one", try await store.related("Seat", ["A", 1], "neighbours"), is: [["B", 1]])
    }

    /// Makes a store with two users and a post that must have an author.
    ///
    /// Both ends declare the relationship, so it can be broken from either.
    private static func mandatoryBlog(_ trial: Trial) async throws -> TestStore {
        let store = try await trial.blog(hasAuthors: true)
        try await store.put("Post", ["id": 1, "author": 1])
        return store
    }

    /// Checks that a transaction is refused if it leaves a mandatory reference null, by an insertion, a deletion or an
    /// unlink.
    ///
    /// The refusal must leave everything as it was, also the changes before it in the same set.
    ///
    /// Look at the rollback of a change set whose first changes were valid.
    static func mandatory(_ trial: Trial) async throws {
        let store = try await mandatoryBlog(trial)
        try await trial.expectRefusal(.missingValue, "a new record without a mandatory reference", by: store) {
            $0.put(store.make("Post", ["id": 2]))
        }
        try await trial.expectRefusal(.missingValue, "a deletion that takes a mandatory reference away", by: store) {
            $0.delete(RecordID("User", 1))
        }
        try await trial.expectRefusal(.missingValue, "an unlink that does", by: store) {
            $0.unlink(RecordID("User", 1), "posts", from: 1)
        }
        try await trial.expectRefusal(.missingValue, "links that are set so", by: store) {
            $0.setLinks(RecordID("Post", 1), "author", to: [])
        }
    }

    /// Checks that a mandatory reference may be null until the transaction ends.
    ///
    /// Otherwise replacing an author would depend on the order of the changes.
    ///
    /// Look at `NOT NULL` of a column: the adapter must not declare it.
    static func mandatoryInBetween(_ trial: Trial) async throws {
        let store = try await mandatoryBlog(trial)
        // A mandatory value may be missing until the transaction ends.
        let given = try await store.change {
            $0.delete(RecordID("User", 1))
            $0.update(RecordID("Post", 1), ["author": 2])
        }
        trial.expect("another reference, given later", given.summary, is: ["-User 1", "Post 1: author"])
        let both = try await store.change {
            $0.delete(RecordID("User", 2))
            $0.delete(RecordID("Post", 1))
        }
        trial.expect("the record deleted too", both.summary, is: ["-Post 1", "-User 2"])
        try await store.put("User", ["id": 1], ["id": 2])
        try await store.put("Post", ["id": 1, "author": 1])
        try await store.change { $0.setLinks(RecordID("Post", 1), "author", to: [2]) }
        trial.expect("a link to another", try await store.value("Post", 1, "author"), is: 2)
    }

    /// Checks references within one entity, including a record that refers to itself.
    ///
    /// Its deletion must end, and must clear the references of the other records.
    ///
    /// Look at the order in which references to a deleted record are cleared, the record's own among them.
    static func toItself(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Folder") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("parent", to: "Folder", inverse: "children")
                Relationship("children", toMany: "Folder", inverse: "parent")
            }
        }
        try await store.put("Folder", ["id": 2, "parent": 1], ["id": 3, "parent": 1], ["id": 1])
        trial.expect("children", try await store.related("Folder", 1, "children"), is: [2, 3])
        try await store.update("Folder", 1, ["parent": 1])
        trial.expect("its own child", try await store.related("Folder", 1, "children"), is: [2, 3, 1])
        let commit = try await store.delete("Folder", 1)
        trial.expect("a deletion", commit.deleted, is: [RecordID("Folder", 1)])
        trial.expect("the children", try await store.keys("Folder", where: Field("parent").isNull), is: [2, 3])
    }
}

extension Trial {
    /// Makes a store with two users and no posts.
    ///
    /// An author has an inverse, an editor has none.
    ///
    /// - Parameters:
    ///   - rule: The delete rule for the posts of a deleted author.
    ///   - hasAuthors: Whether each post must have an author.
    func blog(_ rule: DeleteRule = .nullify, hasAuthors: Bool = false) async throws -> TestStore {
        let store = try await store {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("posts", toMany: "Post", inverse: "author", deleteRule: rule)
            }
            Entity("Post") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("text", .string)
                Relationship("author", to: "User", inverse: "posts", isOptional: !hasAuthors)
                Relationship("editor", to: "User")
            }
        }
        try await store.put("User", ["id": 1], ["id": 2])
        return store
    }
}
