import StoreSync
import SyncPersistence
import Testing

/// What a service does not store of a push, while it stores the rest.
@Suite(.needsServiceStore) struct PushCheckTests {
    @Test(arguments: [
        (Mutation.insert("Nothing", 1), "unknownName"),
        (.insert("sync.metadata", "sync.service.epoch", ["value": "x"]), "unknownName"),
        (.update("sync.metadata", "sync.service.epoch", ["value": "x"]), "unknownName"),
        (.delete("sync.metadata", "sync.service.epoch"), "unknownName"),
        (.delete("sync.history", ["Tag", "\"red\""]), "unknownName"),
        (.insert("sync.journal.Tag", "red"), "unknownName"),
        (.insert("Animal", 1), "wrongType"),
        (.insert("Tag", 1), "wrongType"),
        (.insert("Tag", .null), "wrongType"),
        (.insert("Tag", ["red"]), "wrongType"),
        (.insert("Bill", 1), "wrongType"),
        (.insert("Bill", [2026]), "wrongType"),
        (.insert("Bill", [2026, .null]), "wrongType"),
        (.insert("Bill", [2026, 1, 2]), "wrongType"),
        (.delete("Bill", [2026, "x"]), "wrongType"),
        (.delete("Tag", .array([])), "wrongType"),
        (.insert(ServiceWorld.links, [1]), "wrongType"),
        (.insert("Task", 5, ["title": 7]), "wrongType"),
        (.insert("Task", 5, ["isDone": .null]), "missingValue"),
        (.insert("Person", 1), "missingValue"),
        (.insert("Task", 5, ["id": 6]), "wrongType"),
        (.insert("Task", 5, ["none": 6]), "unknownName"),
        (.insert("Task", 5, ["tags": ["red"]]), "unknownName"),
        (.update("Task", 5, ["title": "x"]), "missingRecord"),
        (.update("Task", 1, ["title": 7]), "wrongType"),
        (.update("Task", 1, ["isDone": .null]), "missingValue"),
        (.update("Cat", 2, ["lives": 1]), "missingRecord"),
    ])
    func badMutationIsRefusedAlone(bad: Mutation, code: String) async throws {
        let world = ServiceWorld()
        var phone = try await HandDevice("phone", to: world.service)
        _ = try await phone.push(.insert("Task", 1, ["title": "a"]), .insert("Dog", 2))
        let epoch = try await world.store.read { try $0.metadata("sync.service.epoch") }
        let outcomes = try await phone.push(
            .update("Task", 1, ["title": "b"]), bad, .insert("Tag", "blue"))
        #expect(outcomes[1].code == code || bad.id == RecordID("Task", 1))
        #expect(outcomes[2] == .ok)
        #expect(try await world.record("Task", 1)?["title"] == "b")
        #expect(try await world.store.read { try $0.metadata("sync.service.epoch") } == epoch)
        #expect(try await world.content.count == 3)
        let alone = try await phone.push(bad)
        #expect(alone[0].code == code)
    }

    @Test func onlyTheFirstChangeOfARecordIsMade() async throws {
        let world = ServiceWorld()
        var phone = try await HandDevice("phone", to: world.service)
        let outcomes = try await phone.push(
            .insert("Tag", "red"), .update("Tag", "red", ["color": "x"]), .delete("Tag", "red"), .insert("Cat", 1),
            .insert("Dog", 1))
        #expect(outcomes.map(\.code) == [nil, "duplicate", "duplicate", nil, "duplicate"])
        #expect(try await world.record("Tag", "red")?["color"] == .null)
    }

