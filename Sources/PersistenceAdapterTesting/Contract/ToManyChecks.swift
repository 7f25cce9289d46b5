import SyncPersistence

/// Checks of relationships to many: both ends share their links, and orders are kept.
///
/// Links of two relationships to many are records of a shape of their own, with the keys of both ends and their
/// positions. An adapter stores them like other records.
///
/// If a check of this topic fails, look at records whose key has two parts, and at queries for one of the parts. Look
/// also at sorting by a position.
enum ToManyChecks {
    /// The checks of the topic, in the order in which they run.
    static let all = [
        ContractCheck("toMany.links", links),
        ContractCheck("toMany.linksWithoutInverse", linksWithoutInverse),
        ContractCheck("toMany.linksOfDeletedRecords", linksOfDeletedRecords),
        ContractCheck("toMany.orderedLinks", orderedLinks),
        ContractCheck("toMany.orderedAtBothEnds", orderedAtBothEnds),
        ContractCheck("toMany.orderedInverse", orderedInverse),
        ContractCheck("toMany.toItself", toItself),
        ContractCheck("toMany.symmetric", symmetric),
        ContractCheck("toMany.symmetricOrdered", symmetricOrdered),
    ]

    /// Makes a store with three notes and four tags, without links.
    private static func tags(
        _ trial: Trial, isOrdered: Bool = false, isInverseOrdered: Bool = false, hasInverse: Bool = true
    ) async throws -> TestStore {
        let store = try await trial.store(
            Schema([
                Entity(
                    "Note", attributes: [Attribute("id", .integer, isPrimaryKey: true)],
                    relationships: [
                        Relationship("tags", toMany: "Tag", isOrdered: isOrdered, inverse: hasInverse ? "notes" : nil)
                    ]),
                Entity(
                    "Tag", attributes: [Attribute("name", .string, isPrimaryKey: true)],
                    relationships: hasInverse
                        ? [Relationship("notes", toMany: "Note", isOrdered: isInverseOrdered, inverse: "tags")] : []),
            ]))
        try await store.put("Note", ["id": 1], ["id": 2], ["id": 3])
        try await store.put("Tag", ["name": "a"], ["name": "b"], ["name": "c"], ["name": "d"])
        return store
    }

    /// Checks linking, unlinking and setting links from both ends.
    ///
    /// Repeated links change nothing, and links to missing records are refused as a whole.
    ///
    /// Look at keys of links, which have two parts, and at equality look-ups by one of them.
    static func links(_ trial: Trial) async throws {
        let store = try await tags(trial)
        let (one, b) = (RecordID("Note", 1), RecordID("Tag", "b"))
        let commit = try await store.change {
            $0.link(one, "tags", to: "a")
            $0.link(b, "notes", to: 2)
            $0.link(b, "notes", to: 1)
            $0.link(one, "tags", to: "b")
        }
        trial.expect("how many links are new", commit.inserted.count, is: 3)
        trial.expect("from one end", try await store.related("Note", 1, "tags"), is: ["a", "b"])
        trial.expect("from the other", try await store.related("Tag", "b", "notes"), is: [2, 1])
        let tags = try await store.read { try $0.relatedRecords(one, "tags") }
        trial.expect("related records", tags, hasKeys: ["a", "b"])
        let again = try await store.change { $0.link(one, "tags", to: "a") }
        trial.expect("a link that is there", again.isEmpty, is: true)
        try await store.change { $0.unlink(b, "notes", from: 1) }
        trial.expect("an unlink", try await store.related("Note", 1, "tags"), is: ["a"])
        let none = try await store.change { $0.unlink(b, "notes", from: 1) }
        trial.expect("an unlink of no link", none.isEmpty, is: true)
        try await store.change { $0.setLinks(one, "tags", to: ["c", "d", "c"]) }
        trial.expect("links that are set", try await store.related("Note", 1, "tags"), is: ["c", "d"])
        trial.expect("who had one", try await store.related("Tag", "a", "notes"), is: [])
        try await store.change { $0.setLinks(one, "tags", to: []) }
        trial.expect("links that are set to none", try await store.related("Note", 1, "tags"), is: [])
        try await trial.expectRefusal(.danglingReference, "a link to no record", by: store) {
            $0.link(one, "tags", to: "z")
        }
        try await trial.expectRefusal(.danglingReference, "a link from no record", by: store) {
            $0.link(RecordID("Note", 9), "tags", to: "a")
        }
        try await trial.expectRefusal(.danglingReference, "links of which one leads to no record", by: store) {
            $0.setLinks(one, "tags", to: ["a", "z"])
        }
    }

    /// Checks links that only one end declares.
    ///
    /// The deletion of the other end must still delete them.
    ///
    /// Look at the index for the end of a link that no relationship names.
    static func linksWithoutInverse(_ trial: Trial) async throws {
        let store = try await tags(trial, hasInverse: false)
        try await store.change {
            $0.setLinks(RecordID("Note", 1), "tags", to: ["b", "a"])
            $0.link(RecordID("Note", 2), "tags", to: "a")
        }
        trial.expect("links", try await store.related("Note", 1, "tags"), is: ["b", "a"])
        try await store.delete("Tag", "a")
        trial.expect("links to a deleted one", try await store.related("Note", 1, "tags"), is: ["b"])
        trial.expect("links to a deleted one", try await store.related("Note", 2, "tags"), is: [])
    }

