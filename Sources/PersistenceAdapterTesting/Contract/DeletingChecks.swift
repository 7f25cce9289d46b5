import SyncPersistence

/// Checks of the delete rules: what a deletion does to the records that are connected with the deleted one.
///
/// The library follows the delete rules itself. It finds the records that refer to a deleted one by queries with a
/// comparison of the reference, and links by queries of their shape.
///
/// If a check of this topic fails, look at queries for the value of a reference within a transaction that has changed
/// it, and at `remove(_:in:)`.
enum DeletingChecks {
    /// The checks of the topic, in the order in which they run.
    static let all = [
        ContractCheck("deleting.nullify", nullify),
        ContractCheck("deleting.cascade", cascade),
        ContractCheck("deleting.cascadeFromReferences", cascadeFromReferences),
        ContractCheck("deleting.cascadeOverLinks", cascadeOverLinks),
        ContractCheck("deleting.deepCascade", deepCascade),
        ContractCheck("deleting.cascadeInCircles", cascadeInCircles),
        ContractCheck("deleting.deny", deny),
        ContractCheck("deleting.denyOverLinks", denyOverLinks),
        ContractCheck("deleting.denyWithinCascade", denyWithinCascade),
        ContractCheck("deleting.noAction", noAction),
        ContractCheck("deleting.withoutInverse", withoutInverse),
    ]

    /// Makes a store with two users and three posts.
    ///
    /// The rule applies to the posts of a deleted user.
    ///
    /// Posts 1 and 3 are those of user 1, and post 2 is that of user 2.
    private static func blog(_ trial: Trial, _ rule: DeleteRule) async throws -> TestStore {
        let store = try await trial.blog(rule)
        try await store.put("Post", ["id": 1, "author": 1], ["id": 2, "author": 2], ["id": 3, "author": 1])
        return store
    }

    /// Checks that `.nullify` clears the references to a deleted record, and reports each as a consequence.
    ///
    /// Otherwise they would dangle.
    ///
    /// Look at `forEach` with an equality of a reference slot: it must find all records that refer to the deleted one.
    static func nullify(_ trial: Trial) async throws {
        let store = try await blog(trial, .nullify)
        let commit = try await store.delete("User", 1)
        trial.expect(
            "a commit", commit.summary, is: ["-User 1", "Post 1: author (consequence)", "Post 3: author (consequence)"])
        trial.expect("without author", try await store.keys("Post", where: Field("author").isNull), is: [1, 3])
        trial.expect("whether the journal has no base", try await store.entry("Post", 1)?.base == nil, is: true)
    }

    /// Checks that `.cascade` deletes the related records of a deleted one, and no others.
    ///
    /// Records of other owners must be left alone, even if they follow in the order of insertion.
    ///
    /// Look at `remove` while rows of the same table are read, and at the limit of a look-up by reference.
    static func cascade(_ trial: Trial) async throws {
        let store = try await blog(trial, .cascade)
        let commit = try await store.delete("User", 1)
        trial.expect("a commit", commit.summary, is: ["-Post 1 (consequence)", "-Post 3 (consequence)", "-User 1"])
        trial.expect("cascaded", Set(commit.cascaded), is: [RecordID("Post", 1), RecordID("Post", 3)])
        trial.expect("the others", try await store.keys("Post"), is: [2])
    }

