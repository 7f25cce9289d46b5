import StoreSync
import Testing

/// What the response to a push says about the history that the device knows.
@Suite struct KnownSequenceTests {
    private let world = ServiceWorld()

    /// Sends a push; returns the number up to which the device knows the history, and that of the last change.
    private func push(_ device: inout HandDevice, _ mutations: Mutation...) async throws -> (Int64?, Int64) {
        device.number += 1
        let request = PushRequest(
            device: device.id, name: PushName(number: device.number, name: "\(device.id) \(device.number)"),
            base: device.cursor, mutations: mutations)
        let response = try await world.service.push(request)
        #expect(try PushResponse(data: response.data) == response)
        #expect(try await world.service.push(request) == response)
        return (response.knownSequence, try await world.store.read { try $0.historySequence })
    }

    @Test func aDeviceKnowsItsOwnChanges() async throws {
        var phone = try await HandDevice("phone", to: world.service)
        #expect(try await push(&phone, .insert("Tag", "red"), .insert("Tag", "blue")) == (2, 2))
        #expect(try await push(&phone, .insert("Tag", "green")) == (3, 3))
        #expect(try await push(&phone, .insert("Tag", "green")) == (3, 3), "nothing has changed")
    }

    @Test func aChangeOfAnotherDeviceInBetweenIsNotKnown() async throws {
        var phone = try await HandDevice("phone", to: world.service)
        var laptop = try await HandDevice("laptop", to: world.service)
        #expect(try await push(&phone, .insert("Tag", "red")) == (1, 1))
        #expect(try await push(&laptop, .insert("Tag", "blue")) == (nil, 2))
        #expect(try await push(&phone, .insert("Tag", "green")) == (nil, 3))
        phone.cursor = SyncCursor(epoch: phone.cursor.epoch, sequence: 3)
        #expect(try await push(&phone, .insert("Tag", "grey")) == (4, 4))
    }

    @Test func aConsequenceIsNotKnown() async throws {
        var phone = try await HandDevice("phone", to: world.service)
        try await world.edit {
            try $0.put(Record("Project", in: ServiceWorld.schema, ["id": 1]))
            try $0.put(Record("Task", in: ServiceWorld.schema, ["id": 1, "project": 1]))
        }
        phone.cursor = SyncCursor(epoch: phone.cursor.epoch, sequence: 2)
        let (known, last) = try await push(&phone, .delete("Project", 1))
        #expect(known == nil && last > 3)
    }
}