    @Test func recordWithoutItsTargetIsBlockedWithItsDependants() async throws {
        let world = ServiceWorld()
        var phone = try await HandDevice("phone", to: world.service)
        let outcomes = try await phone.push(
            .link(3, "red"), .insert("Task", 3, ["parent": 2]), .insert("Task", 2, ["parent": 1]),
            .insert("Task", 1, ["project": 9]), .insert("Tag", "red"), .insert("Task", 4, ["parent": 5]),
            .insert("Task", 5, ["parent": 4]), .insert("Task", 6, ["parent": 6]))
        #expect(
            outcomes == [
                .blocked(by: RecordID("Task", 3)), .blocked(by: RecordID("Task", 2)),
                .blocked(by: RecordID("Task", 1)), .blocked(by: RecordID("Project", 9)), .ok, .ok, .ok, .ok,
            ])
        #expect(try await world.content.count == 4)
    }

    @Test func recordIsBlockedByARefusedOne() async throws {
        let world = ServiceWorld()
        var phone = try await HandDevice("phone", to: world.service)
        var tablet = try await HandDevice("tablet", to: world.service)
        _ = try await tablet.push(.insert("Project", 2, ["name": "there"]))
        let outcomes = try await phone.push(
            .insert("Project", 1, ["name": 1]), .insert("Task", 1, ["project": 1]),
            .insert("Project", 2, ["name": "here"]), .insert("Task", 2, ["project": 2]))
        #expect(outcomes[1] == .blocked(by: RecordID("Project", 1)))
        // The other writer's record is a target as well.
        #expect(outcomes[2...] == [.conflict, .ok])
    }

    @Test func storedReferenceIsNotCheckedAgain() async throws {
        let world = ServiceWorld()
        var phone = try await HandDevice("phone", to: world.service)
        _ = try await phone.push(.insert("Project", 1), .insert("Task", 1, ["project": 1]))
        #expect(try await phone.push(.update("Task", 1, ["project": 1, "title": "x"])) == [.ok])
    }

    @Test func targetOfAnotherEntityBlocks() async throws {
        let schema = try Schema {
            Entity("Animal") { Attribute("id", .integer, isPrimaryKey: true) }
            Entity("Cat", parent: "Animal") {}
            Entity("Dog", parent: "Animal") {}
            Entity("Flap") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("cat", to: "Cat")
            }
        }
        let world = ServiceWorld(ServiceStores.make(schema))
        var phone = try await HandDevice("phone", to: world.service)
        let outcomes = try await phone.push(
            .insert("Dog", 1), .insert("Flap", 1, ["cat": 1]), .insert("Cat", 2), .insert("Flap", 2, ["cat": 2]))
        #expect(outcomes == [.ok, .blocked(by: RecordID("Animal", 1)), .ok, .ok])
        // What the checks do not see, the store refuses for the record alone.
        let next = try await phone.push(.insert("Dog", 2), .insert("Cat", 3), .update("Flap", 2, ["cat": 2]))
        #expect(next[0] != .ok && next[2] == .ok)
        #expect(try await world.record("Animal", 2)?.entity == "Cat")
    }

    /// Each device counts the keys of notes by itself.
    @Test func recordIsBlockedByANewOneWhoseCountedKeyAnotherHas() async throws {
        let schema = try Schema {
            Entity("Note") {
                Attribute("text", .string)
                Relationship("lines", toMany: "Line", inverse: "note")
            }
            Entity("Line") {
                Attribute("text", .string)
                Relationship("note", to: "Note", inverse: "lines")
            }
        }
        let world = ServiceWorld(ServiceStores.make(schema))
        var phone = try await HandDevice("phone", to: world.service)
        var tablet = try await HandDevice("tablet", to: world.service)
        _ = try await tablet.push(.insert("Note", 1, ["text": "there"]))
        #expect(
            try await phone.push(.insert("Note", 1, ["text": "here"]), .insert("Line", 1, ["note": 1])) == [
                .conflict, .blocked(by: RecordID("Note", 1)),
            ])
        // The device knows the note that it updates.
        #expect(
            try await phone.push(.update("Note", 1, ["text": "here"]), .insert("Line", 1, ["note": 1])) == [
                .conflict, .ok,
            ])
    }
}

/// The delete rules of records that a push deletes.
@Suite(.needsServiceStore) struct PushDeletionTests {
    private func world() async throws -> (ServiceWorld, HandDevice, HandDevice) {
        let world = ServiceWorld()
        var phone = try await HandDevice("phone", to: world.service)
        _ = try await phone.push(
            .insert("Project", 1), .insert("Project", 2), .insert("Task", 1, ["project": 1]),
            .insert("Task", 2, ["parent": 1]), .insert("Tag", "red"), .link(1, "red"),
            .insert("Bill", [2026, 1], ["project": 2]))
        _ = try await phone.pull()
        return (world, phone, try await HandDevice("tablet", to: world.service))
    }

