import DifferentialSyncTesting
import StoreSync
import SyncCoordination
import SyncPersistence
import Testing

/// The examples of *DifferentialSyncTesting* about whole stores.
struct TestingStoresExamples {
    struct ToDo: Codable, Equatable, Identifiable {
        let id: Int
        var title: String
    }

    private let schema: Schema

    init() throws {
        schema = try Schema {
            Entity("ToDo") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("title", .string)
            }
        }
    }

    @Test(.timeLimit(.minutes(1))) func anAppWithACoordinator() async throws {
        let service = SyncService(InMemoryAdapter(schema: schema), account: "ada")
        let (phone, tablet) = (InMemoryAdapter(schema: schema), InMemoryAdapter(schema: schema))
        let todos = try await phone.collection(of: ToDo.self, entity: "ToDo")
        let others = try await tablet.collection(of: ToDo.self, entity: "ToDo")
        try await todos.insert(ToDo(id: 1, title: "Dig"))
        for device in [phone, tablet] { try await device.synchronize(with: service) }

        try await todos.remove(1)
        try await others.edit(1) { $0.title = "Dig deep" }
        let policies = SyncPolicies(.keepEdits(otherwise: .leaveOpen))
        for device in [tablet, phone] { try await device.synchronize(with: service, policies: policies) }
        #expect(try await todos.element(1)?.title == "Dig deep")
        for device in [phone, tablet] { #expect(try await device.syncState.isSettled) }

        try await loseAnAnswer(todos, of: phone, service)
        try await loseAnAnswerToACoordinator(todos, of: phone, service)
        try await tablet.synchronize(with: service)
        #expect(try await others.elements().map(\.title).sorted() == ["Dig deep", "Sow", "Water"])
    }

    private func loseAnAnswer(
        _ todos: PersistentCollection<ToDo, Int>, of phone: InMemoryAdapter, _ service: SyncService
    ) async throws {
        try await todos.insert(ToDo(id: 2, title: "Sow"))
        let remote = FaultyStoreRemote(service) { request in
            if case .push = request { .answerLost } else { .delivered }
        }
        try await phone.synchronize(with: remote)
        #expect(try await phone.syncState.inFlight == [RecordID("ToDo", 2)])  // The service has it already.
        try await phone.synchronize(with: service)  // asks, and knows
        #expect(try await phone.syncState.isSettled)
    }

    private func loseAnAnswerToACoordinator(
        _ todos: PersistentCollection<ToDo, Int>, of phone: InMemoryAdapter, _ service: SyncService
    ) async throws {
        let clock = VirtualClock()
        let remote = FaultyStoreRemote(service) { request in
            if case .push = request, clock.now.elapsed == .zero { .answerLost } else { .delivered }
        }
        let coordinator = SyncCoordinator(of: phone, with: remote, clock: clock)
        try await todos.insert(ToDo(id: 3, title: "Water"))
        await coordinator.start()
        await coordinator.waitUntilIdle()
        #expect(try await phone.syncState.inFlight == [RecordID("ToDo", 3)])
        clock.advance(by: CoordinatorSettings().retries.first)  // the longest delay after one failure
        await coordinator.waitUntilIdle()
        #expect(try await phone.syncState.isSettled)
        await coordinator.stop()
    }
}