    /// Checks that links are deleted with their record.
    ///
    /// A record that is stored again with the key must not have the old links back.
    ///
    /// Look at soft deletion: a link that is only marked as deleted must not return.
    static func linksOfDeletedRecords(_ trial: Trial) async throws {
        let store = try await tags(trial)
        try await store.change {
            $0.setLinks(RecordID("Note", 1), "tags", to: ["a", "b"])
            $0.setLinks(RecordID("Note", 2), "tags", to: ["a"])
        }
        let commit = try await store.delete("Note", 1)
        trial.expect("how many links go with a record", commit.cascaded.count, is: 2)
        trial.expect("the other end", try await store.related("Tag", "a", "notes"), is: [2])
        try await store.put("Note", ["id": 1])
        trial.expect("links of a record that is stored anew", try await store.related("Note", 1, "tags"), is: [])
        try await store.delete("Tag", "a")
        trial.expect("from the other end", try await store.related("Note", 2, "tags"), is: [])
    }

    /// Makes the changes one by one, and checks the order after each.
    private static func expectOrders(
        _ trial: Trial, _ store: TestStore, _ id: RecordID, _ name: String, _ steps: [(ChangeSet.Operation, [Value])]
    ) async throws {
        for (operation, expected) in steps {
            try await store.change { $0.add(operation) }
            trial.expect("the order after \(operation)", try await store.related(id.entity, id.key, name), is: expected)
        }
    }

    /// Returns changes of an order, each with the expected keys after it.
    ///
    /// They insert, move, remove and set, also beyond both ends.
    private static func orderSteps(_ id: RecordID, _ name: String, _ a: Value, _ b: Value, _ c: Value, _ d: Value)
        -> [(ChangeSet.Operation, [Value])]
    {
        [
            (.setLinks(id, relationship: name, to: [c, a]), [c, a]),
            (.link(id, relationship: name, to: b, at: nil), [c, a, b]),
            (.link(id, relationship: name, to: d, at: 0), [d, c, a, b]),
            (.link(id, relationship: name, to: a, at: 1), [d, a, c, b]),
            (.link(id, relationship: name, to: d, at: 99), [a, c, b, d]),
            (.link(id, relationship: name, to: c, at: -5), [c, a, b, d]),
            (.link(id, relationship: name, to: c, at: nil), [a, b, d, c]),
            (.unlink(id, relationship: name, from: b), [a, d, c]),
            (.link(id, relationship: name, to: b, at: 2), [a, d, b, c]),
            (.setLinks(id, relationship: name, to: [d, c, b, a]), [d, c, b, a]),
            (.setLinks(id, relationship: name, to: [b, d]), [b, d]),
            (.setLinks(id, relationship: name, to: []), []),
        ]
    }

    /// Checks the order of links, with and without an inverse.
    ///
    /// Setting the present order is no change.
    ///
    /// Look at sorting by a position with an equality on another column.
    static func orderedLinks(_ trial: Trial) async throws {
        for hasInverse in [true, false] {
            let store = try await tags(trial, isOrdered: true, hasInverse: hasInverse)
            let id = RecordID("Note", 1)
            try await expectOrders(trial, store, id, "tags", orderSteps(id, "tags", "a", "b", "c", "d"))
            try await store.change { $0.setLinks(id, "tags", to: ["c", "a", "b"]) }
            let same = try await store.change { $0.setLinks(id, "tags", to: ["c", "a", "b"]) }
            trial.expect("the same order", same.isEmpty, is: true)
            try await store.delete("Tag", "a")
            trial.expect("the order after a deletion", try await store.related("Note", 1, "tags"), is: ["c", "b"])
        }
    }

    /// Checks that both ends of links keep orders of their own.
    ///
    /// A change of one order must not affect the other.
    ///
    /// Look at updates of one of two position columns.
    static func orderedAtBothEnds(_ trial: Trial) async throws {
        let store = try await tags(trial, isOrdered: true, isInverseOrdered: true)
        try await store.change {
            $0.setLinks(RecordID("Note", 1), "tags", to: ["b", "a"])
            $0.setLinks(RecordID("Note", 2), "tags", to: ["a", "b", "c"])
            $0.setLinks(RecordID("Tag", "a"), "notes", to: [3, 2, 1])
        }
        trial.expect("the one order", try await store.related("Tag", "a", "notes"), is: [3, 2, 1])
        trial.expect("the other", try await store.related("Note", 1, "tags"), is: ["b", "a"])
        trial.expect("what came at the end", try await store.related("Note", 3, "tags"), is: ["a"])
        try await store.change { $0.link(RecordID("Note", 3), "tags", to: "b", at: 0) }
        trial.expect("the one order", try await store.related("Note", 3, "tags"), is: ["b", "a"])
        trial.expect("the other", try await store.related("Tag", "b", "notes"), is: [1, 2, 3])
    }