    @Test func consequencesAreMadeAndPulledByThePusherToo() async throws {
        var (world, phone, _) = try await world()
        #expect(try await phone.push(.delete("Project", 1)) == [.ok])
        #expect(try await world.record("Task", 2)?["parent"] == .null)
        #expect(try await world.records(ServiceWorld.links).isEmpty)
        let pulled = try await phone.pull()
        #expect(
            Set(pulled.filter { $0.state == .deleted }.map(\.id)) == [
                RecordID("Task", 1), RecordID(ServiceWorld.links, ["red", 1]),
            ])
        #expect(pulled.count == 3)
    }

    @Test func deletionThatReachesAChangeOfAnotherIsAConflict() async throws {
        var (world, phone, tablet) = try await world()
        _ = try await tablet.push(.update("Task", 1, ["title": "x"]), .insert("Task", 3, ["parent": 2]))
        #expect(
            try await phone.push(.delete("Project", 1), .delete("Task", 2), .insert("Tag", "b")) == [
                .conflict, .conflict, .ok,
            ])
        #expect(try await world.records("Task").count == 3)
        #expect(try await phone.push(.delete("Tag", "red")) == [.ok])
        _ = try await phone.pull()
        #expect(try await phone.push(.delete("Project", 1), .delete("Task", 2)) == [.ok, .ok])
    }

    @Test func equalChangeOfAReachedRecordIsStillThatOfAnother() async throws {
        var (world, phone, tablet) = try await world()
        _ = try await tablet.push(.update("Task", 1, ["title": "x", "isDone": true]))
        let outcomes = try await phone.push(.update("Task", 1, ["title": "x"]), .delete("Project", 1))
        #expect(outcomes == [.ok, .conflict])
        #expect(try await world.record("Task", 1)?["isDone"] == true)
    }

    @Test func deletionWithAConflictingChildIsBlocked() async throws {
        var (world, phone, tablet) = try await world()
        _ = try await tablet.push(.update("Task", 1, ["title": "x"]))
        let outcomes = try await phone.push(.delete("Task", 1), .delete("Project", 1))
        #expect(outcomes == [.conflict, .blocked(by: RecordID("Task", 1))])
        #expect(try await world.records("Project").count == 2)
    }

    @Test func deniedDeletionIsRefusedUnlessThePushDeletesTheRest() async throws {
        var (world, phone, tablet) = try await world()
        #expect(
            try await phone.push(.delete("Project", 2), .insert("Tag", "b")).map(\.code) == ["deletionDenied", nil])
        _ = try await tablet.push(.insert("Bill", [2026, 2], ["project": 1]))
        #expect(try await phone.push(.delete("Project", 1)) == [.conflict])
        #expect(try await phone.push(.delete("Project", 2), .delete("Bill", [2026, 1])) == [.ok, .ok])
        #expect(try await world.records("Bill").count == 1)
    }

    @Test func recordMovedAwayIsNotDeleted() async throws {
        var (world, phone, _) = try await world()
        #expect(try await phone.push(.delete("Project", 1), .update("Task", 1, ["project": 2])) == [.ok, .ok])
        #expect(try await world.record("Task", 1)?["project"] == 2)
    }

    @Test func recordThatCouldNotBeMovedAwayKeepsItsOwner() async throws {
        var (world, phone, _) = try await world()
        let outcomes = try await phone.push(.update("Task", 1, ["project": 2, "title": 1]), .delete("Project", 1))
        #expect(outcomes[1] == .blocked(by: RecordID("Task", 1)))
        #expect(try await world.record("Task", 1)?["project"] == 1)
    }

    @Test func mandatoryReferenceKeepsItsTarget() async throws {
        var (world, phone, _) = try await world()
        _ = try await phone.push(.insert("Desk", 1), .insert("Person", 1, ["desk": 1]))
        #expect(try await phone.push(.delete("Desk", 1)).map(\.code) == ["missingValue"])
        #expect(try await phone.push(.delete("Person", 1), .delete("Desk", 1)) == [.ok, .ok])
        #expect(try await world.records("Desk").isEmpty)
    }

    @Test func recordThatADeletionOfThePushTakesWithItIsNotAccepted() async throws {
        var (world, phone, _) = try await world()
        let outcomes = try await phone.push(
            .insert("Task", 9, ["project": 1]), .update("Task", 1, ["title": "x"]), .delete("Project", 1))
        #expect(outcomes.map(\.code) == ["danglingReference", nil, nil])
        #expect(try await world.records("Task").map(\.key) == [2])
        // It has no trace of the one, and the other is deleted by the service.
        #expect(try await phone.pull().contains { $0.id == RecordID("Task", 1) && $0.state == .deleted })
    }
}

