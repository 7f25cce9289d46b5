import StoreSync
import SyncPersistence
import Testing

/// A review decides which changes a service accepts.
@Suite(.needsServiceStore) struct ReviewTests {
    private struct Failure: Error {}

    @Test func everyVerdictIsAnOutcomeOfItsOwn() async throws {
        let world = ServiceWorld(
            review: Review { change, _ in
                switch change.mutation.id.key {
                case "refused": .refuse(code: "no", reason: "No.")
                case "unauthorized": .unauthorized
                case "later": .later(after: 7)
                case "error": throw Failure()
                default: .accept
                }
            })
        var phone = try await HandDevice("phone", to: world.service)
        let outcomes = try await phone.push(
            ["refused", "unauthorized", "later", "error", "fine"].map { .insert("Tag", .string($0)) })
        #expect(
            outcomes == [
                .refused(code: "no", reason: "No."), .unauthorized, .later(after: 7), .later(after: nil), .ok,
            ])
        #expect(try await world.records("Tag").map(\.key) == ["fine"])
    }

    @Test func reviewSeesEachChangeWithBothVersions() async throws {
        let review = Review { change, store in
            let known = try store.record(change.mutation.id)
            guard change.isConsequence || known == change.old else { return .unauthorized }
            let seen = "\(change.device) \(change.old?["color"] ?? .null) \(change.new?["color"] ?? .null)"
            return .refuse(code: change.isConsequence ? "consequence" : "change", reason: seen)
        }
        let world = ServiceWorld()
        var phone = try await HandDevice("phone", to: world.service)
        _ = try await phone.push(
            .insert("Tag", "red", ["color": "old"]), .insert("Task", 1), .link(1, "red"))
        let strict = SyncService(world.store, account: "ada", review: review)
        phone.number += 1
        let outcomes = try await strict.push(
            phone.request([
                .update("Tag", "red", ["color": "new"]), .insert("Tag", "blue", ["color": "new"]),
                .delete(ServiceWorld.links, ["red", 1]), .delete("Task", 1),
                .update("Task", 1, ["title": .null]),
            ])
        ).outcomes
        #expect(
            outcomes[..<4] == [
                .refused(code: "change", reason: "phone \"old\" \"new\""),
                .refused(code: "change", reason: "phone null \"new\""),
                .refused(code: "change", reason: "phone null null"),
                .refused(code: "change", reason: "phone null null"),
            ])
    }

    @Test func consequencesAreReviewedToo() async throws {
        let world = ServiceWorld(
            review: Review { change, _ in
                change.isConsequence && change.old?.entity == "Task" ? .unauthorized : .accept
            })
        var phone = try await HandDevice("phone", to: world.service)
        _ = try await phone.push(
            .insert("Project", 1), .insert("Task", 1, ["project": 1]), .insert("Project", 2), .insert("Task", 2))
        #expect(try await phone.push(.delete("Project", 1), .delete("Project", 2)) == [.unauthorized, .ok])
        #expect(try await phone.push(.delete("Task", 1), .delete("Project", 1)) == [.ok, .ok])
        #expect(try await world.records("Task").count == 1)
    }

    @Test func amendedValuesTravelInTheOutcome() async throws {
        let world = ServiceWorld(
            review: Review { change, _ in
                guard let task = change.new, task.entity == "Task" else { return .accept }
                return .amend(["title": "amended", "isDone": task["isDone"]])
            })
        var phone = try await HandDevice("phone", to: world.service)
        let outcomes = try await phone.push(
            .insert("Task", 1, ["title": "sent", "isDone": true]), .insert("Task", 2, ["title": "amended"]))
        #expect(outcomes == [.accepted(amended: ValueObject(["title": "amended"])), .ok])
        #expect(try await world.record("Task", 1)?["title"] == "amended")
        // The device has it with the response.
        #expect(try await phone.pull().isEmpty)
        let again = try await phone.push(.update("Task", 1, ["title": "sent"]))
        #expect(again == [.accepted(amended: ValueObject(["title": "amended"]))])
    }

    @Test func newRecordIsGivenAnotherKey() async throws {
        let world = ServiceWorld(
            review: Review { change, _ in
                guard change.old == nil, case .integer(let key)? = change.new?.key, key < 0 else { return .accept }
                return .amend(key: .integer(100 - key))
            })
        var phone = try await HandDevice("phone", to: world.service)
        let outcomes = try await phone.push(
            .insert("Task", -3, ["parent": -1]), .insert("Project", -1, ["name": "a"]),
            .insert("Task", -1, ["project": -1]),
            .insert("Tag", "red"), .link(-1, "red"), .insert("Task", -2, ["parent": -2]))
        #expect(
            outcomes == [
                .accepted(key: 103), .accepted(key: 101), .accepted(key: 101), .ok, .ok, .accepted(key: 102),
            ])
        #expect(try await world.record("Task", 101)?["project"] == 101)
        #expect(try await world.record("Task", 103)?["parent"] == 101)
        #expect(try await world.record("Task", 102)?["parent"] == 102)
        #expect(try await world.record(ServiceWorld.links, ["red", 101]) != nil)
        #expect(try await world.content.count == 6)
        #expect(try await phone.pull().isEmpty)
        var tablet = try await HandDevice("tablet", to: world.service)
        #expect(try await tablet.push(.update("Task", 101, ["title": "x"])) == [.ok])
    }

    @Test func linkBeforeItsRecordFollowsTheKey() async throws {
        let world = ServiceWorld(
            review: Review { change, _ in change.mutation.id == RecordID("Task", -1) ? .amend(key: 5) : .accept })
        var phone = try await HandDevice("phone", to: world.service)
        #expect(
            try await phone.push(.link(-1, "red"), .insert("Tag", "red"), .insert("Task", -1)) == [
                .ok, .ok, .accepted(key: 5),
            ])
        #expect(try await world.record(ServiceWorld.links, ["red", 5]) != nil)
    }

    @Test func dependantsOfARefusedRecordWithAnotherKeyAreBlocked() async throws {
        let world = ServiceWorld(
            review: Review { change, _ in change.mutation.id == RecordID("Task", -1) ? .amend(key: 5) : .accept })
        var phone = try await HandDevice("phone", to: world.service)
        let outcomes = try await phone.push(.insert("Task", -1, ["project": 9]), .insert("Task", 2, ["parent": -1]))
        #expect(outcomes == [.blocked(by: RecordID("Project", 9)), .blocked(by: RecordID("Task", -1))])
    }

    @Test(arguments: [
        Review.Verdict.amend(["none": 1]), .amend(["name": "x"]), .amend(["color": 1]), .amend(key: 7),
        .amend(key: .null),
        .amend(key: "taken"), .amend(key: "other"),
    ])
    func impossibleAmendmentIsRefused(verdict: Review.Verdict) async throws {
        let world = ServiceWorld(
            review: Review { change, _ in change.mutation.id.key == "red" ? verdict : .accept })
        try await world.edit { try $0.put(Record("Tag", in: ServiceWorld.schema, ["name": "taken"])) }
        var phone = try await HandDevice("phone", to: world.service)
        let outcomes = try await phone.push(.insert("Tag", "other"), .insert("Tag", "red"), .insert("Tag", "blue"))
        #expect(outcomes[0] == .ok && outcomes[2] == .ok)
        #expect(["amendment", "wrongType"].contains(outcomes[1].code))
        #expect(try await world.records("Tag").count == 3)
    }

    @Test func storedRecordIsGivenNoOtherKey() async throws {
        let world = ServiceWorld(review: Review { change, _ in change.old == nil ? .accept : .amend(key: 9) })
        var phone = try await HandDevice("phone", to: world.service)
        _ = try await phone.push(.insert("Task", 1))
        #expect(try await phone.push(.update("Task", 1, ["title": "x"])).map(\.code) == ["amendment"])
        #expect(try await phone.push(.delete("Task", 1)) == [.ok])
    }
}
