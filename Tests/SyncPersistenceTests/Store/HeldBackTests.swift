import DifferentialSync
import SyncPersistence
import Testing

/// Changes of the remote that the journal keeps beside local changes.
struct HeldBackTests {
    private let schema = try! Schema {
        Entity("Person") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("name", .string)
            Relationship("seat", to: "Seat", inverse: "person")
        }
        Entity("Seat") {
            Attribute("id", .integer, isPrimaryKey: true)
            Relationship("person", to: "Person", inverse: "seat")
        }
    }

    private func person(_ id: Int64, _ name: Value, seat: Value = .null) -> Record {
        Record(schema["Person"]!, ["id": .integer(id), "name": name, "seat": seat])
    }

    private func change(_ origin: ChangeSet.Origin, _ records: Record...) -> ChangeSet {
        var changes = ChangeSet(origin: origin)
        for record in records { changes.put(record) }
        return changes
    }

    private func entry(_ id: Int64, in store: InMemoryAdapter) async throws -> JournalEntry? {
        try await store.read { try $0.journalEntry(RecordID("Person", .integer(id))) }
    }

    /// A store with a person that has a local change.
    private func store(_ id: Int64) async throws -> InMemoryAdapter {
        let store = InMemoryAdapter(schema: schema)
        try await store.commit(change(.agreed, person(id, "old")))
        try await store.commit(change(.local, person(id, "mine")))
        return store
    }

    @Test(arguments: [ChangeSet.Origin.local, .remote, .agreed])
    func recordWhoseConflictIsResolvedLaterInTheTransactionIsNotListed(origin: ChangeSet.Origin) async throws {
        let store = try await store(1)
        let commit = try await store.write { transaction in
            try transaction.apply(change(.remote, person(1, "theirs")))
            #expect(transaction.heldBack == [RecordID("Person", 1)])
            try transaction.apply(change(origin, person(1, origin == .remote ? "mine" : "theirs")))
        }.commit
        #expect(commit.heldBack == [])
        #expect(try await entry(1, in: store) == nil)
    }

    @Test func versionThatEqualsARecordWithoutItsTakenReferenceIsKept() async throws {
        let store = InMemoryAdapter(schema: schema)
        let seats = ([7, 8] as [Value]).map { Record(schema["Seat"]!, ["id": $0]) }
        try await store.commit(change(.agreed, seats[0], seats[1], person(1, "old", seat: 7), person(2, "old")))
        try await store.commit(change(.local, person(1, "mine", seat: 8)))
        let commit = try await store.commit(change(.remote, person(2, "old", seat: 8), person(1, "mine")))
        #expect(Set(commit.heldBack) == [RecordID("Person", 1), RecordID("Person", 2)])
        #expect(try await store.read { try $0.record(RecordID("Person", 1)) } == person(1, "mine", seat: 8))
        let expected = JournalEntry(
            id: RecordID("Person", 1), base: person(1, "old", seat: 7), isUnresolved: true, remote: person(1, "mine"))
        #expect(try await entry(1, in: store) == expected)
    }

    /// A store with a seat and three persons, of whom the first has taken the seat locally.
    private func storeWithSeat() async throws -> InMemoryAdapter {
        let store = InMemoryAdapter(schema: schema)
        let seat = Record(schema["Seat"]!, ["id": 8])
        try await store.commit(change(.agreed, seat, person(1, "old"), person(2, "old"), person(3, "old")))
        try await store.commit(change(.local, person(1, "old", seat: 8)))
        return store
    }

    /// Expects that only the first person has the seat, as a local change.
    private func expectLocalSeat(in store: InMemoryAdapter) async throws {
        let holders = Query("Person", where: Field("seat") == 8)
        #expect(try await store.read { try $0.records(holders) } == [person(1, "old", seat: 8)])
        #expect(try await entry(1, in: store) == JournalEntry(id: RecordID("Person", 1), base: person(1, "old")))
    }

    @Test(arguments: [true, false])
    func referenceComesBackIfTheRecordThatTookItIsDeleted(isOneChangeSet: Bool) async throws {
        let store = try await storeWithSeat()
        let commit = try await store.write { transaction in
            var taking = change(.remote, person(2, "old", seat: 8))
            if isOneChangeSet { taking.delete(RecordID("Person", 2)) }
            try transaction.apply(taking)
            var deletion = ChangeSet(origin: .remote)
            deletion.delete(RecordID("Person", 2))
            if !isOneChangeSet { try transaction.apply(deletion) }
        }.commit
        #expect(commit.deleted == [RecordID("Person", 2)] && commit.updated == [] && commit.heldBack == [])
        try await expectLocalSeat(in: store)
    }

    @Test func recordThatTakesAFreedReferenceWaitsForTheEdit() async throws {
        let store = try await storeWithSeat()
        let taken = person(3, "old", seat: 8)
        let commit = try await store.commit(change(.remote, person(2, "old", seat: 8), person(2, "old"), taken))
        #expect(commit.heldBack == [RecordID("Person", 3)])
        try await expectLocalSeat(in: store)
        #expect(try await entry(3, in: store)?.remote == taken)
    }

    @Test(arguments: [true, false])
    func recordThatTakesAReferenceFromADeletedOneWaitsForTheEdit(isFreed: Bool) async throws {
        let store = try await storeWithSeat()
        var changes = change(.remote, person(2, "old", seat: 8))
        if isFreed { changes.put(person(2, "old")) }
        changes.put(person(3, "old", seat: 8))
        changes.delete(RecordID("Person", 2))
        let commit = try await store.commit(changes)
        #expect(commit.deleted == [RecordID("Person", 2)] && commit.heldBack == [RecordID("Person", 3)])
        try await expectLocalSeat(in: store)
    }

    @Test(arguments: [true, false])
    func deletionOfATargetThatWasTakenFromAnEditWaits(isTakerDeleted: Bool) async throws {
        let store = try await storeWithSeat()
        var changes = change(.remote, person(2, "old", seat: 8))
        changes.delete(RecordID("Seat", 8))
        if isTakerDeleted { changes.delete(RecordID("Person", 2)) }
        let commit = try await store.commit(changes)
        #expect(commit.deleted == (isTakerDeleted ? [RecordID("Person", 2)] : []))
        #expect(commit.heldBack == [RecordID("Seat", 8)])
        try await expectLocalSeat(in: store)
        let seat = try await store.read { try $0.journalEntry(RecordID("Seat", 8)) }
        #expect(seat?.base != nil && seat?.isUnresolved == true && seat?.remote == nil)
    }

    @Test func referenceWithoutALocalChangeStaysTaken() async throws {
        let store = try await storeWithSeat()
        try await store.commit(change(.agreed, Record(schema["Seat"]!, ["id": 9]), person(3, "old", seat: 9)))
        var changes = change(.remote, person(2, "old", seat: 8), person(2, "old", seat: 9))
        changes.delete(RecordID("Person", 2))
        try await store.commit(changes)
        #expect(try await store.read { try $0.record(RecordID("Person", 3)) } == person(3, "old"))
        try await expectLocalSeat(in: store)
    }

    @Test(arguments: [true, false])
    func twoRecordsNeverHaveOneTargetIfOneOfThemWaits(isTakerFirst: Bool) async throws {
        let store = try await storeWithSeat()
        try await store.commit(change(.agreed, Record(schema["Seat"]!, ["id": 7]), person(2, "old", seat: 7)))
        let (taking, following) = (person(2, "old", seat: 8), person(3, "old", seat: 7))
        let (first, second) = isTakerFirst ? (taking, following) : (following, taking)
        let commit = try await store.commit(change(.remote, first, second))
        // If the third person takes the seat first, the second one has lost it before it waits.
        let earlier = person(2, "old", seat: isTakerFirst ? 7 : .null)
        #expect(Set(commit.heldBack.map(\.key)) == (isTakerFirst ? [2, 3] : [2]))
        #expect(try await store.read { try $0.record(RecordID("Person", 2)) } == earlier)
        let other = try await store.read { try $0.record(RecordID("Person", 3)) }
        #expect(other == (isTakerFirst ? person(3, "old") : following))
        let expected = JournalEntry(id: RecordID("Person", 2), base: earlier, isUnresolved: true, remote: taking)
        #expect(try await entry(2, in: store) == expected)
        #expect(try await entry(3, in: store)?.remote == (isTakerFirst ? following : nil))
        try await expectLocalSeat(in: store)
    }

    @Test func recordThatWaitsLosesTheTargetThatALocalChangeHasTaken() async throws {
        let store = try await storeWithSeat()
        try await store.commit(change(.agreed, Record(schema["Seat"]!, ["id": 7]), person(2, "old", seat: 7)))
        let taking = person(2, "old", seat: 8)
        let commit = try await store.write { transaction in
            try transaction.apply(change(.remote, taking))
            try transaction.apply(change(.local, person(3, "old", seat: 7)))
        }.commit
        #expect(commit.heldBack == [RecordID("Person", 2)])
        #expect(try await store.read { try $0.record(RecordID("Person", 2)) } == person(2, "old"))
        #expect(try await store.read { try $0.record(RecordID("Person", 3)) } == person(3, "old", seat: 7))
        let expected = JournalEntry(
            id: RecordID("Person", 2), base: person(2, "old"), isUnresolved: true, remote: taking)
        #expect(try await entry(2, in: store) == expected)
        try await expectLocalSeat(in: store)
    }

    @Test func recordsThatHaveRotatedTheirTargetsWaitTogether() async throws {
        let office = try await Office()
        try await office.expectWaiting(
            [1, 2, 3],
            after: [
                office.person(1), office.person(2, seat: 1), office.person(3, seat: 2),
                office.person(1, seat: 3, boss: 9),
            ])
    }

    @Test func recordsThatHaveTheTargetsOfAnotherWaitWithIt() async throws {
        let office = try await Office()
        try await office.store.commit(change(.agreed, office.person(1, seat: 1, phone: 4)))
        try await office.expectWaiting(
            [1, 2, 3],
            after: [
                office.person(1), office.person(2, seat: 1), office.person(3, seat: 3, phone: 4),
                office.person(1, seat: 2, boss: 9),
            ])
    }

    @Test(arguments: [true, false])
    func recordsThatMustHaveTheirExchangedTargetsAreKept(isDirect: Bool) async throws {
        let office = try await Office(isSeatOptional: false)
        try await office.store.commit(change(.agreed, office.person(3, seat: 3, boss: 1)))
        let (first, second) = (office.person(1, seat: 2, boss: 9), office.person(2, seat: 1))
        try await office.expectWaiting(
            [1, 2], after: isDirect ? [first, second] : [office.person(1, seat: 4), second, first])
    }

    @Test func recordWaitsWithTheReferenceThatAnotherWaitingOneHasTaken() async throws {
        let office = try await Office()
        let full = office.person(1, seat: 2, phone: 4, boss: 9)
        try await office.expectWaiting([1, 2], after: [office.person(2), full, office.person(2, phone: 4)])
        #expect(try await entry(1, in: office.store)?.remote == full)
        #expect(try await entry(2, in: office.store)?.remote == office.person(2, phone: 4))
    }

    @Test func recordsThatAreTriedAgainTogetherInVainStayAsTheyWere() async throws {
        let store = try await storeWithSeat()
        try await store.commit(change(.agreed, Record(schema["Seat"]!, ["id": 9]), person(2, "old", seat: 9)))
        let (leaving, following) = (person(2, "old", seat: 8), person(3, "old", seat: 9))
        for record in [leaving, following] { try await store.commit(change(.remote, record)) }
        let entries = Set(try await store.read { try $0.journal(of: "Person") })
        for (first, second) in [(leaving, following), (following, leaving)] {
            let commit = try await store.commit(change(.agreed, first, second))
            #expect(commit.changes.isEmpty && commit.heldBack == [])
            #expect(Set(try await store.read { try $0.journal(of: "Person") }) == entries)
            try await expectLocalSeat(in: store)
        }
        try await store.commit(change(.local, person(1, "old")))
        try await store.commit(change(.agreed, following, leaving))
        let persons = try await store.read { try $0.records(Query("Person", sort: [Query.SortKey("id")])) }
        #expect(persons == [person(1, "old"), leaving, following])
        #expect(try await store.read { try $0.journal(of: "Person") } == [])
    }

    @Test(arguments: [true, false])
    func recordThatMustHaveAReferenceHasItWhileItWaits(isTakerFirst: Bool) async throws {
        let schema = try Schema {
            Entity("Person") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("seat", to: "Seat", inverse: "person", isOptional: false)
            }
            Entity("Seat") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("person", to: "Person", inverse: "seat")
            }
        }
        func person(_ id: Value, seat: Value) -> Record { Record(schema["Person"]!, ["id": id, "seat": seat]) }
        let store = InMemoryAdapter(schema: schema)
        let seats = ([7, 8, 9] as [Value]).map { Record(schema["Seat"]!, ["id": $0]) }
        try await store.commit(
            change(.agreed, seats[0], seats[1], seats[2], person(1, seat: 9), person(2, seat: 7)))
        try await store.commit(change(.local, person(1, seat: 8)))
        let (taking, following) = (person(2, seat: 8), person(3, seat: 7))
        let (first, second) = isTakerFirst ? (taking, following) : (following, taking)
        let commit = try await store.commit(change(.remote, first, second))
        #expect(commit.changes.isEmpty && Set(commit.heldBack.map(\.key)) == [2, 3])
        let persons = try await store.read { try $0.records(Query("Person", sort: [Query.SortKey("id")])) }
        #expect(persons == [person(1, seat: 8), person(2, seat: 7)])
    }

    @Test func bothSidesOfASymmetricReferenceAgreeIfTheRecordThatTookItIsDeleted() async throws {
        let schema = try Schema {
            Entity("Person") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("friend", to: "Person", inverse: "friend")
            }
        }
        let store = InMemoryAdapter(schema: schema)
        let persons = ([1, 2, 3] as [Value]).map { Record(schema["Person"]!, ["id": $0]) }
        try await store.commit(change(.agreed, persons[0], persons[1], persons[2]))
        try await store.commit(change(.local, Record(schema["Person"]!, ["id": 1, "friend": 2])))
        var changes = change(.remote, Record(schema["Person"]!, ["id": 3, "friend": 1]))
        changes.delete(RecordID("Person", 3))
        try await store.commit(changes)
        let friends = try await store.read { try $0.records(Query("Person", sort: [Query.SortKey("id")])) }
        let first = friends[0]["friend"]
        #expect(first.isNull ? friends[1]["friend"].isNull : first == 2 && friends[1]["friend"] == 1)
    }

    @Test func mandatoryReferenceComesBackIfTheRecordThatTookItIsDeleted() async throws {
        let schema = try Schema {
            Entity("Person") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("seat", to: "Seat", inverse: "person", isOptional: false)
            }
            Entity("Seat") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("person", to: "Person", inverse: "seat")
            }
        }
        let store = InMemoryAdapter(schema: schema)
        let person = Record(schema["Person"]!, ["id": 1, "seat": 8])
        try await store.commit(change(.agreed, Record(schema["Seat"]!, ["id": 8]), person))
        var changes = change(.remote, Record(schema["Person"]!, ["id": 2, "seat": 8]))
        changes.delete(RecordID("Person", 2))
        let commit = try await store.commit(changes)
        #expect(commit.changes.isEmpty && commit.heldBack == [])
        #expect(try await store.read { try $0.record(RecordID("Person", 1)) } == person)
        #expect(try await entry(1, in: store) == nil)
    }

    @Test(arguments: [ChangeSet.Origin.remote, .agreed])
    func editThatResolvesAConflictDoesSoUnderANewKey(origin: ChangeSet.Origin) async throws {
        let store = try await store(-1)
        try await store.commit(change(.remote, person(-1, "theirs")))
        #expect(try await entry(-1, in: store)?.isUnresolved == true)
        try await store.write { transaction in
            try transaction.apply(change(.local, person(-1, "theirs")))
            try transaction.changeKey(of: RecordID("Person", -1), to: 7, origin: origin)
        }
        #expect(try await store.read { try $0.record(RecordID("Person", 7)) } == person(7, "theirs"))
        #expect(try await store.read { try $0.journal(of: "Person") } == [])
    }

    @Test func recordWithANewKeyIsListedUnderIt() async throws {
        let store = try await store(-1)
        let commit = try await store.write { transaction in
            try transaction.apply(change(.remote, person(-1, "theirs")))
            try transaction.changeKey(of: RecordID("Person", -1), to: 7, origin: .remote)
        }.commit
        #expect(commit.heldBack == [RecordID("Person", 7)])
        let expected = JournalEntry(
            id: RecordID("Person", 7), base: person(7, "old"), isUnresolved: true, remote: person(7, "theirs"))
        #expect(try await entry(7, in: store) == expected)
    }

    @Test(arguments: [false, true])
    func recordThatWaitsBesideAnEmptyJournalIsListed(isAlone: Bool) async throws {
        let store = InMemoryAdapter(schema: schema)
        var changes = change(.remote, person(1, "a", seat: 7))  // there is no seat 7
        if !isAlone { changes.put(person(2, "b")) }
        #expect(try await store.commit(changes).heldBack == [RecordID("Person", 1)])
    }

    @Test func recordOfAnotherEntityThanItsShadowIsListedUnderItsNewKey() async throws {
        let schema = try Schema {
            Entity("Animal") { Attribute("id", .integer, isPrimaryKey: true) }
            Entity("Dog", parent: "Animal") {}
            Entity("Cat", parent: "Animal") {}
        }
        let store = InMemoryAdapter(schema: schema)
        try await store.commit(change(.agreed, Record(schema["Dog"]!, ["id": -1])))
        try await store.commit(change(.local, Record(schema["Cat"]!, ["id": -1])))
        let commit = try await store.write { transaction in
            var deletion = ChangeSet(origin: .remote)
            deletion.delete(RecordID("Animal", -1))
            try transaction.apply(deletion)
            try transaction.changeKey(of: RecordID("Animal", -1), to: 7, origin: .remote)
        }.commit
        #expect(commit.heldBack == [RecordID("Cat", 7)])
        #expect(try await store.read { try $0.journalEntry(RecordID("Animal", 7)) }?.isUnresolved == true)
    }
}