/// One-to-one references that a push takes from other records.
@Suite(.needsServiceStore) struct PushDisplacementTests {
    private func world() async throws -> (ServiceWorld, HandDevice, HandDevice) {
        let world = ServiceWorld()
        var phone = try await HandDevice("phone", to: world.service)
        _ = try await phone.push(
            .insert("Desk", 1), .insert("Desk", 2), .insert("Desk", 3), .insert("Person", 1, ["desk": 1]),
            .insert("Person", 2, ["desk": 2, "partner": 1]), .insert("Person", 3, ["desk": 3]))
        _ = try await phone.pull()
        return (world, phone, try await HandDevice("tablet", to: world.service))
    }

    @Test func mandatoryReferenceIsNotTaken() async throws {
        var (world, phone, _) = try await world()
        let outcomes = try await phone.push(.update("Person", 1, ["desk": 2]), .insert("Desk", 4))
        #expect(outcomes.map(\.code) == ["missingValue", nil])
        #expect(try await world.record("Person", 1)?["desk"] == 1)
    }

    @Test func referencesAreExchangedByOnePush() async throws {
        var (world, phone, _) = try await world()
        #expect(
            try await phone.push(.update("Person", 1, ["desk": 2]), .update("Person", 2, ["desk": 1])) == [.ok, .ok])
        #expect(try await world.record("Person", 1)?["desk"] == 2)
        #expect(try await world.record("Person", 2)?["desk"] == 1)
        let blocked = try await phone.push(
            .update("Person", 1, ["desk": 1]), .update("Person", 2, ["desk": 2, "name": 1]))
        #expect(blocked[0] == .blocked(by: RecordID("Person", 2)) && blocked[1].code == "wrongType")
    }

    @Test func referenceOfARecordThatAnotherChangedIsAConflict() async throws {
        var (world, phone, tablet) = try await world()
        _ = try await tablet.push(.update("Person", 2, ["name": "Eve"]))
        #expect(try await phone.push(.update("Person", 3, ["partner": 1])) == [.conflict])
        _ = try await phone.pull()
        #expect(try await phone.push(.update("Person", 3, ["partner": 1])) == [.ok])
        #expect(try await world.record("Person", 1)?["partner"] == 3)
        #expect(try await world.record("Person", 2)?["partner"] == .null)
        // The pusher did not send them, so it receives them.
        #expect(try await phone.pull().count == 2)
    }

    @Test func valuesThatTheServiceChangesTravelWithTheOutcome() async throws {
        var (world, phone, _) = try await world()
        let outcomes = try await phone.push(
            .update("Person", 1, ["name": "Ann"]), .update("Person", 3, ["partner": 1]))
        #expect(outcomes == [.accepted(amended: ValueObject(["partner": 3])), .ok])
        #expect(try await world.record("Person", 1)?["partner"] == 3)
    }

    @Test func mandatoryReferenceGoesToOneRecordOfAPush() async throws {
        var (world, phone, _) = try await world()
        let outcomes = try await phone.push(
            .insert("Desk", 9), .insert("Person", 8, ["desk": 9]), .insert("Person", 9, ["desk": 9]),
            .insert("Person", 7, ["desk": 1]), .update("Person", 1, ["name": "x"]))
        #expect(outcomes.map(\.code) == [nil, nil, "missingValue", "missingValue", nil])
        #expect(try await world.records("Person").count == 4)
    }
}