    /// Checks the order of records that refer to an owner.
    ///
    /// A record that is taken by another owner leaves the first one's order.
    ///
    /// Look at positions in the records themselves, which are internal slots without a property.
    static func orderedInverse(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("List") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("items", toMany: "Item", isOrdered: true, inverse: "list")
            }
            Entity("Item") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("list", to: "List", inverse: "items")
            }
        }
        try await store.put("List", ["id": 1], ["id": 2])
        try await store.put("Item", ["id": 1], ["id": 2], ["id": 3], ["id": 4])
        let id = RecordID("List", 1)
        try await expectOrders(trial, store, id, "items", orderSteps(id, "items", 1, 2, 3, 4))
        try await store.change {
            $0.setLinks(id, "items", to: [4, 3, 1])
            $0.link(RecordID("List", 2), "items", to: 3)
        }
        trial.expect("who had one", try await store.related("List", 1, "items"), is: [4, 1])
        trial.expect("who has it", try await store.related("List", 2, "items"), is: [3])
        try await store.change { $0.setLinks(RecordID("List", 2), "items", to: [1, 3, 4]) }
        trial.expect("who had them", try await store.related("List", 1, "items"), is: [])
        trial.expect("who has them", try await store.related("List", 2, "items"), is: [1, 3, 4])
    }

    /// Checks links within one entity that have a direction.
    ///
    /// A link is not its own inverse.
    ///
    /// Look at queries by `source` and by `target`: they are different columns, although both have keys of one entity.
    static func toItself(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Page") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("links", toMany: "Page", inverse: "backlinks")
                Relationship("backlinks", toMany: "Page", inverse: "links")
            }
        }
        try await store.put("Page", ["id": 1], ["id": 2], ["id": 3])
        try await store.change {
            $0.setLinks(RecordID("Page", 1), "links", to: [2, 1])
            $0.link(RecordID("Page", 1), "backlinks", to: 3)
        }
        trial.expect("there", try await store.related("Page", 1, "links"), is: [2, 1])
        trial.expect("and back", try await store.related("Page", 1, "backlinks"), is: [1, 3])
        trial.expect("not turned round", try await store.related("Page", 2, "links"), is: [])
        try await store.delete("Page", 1)
        trial.expect("links to a deleted one", try await store.related("Page", 3, "links"), is: [])
        trial.expect("links from a deleted one", try await store.related("Page", 2, "backlinks"), is: [])
    }

    /// Makes a store with four people, without friends.
    ///
    /// The relationship is its own inverse.
    private static func friends(_ trial: Trial, isOrdered: Bool) async throws -> TestStore {
        let store = try await trial.store {
            Entity("Person") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("friends", toMany: "Person", isOrdered: isOrdered, inverse: "friends")
            }
        }
        try await store.put("Person", ["id": 1], ["id": 2], ["id": 3], ["id": 4])
        return store
    }

    /// Checks links that are their own inverse, also of a record with itself.
    ///
    /// Each link is visible from both ends and is deleted with either.
    ///
    /// Look at both ends of a link of a record with itself: it is found once.
    static func symmetric(_ trial: Trial) async throws {
        let store = try await friends(trial, isOrdered: false)
        try await store.change {
            $0.setLinks(RecordID("Person", 1), "friends", to: [2, 3])
            $0.link(RecordID("Person", 4), "friends", to: 1)
            $0.link(RecordID("Person", 4), "friends", to: 4)
        }
        trial.expect("there", try await store.related("Person", 1, "friends"), is: [2, 3, 4])
        trial.expect("and back", try await store.related("Person", 2, "friends"), is: [1])
        trial.expect("with itself", try await store.related("Person", 4, "friends"), is: [1, 4])
        try await store.change { $0.unlink(RecordID("Person", 3), "friends", from: 1) }
        trial.expect("an unlink from the other end", try await store.related("Person", 1, "friends"), is: [2, 4])
        try await store.change { $0.setLinks(RecordID("Person", 1), "friends", to: [3]) }
        trial.expect("links that are set", try await store.related("Person", 3, "friends"), is: [1])
        trial.expect("who had one", try await store.related("Person", 2, "friends"), is: [])
        try await store.delete("Person", 1)
        trial.expect("links to a deleted one", try await store.related("Person", 3, "friends"), is: [])
    }

    /// Checks that each end of a symmetric link has its own position.
    ///
    /// A friend may be the first for one person and the last for the other.
    ///
    /// Look at a link that is found by its second end, whose position is in another column.
    static func symmetricOrdered(_ trial: Trial) async throws {
        let store = try await friends(trial, isOrdered: true)
        try await store.change {
            $0.setLinks(RecordID("Person", 1), "friends", to: [4, 2])
            $0.setLinks(RecordID("Person", 2), "friends", to: [3, 1])
            $0.link(RecordID("Person", 1), "friends", to: 3, at: 1)
        }
        trial.expect("one order", try await store.related("Person", 1, "friends"), is: [4, 3, 2])
        trial.expect("another", try await store.related("Person", 2, "friends"), is: [3, 1])
        trial.expect("what came at the end", try await store.related("Person", 3, "friends"), is: [2, 1])
    }
}
