import StoreSync
import SyncPersistence

extension SimulatedWorld {
    /// Returns the service's answer to a request; nil if its store has failed, so that there is none.
    mutating func answer(
        _ request: SimulatedMessage.Request, in message: SimulatedMessage
    ) async -> SimulatedMessage.Answer? {
        if service.throttleNext() { return .failed(.throttled(after: 1)) }
        if message.isElsewhere {
            if case .handshake = request { return .otherAccount }
            report.addFault(.leak, "device \(message.device) sends \(request) to another account")
            return .failed(.unauthorized)
        }
        // A relay belongs to an account before it has devices of its own.
        let server = devices[message.device].server
        if server == .relay && !self[server].content.hasAccount { return .failed(.later()) }
        let former = self[server].content.historyEnd
        let answer = await answer(request, at: server)
        report.checkHistory(from: former, to: self[server].content.historyEnd)
        if case .pull(let request) = request, case .pull(let page)? = answer {
            report.checkCursor(of: page, after: request.cursor)
        }
        return answer
    }

    /// What the service of a device has stored.
    func servedContent(of device: Int) -> InMemoryContent { self[devices[device].server].content }

    /// Lets the service or the relay answer a request over its store.
    ///
    /// A failure of the store leaves the device without an answer, as a crash of the server would. Its file is opened
    /// again. Neither the history nor the position after a page may go back.
    private mutating func answer(
        _ request: SimulatedMessage.Request, at server: SimulatedPlace
    ) async -> SimulatedMessage.Answer? {
        do {
            return try await withServer(server) { try await $0.answer(request) }
        } catch let error as RemoteError {
            return .failed(error)
        } catch is SimulatedFailure {
            report.count(.serviceStoreFailure)
            await reopenFile(of: server)
            return nil
        } catch {
            report.addFault(.error, "the service throws \(error)")
            return .failed(.later())
        }
    }

    /// Lets a body work with the service or the relay, whose stored state is put in before and taken out afterwards.
    ///
    /// The server objects are shared by all states of an exploration, so they keep nothing of a state themselves.
    mutating func withServer<Result>(
        _ place: SimulatedPlace, failing isFailing: Bool = true, _ body: (SimulatedServer) async throws -> Result
    ) async rethrows -> Result {
        let server = place == .service ? environment.service : environment.relay
        environment.setNames(server.prefix, count: service.nameCount)
        environment.setRefuses(service.refuses)
        defer { service.nameCount = environment.nameCount }
        return try await self[place].use(server.store, failing: isFailing) { try await body(server) }
    }
}
