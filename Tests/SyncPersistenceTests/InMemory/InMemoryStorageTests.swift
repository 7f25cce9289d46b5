import DifferentialSyncTesting
import Foundation
import TestSupport
import Testing

@testable import SyncPersistence

struct InMemoryStorageTests {
    /// Makes a random change, in the storage and in a list of records in the order in which they were first stored.
    private func change(
        _ storage: InMemoryStorage, _ model: inout [Record], _ random: inout Population,
        _ generator: inout SeededGenerator
    ) throws {
        let number = Int64.random(in: 0..<40, using: &generator)
        let place = model.firstIndex { $0.key == .integer(number) }
        switch Int.random(in: 0..<5, using: &generator) {
        case 0, 1:
            let record = random.person(number, count: 40)
            #expect(try storage.put(record) == place.map { model[$0] })
            if let place { model[place] = record } else { model.append(record) }
        case 2:
            guard place == nil else { return }
            let record = random.person(number, count: 40)
            try storage.insert(record)
            model.append(record)
        case 3:
            guard let place else { return }
            model[place]["boss"] = .integer(Int64.random(in: 0..<4, using: &generator))
            _ = try storage.put(model[place])
        default:
            #expect(try storage.remove(.integer(number), in: Staff.person) == place.map { model[$0] })
            if let place { model.remove(at: place) }
        }
    }

    @Test(arguments: 0..<6)
    func storageAgreesWithAPlainListAndRollsBackExactly(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var random = Population(count: 0, seed: seed &+ 1)
        var storage = InMemoryStorage(InMemoryState(schema: Staff.schema))
        var model: [Record] = []
        for transaction in 0..<40 {
            let (before, modelBefore) = (storage.state, model)
            for _ in 0..<Int.random(in: 0..<30, using: &generator) {
                try change(storage, &model, &random, &generator)
            }
            #expect(try storage.records(Query("Person")) == model)
            try storage.state[Staff.person].checkInvariants()
            if generator.happens(0.5) {
                storage.rollBack()
                model = modelBefore
                #expect(storage.state == before, "seed \(seed), transaction \(transaction)")
            } else {
                storage.commit()
            }
            try storage.state[Staff.person].checkInvariants()
            #expect(try storage.records(Query("Person")) == model)
            for number in 0..<40 as Range<Int64> {
                let record = try storage.record(.integer(number), in: Staff.manager)
                #expect(record == model.first { $0.key == .integer(number) })
            }
            if generator.happens(0.3) { storage = InMemoryStorage(storage.state) }
        }
    }

    @Test func rowsAreCompactedInOrderOnceMoreThanHalfAreRemoved() throws {
        let storage = try Population(count: 200, seed: 3).storage
        let people = try storage.records(Query("Person"))
        for record in people.prefix(150) { _ = try storage.remove(record.key, in: Staff.person) }
        #expect(storage.state[Staff.person].rows.count == 200, "not before the commit: it could not be undone")
        storage.commit()
        #expect(storage.state[Staff.person].rows.count == 50)
        try storage.state[Staff.person].checkInvariants()
        #expect(try storage.records(Query("Person")) == Array(people.dropFirst(150)))
    }

    @Test func replacedRecordKeepsItsPlaceAndReinsertedRecordIsLast() throws {
        let storage = InMemoryStorage(InMemoryState(schema: Staff.schema))
        for number in [3, 1, 2] as [Value] { try storage.insert(Record(Staff.person, ["id": number])) }
        #expect(try storage.put(Record(Staff.person, ["id": 1, "string": "x"]))?["string"] == .null)
        #expect(try storage.records(Query("Person")).map(\.key) == [3, 1, 2])
        _ = try storage.remove(3, in: Staff.person)
        _ = try storage.put(Record(Staff.person, ["id": 3]))
        #expect(try storage.records(Query("Person")).map(\.key) == [1, 2, 3])
        #expect(try storage.remove(4, in: Staff.person) == nil)
    }