    /// Checks that `.cascade` also follows references that are stored in the deleted record, with and without an
    /// inverse.
    ///
    /// Here the deleted record has the key, so no query for a reference finds the related record.
    ///
    /// Look at whether `remove` returns the removed record with all of its values.
    static func cascadeFromReferences(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Order") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("bill", to: "Bill", inverse: "order", deleteRule: .cascade)
                Relationship("note", to: "Note", deleteRule: .cascade)
            }
            Entity("Bill") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("order", to: "Order", inverse: "bill", isOptional: false)
            }
            Entity("Note") { Attribute("id", .integer, isPrimaryKey: true) }
        }
        try await store.put("Note", ["id": 1], ["id": 2])
        try await store.put("Order", ["id": 1, "note": 1], ["id": 2])
        try await store.put("Bill", ["id": 1, "order": 1], ["id": 2, "order": 2])
        let commit = try await store.delete("Order", 1)
        trial.expect("a commit", commit.summary, is: ["-Bill 1 (consequence)", "-Note 1 (consequence)", "-Order 1"])
    }

    /// Checks that `.cascade` follows links from the end that declares it, and only from that end.
    ///
    /// The links themselves are deleted with either end.
    ///
    /// Look at the tables of links: they are entities of the library with two references, `source` and `target`.
    static func cascadeOverLinks(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Album") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("photos", toMany: "Photo", isOrdered: true, inverse: "albums", deleteRule: .cascade)
            }
            Entity("Photo") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("albums", toMany: "Album", inverse: "photos")
            }
        }
        try await store.put("Album", ["id": 1], ["id": 2])
        try await store.put("Photo", ["id": 1], ["id": 2], ["id": 3])
        try await store.change {
            $0.setLinks(RecordID("Album", 1), "photos", to: [1, 2])
            $0.setLinks(RecordID("Album", 2), "photos", to: [2, 3])
        }
        try await store.delete("Photo", 3)
        trial.expect("the albums of a deleted photo", try await store.keys("Album"), is: [1, 2])
        try await store.delete("Album", 1)
        trial.expect("photos", try await store.keys("Photo"), is: [])
        trial.expect("links of the other album", try await store.related("Album", 2, "photos"), is: [])
    }

    /// Makes an empty store of folders, which are deleted with their parent.
    ///
    /// A folder refers to its parent, so a chain or a circle of any length can be made.
    private static func folders(_ trial: Trial) async throws -> TestStore {
        try await trial.store {
            Entity("Folder") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("parent", to: "Folder", inverse: "children")
                Relationship("children", toMany: "Folder", inverse: "parent", deleteRule: .cascade)
            }
        }
    }

    /// Checks a cascade through 3,000 levels.
    ///
    /// A recursive implementation would overflow the stack.
    ///
    /// Look at triggers or foreign keys of the database, which must not follow the rules by themselves.
    static func deepCascade(_ trial: Trial) async throws {
        let store = try await folders(trial)
        let depth: Int64 = 3_000
        var rows: [[String: Value]] = [["id": 0], ["id": 1]]
        for number in 2...depth { rows.append(["id": .integer(number), "parent": .integer(number - 1)]) }
        try await store.put("Folder", rows: rows)
        let commit = try await store.delete("Folder", 1)
        trial.expect("how many are deleted", commit.deleted.count, is: Int(depth))
        trial.expect("what is left", try await store.keys("Folder"), is: [0])
    }

    /// Checks that a cascade ends for a record that contains itself, and for a circle.
    ///
    /// Otherwise a deletion would never return.
    ///
    /// Look at `remove` of a record that was removed before in the transaction: it returns nil.
    static func cascadeInCircles(_ trial: Trial) async throws {
        let store = try await folders(trial)
        try await store.put(
            "Folder", ["id": 1, "parent": 3], ["id": 2, "parent": 1], ["id": 3, "parent": 2], ["id": 4, "parent": 4])
        let one = try await store.delete("Folder", 4)
        trial.expect("one that contains itself", one.summary, is: ["-Folder 4"])
        let commit = try await store.delete("Folder", 2)
        trial.expect("a circle", commit.deleted.count, is: 3)
        trial.expect("what is left", try await store.keys("Folder"), is: [])
    }

    /// Checks that `.deny` refuses a deletion while related records remain at the end of the transaction.
    ///
    /// They may be deleted or reassigned in the same transaction, before or after.
    ///
    /// Look at `count` and `forEach` within a transaction that has changed the counted records.
    static func deny(_ trial: Trial) async throws {
        let store = try await blog(trial, .deny)
        try await trial.expectRefusal(.deletionDenied, "a deletion that is denied", by: store) {
            $0.delete(RecordID("User", 1))
        }
        let both = try await store.change {
            $0.delete(RecordID("User", 1))
            $0.delete(RecordID("Post", 1))
            $0.update(RecordID("Post", 3), ["author": 2])
        }
        trial.expect("others gone in the same transaction", both.summary, is: ["-Post 1", "-User 1", "Post 3: author"])
        try await store.delete("Post", 2, 3)
        try await store.delete("User", 2)
        trial.expect("others gone before", try await store.keys("User"), is: [])
    }

    /// Checks `.deny` for links, symmetric links and references.
    ///
    /// Only the end that declares the rule denies deletions.
    ///
    /// Look at how links of one pair of entities in two relationships are kept apart.
    static func denyOverLinks(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Tag") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("notes", toMany: "Note", inverse: "tags", deleteRule: .deny)
                Relationship("friends", toMany: "Tag", inverse: "friends", deleteRule: .deny)
            }
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("tags", toMany: "Tag", inverse: "notes")
                Relationship("topic", to: "Tag", deleteRule: .deny)
            }
        }
        try await store.put("Tag", ["id": 1], ["id": 2], ["id": 3])
        try await store.put("Note", ["id": 1], ["id": 2, "topic": 3])
        try await store.change {
            $0.link(RecordID("Tag", 1), "notes", to: 1)
            $0.link(RecordID("Tag", 2), "friends", to: 3)
        }
        try await trial.expectRefusal(.deletionDenied, "a deletion that is denied by a link", by: store) {
            $0.delete(RecordID("Tag", 1))
        }
        try await trial.expectRefusal(.deletionDenied, "a deletion that is denied by a friend", by: store) {
            $0.delete(RecordID("Tag", 3))
        }
        try await trial.expectRefusal(.deletionDenied, "a deletion that is denied by what it names", by: store) {
            $0.delete(RecordID("Note", 2))
        }
        try await store.delete("Note", 1)
        trial.expect("the end that does not deny", try await store.related("Tag", 1, "notes"), is: [])
        try await store.change {
            $0.delete(RecordID("Tag", 2))
            $0.delete(RecordID("Tag", 3))
            $0.delete(RecordID("Note", 2))
        }
        trial.expect("all of them at once", try await store.keys("Tag"), is: [1])
    }

    /// Checks that a cascade is refused as a whole if it reaches a record that denies its deletion.
    ///
    /// A partial cascade would lose data.
    ///
    /// Look at rollback after many removals in several tables.
    static func denyWithinCascade(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Shop") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("customers", toMany: "Customer", inverse: "shop", deleteRule: .cascade)
            }
            Entity("Customer") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("shop", to: "Shop", inverse: "customers")
                Relationship("debts", toMany: "Debt", inverse: "customer", deleteRule: .deny)
            }
            Entity("Debt") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("customer", to: "Customer", inverse: "debts")
            }
        }
        try await store.put("Shop", ["id": 1])
        try await store.put("Customer", ["id": 1, "shop": 1])
        try await store.put("Debt", ["id": 1, "customer": 1])
        try await trial.expectRefusal(.deletionDenied, "a cascade that is denied on its way", by: store) {
            $0.delete(RecordID("Shop", 1))
        }
        try await store.delete("Debt", 1)
        try await store.delete("Shop", 1)
        trial.expect("without the reason", try await store.keys("Customer"), is: [])
    }

    /// Checks that `.noAction` leaves the keys of a deleted record in place.
    ///
    /// A record that is stored again with the key has its relationships back.
    ///
    /// Look at foreign keys of the database: they would refuse a key without a record.
    static func noAction(_ trial: Trial) async throws {
        let store = try await blog(trial, .noAction)
        let commit = try await store.delete("User", 1)
        trial.expect("a commit", commit.summary, is: ["-User 1"])
        trial.expect("who is named", try await store.records(Query("Post")).map { $0["author"] }, is: [1, 2, 1])
        try await store.put("User", ["id": 1])
        trial.expect("of one that is stored anew", try await store.related("User", 1, "posts"), is: [1, 3])
    }

    /// Checks that references and links without an inverse are cleared when their target is deleted.
    ///
    /// Otherwise they would dangle, because no delete rule covers them.
    ///
    /// Look at indexes of reference slots, also of relationships that have no inverse.
    static func withoutInverse(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("City") { Attribute("id", .integer, isPrimaryKey: true) }
            Entity("Person") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("home", to: "City")
                Relationship("visited", toMany: "City")
            }
        }
        try await store.put("City", ["id": 1], ["id": 2])
        try await store.put("Person", ["id": 1, "home": 1], ["id": 2, "home": 2])
        try await store.change { $0.setLinks(RecordID("Person", 2), "visited", to: [1, 2]) }
        try await store.delete("City", 1)
        trial.expect("who named it", try await store.records(Query("Person")).map { $0["home"] }, is: [.null, 2])
        trial.expect("links to it", try await store.related("Person", 2, "visited"), is: [2])
        try await store.delete("Person", 2)
        trial.expect("the other end", try await store.keys("City"), is: [2])
    }
}