/// A store with three persons, of whom each has the seat of its number, and no person 9.
private struct Office {
    let store: InMemoryAdapter

    init(isSeatOptional: Bool = true) async throws {
        let schema = try Schema {
            Entity("Person") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("seat", to: "Seat", inverse: "person", isOptional: isSeatOptional)
                Relationship("phone", to: "Phone", inverse: "person")
                Relationship("boss", to: "Person")
            }
            for name in ["Seat", "Phone"] {
                Entity(name) {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("person", to: "Person", inverse: name.lowercased())
                }
            }
        }
        store = InMemoryAdapter(schema: schema)
        var changes = ChangeSet(origin: .agreed)
        for id in [1, 2, 3, 4] as [Value] {
            for name in ["Seat", "Phone"] { changes.put(Record(store.schema[name]!, ["id": id])) }
            if id != 4 { changes.put(person(id, seat: id)) }
        }
        try await store.commit(changes)
    }

    func person(_ id: Value, seat: Value = .null, phone: Value = .null, boss: Value = .null) -> Record {
        Record(store.schema["Person"]!, ["id": id, "seat": seat, "phone": phone, "boss": boss])
    }

    /// Stores persons of the remote, and expects that none changes because some wait.
    func expectWaiting(_ keys: Set<Value>, after persons: [Record]) async throws {
        let query = Query("Person", sort: [Query.SortKey("id")])
        let initial = try await store.read { try $0.records(query) }
        var changes = ChangeSet(origin: .remote)
        for person in persons { changes.put(person) }
        let commit = try await store.commit(changes)
        #expect(commit.changes.isEmpty && Set(commit.heldBack.map(\.key)) == keys)
        #expect(try await store.read { try $0.records(query) } == initial)
    }
}