    @Test func puttingAnEqualRecordWritesNothing() throws {
        let storage = InMemoryStorage(InMemoryState(schema: Staff.schema))
        let record = Record(Staff.person, ["id": 1])
        #expect(try storage.put(record) == nil)
        #expect(try storage.put(record) == record)
    }

    @Test func recordCanChangeToAnotherEntityOfItsHierarchy() throws {
        let storage = InMemoryStorage(InMemoryState(schema: Staff.schema))
        try storage.insert(Record(Staff.person, ["id": 1, "integer": 5]))
        let manager = Record(Staff.manager, ["id": 1, "integer": 5, "level": 2])
        #expect(try storage.put(manager)?.entity == "Person")
        #expect(try storage.records(Query("Manager", where: Field("level") == 2)) == [manager])
        #expect(try storage.records(Query("Person", where: Field("integer") == 5)) == [manager])
        #expect(try storage.record(1, in: Staff.person) == manager)
        try storage.state[Staff.person].checkInvariants()
    }

    @Test func digestsDifferByContent() throws {
        let storage = try Population(count: 30, seed: 5).storage
        let people = try storage.records(Query("Person"))
        var digests: [Value: UInt64] = [:]
        var keys: [Value] = []
        try storage.forEachDigest(Staff.person, where: nil) { key, digest in
            keys.append(key)
            digests[key] = digest
        }
        #expect(keys == people.map(\.key))
        #expect(Set(digests.values).count == people.count)
        for record in people { #expect(digests[record.key] == storage.digest(of: record)) }
        var filtered: [Value] = []
        try storage.forEachDigest(Staff.manager, where: Field("id") < 10) { key, _ in filtered.append(key) }
        #expect(
            filtered == people.filter { $0.shape == Staff.manager }.map(\.key).filter { $0.order(to: 10) == .ascending }
        )
        let twins = [
            Record(Staff.company, ["id": "a"]), Record(Staff.company, ["id": "a", "name": "a"]),
            Record(Staff.person, ["id": 1]), Record(Staff.manager, ["id": 1]),
        ]
        #expect(Set(twins.map(storage.digest)).count == twins.count)
    }

    @Test func digestsDifferByEntity() throws {
        let schema = try Schema([
            Entity("Animal") { Attribute("id", .integer, isPrimaryKey: true) }, Entity("Cat", parent: "Animal"),
        ])
        let storage = InMemoryStorage(InMemoryState(schema: schema))
        let digests = try ["Animal", "Cat"].map { name in
            storage.digest(of: Record(try #require(schema[name]), ["id": 1]))
        }
        #expect(digests[0] != digests[1])
    }

    @Test func recordsOfAnEqualSchemaAreAcceptedAndOthersRefused() throws {
        let storage = InMemoryStorage(InMemoryState(schema: Staff.schema))
        let same = try Schema(Staff.schema.entities)
        try storage.insert(Record(same["Person"]!, ["id": 1]))
        #expect(try storage.record(1, in: same["Person"]!)?.shape === Staff.person)
        let other = try Schema([Entity("Person", attributes: [Attribute("id", .integer, isPrimaryKey: true)])])
        let error = try #require(throws: PersistenceError.self) {
            try storage.insert(Record(other["Person"]!, ["id": 2]))
        }
        #expect(error.code == .schemaChange)
        let unknown = try Schema([Entity("Cat", attributes: [Attribute("id", .integer, isPrimaryKey: true)])])
        let unknownError = try #require(throws: PersistenceError.self) {
            try storage.put(Record(unknown["Cat"]!, ["id": 2]))
        }
        #expect(unknownError.code == .unknownName)
    }
}

extension InMemoryTable {
    /// Whether keys and indexes say what the rows do.
    func checkInvariants() throws {
        let records = rows.enumerated().compactMap { place, row in row.map { (place, $0) } }
        #expect(records.count == count)
        for (place, record) in records { #expect(self.place(of: record.key) == place) }
        for slot in Staff.manager.slots {
            var expected = PlaceIndex()
            for (place, record) in records { expected.insert(place, at: record[slot.name]) }
            if let index = index(of: slot.name) { #expect(index == expected) }
        }
    }
}
