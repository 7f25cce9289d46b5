import StoreSync
import SyncPersistence

extension SimulatedWorld {
    /// Returns the service's answer to a request; nil if its store has failed, so that there is none.
    ///
    /// It checks that the history never goes back within an epoch: neither the number of the last change, nor the
    /// position after a page.
    mutating func answer(
        _ request: SimulatedMessage.Request, in message: SimulatedMessage
    ) async -> SimulatedMessage.Answer? {
        if service.throttledCount > 0 {
            service.throttledCount -= 1
            return .failed(.throttled(after: 1))
        }
        if message.isElsewhere { return answerElsewhere(request, of: message.device) }
        // A relay belongs to an account before it has devices of its own.
        let isRelayed = devices[message.device].isBehindRelay
        if isRelayed && !devices[Self.relay].disk.content.hasAccount { return .failed(.later()) }
        let epoch = history(of: self[servedByRelay: isRelayed].content)
        let answer = await answer(request, isRelayed: isRelayed)
        let later = history(of: self[servedByRelay: isRelayed].content)
        if epoch.name == later.name, epoch.sequence > later.sequence {
            report.addFault(.goesBack, "the service's sequence \(epoch.sequence) is followed by \(later.sequence)")
        }
        if case .pull(let request) = request, case .pull(let page)? = answer, page.cursor.epoch == request.cursor.epoch,
            page.cursor.sequence < request.cursor.sequence
        {
            report.addFault(.goesBack, "a page after \(request.cursor.sequence) ends at \(page.cursor.sequence)")
        }
        return answer
    }

    /// The position of the relay among the devices.
    static let relay = 0

    /// What the service or the relay has stored.
    ///
    /// A relay is a device of the service, and the service of the devices behind it.
    subscript(servedByRelay isRelayed: Bool) -> SimulatedDisk {
        get { isRelayed ? devices[Self.relay].disk : service.disk }
        set { if isRelayed { devices[Self.relay].disk = newValue } else { service.disk = newValue } }
    }

    /// What the service of a device has stored.
    func servedContent(of device: Int) -> InMemoryContent {
        self[servedByRelay: devices[device].isBehindRelay].content
    }

    /// Lets the service or the relay answer a request over its store.
    ///
    /// A failure of the store leaves the device without an answer, as a crash of the server would. Its file is opened
    /// again.
    private mutating func answer(
        _ request: SimulatedMessage.Request, isRelayed: Bool
    ) async -> SimulatedMessage.Answer? {
        do {
            return try await withServer(isRelayed) { server in
                switch request {
                case .handshake(let request): .handshake(try await server.remote.handshake(request))
                case .pull(let request): .pull(try await server.remote.pull(request))
                case .push(let request): .push(try await server.remote.push(request))
                }
            }
        } catch let error as RemoteError {
            return .failed(error)
        } catch is SimulatedFailure {
            report.count(.serviceStoreFailure)
            if isRelayed { await reopenFile(of: Self.relay) } else { await reopenServiceFile() }
            return nil
        } catch {
            report.addFault(.error, "the service throws \(error)")
            return .failed(.later())
        }
    }

    /// Returns the answer of another account, in which nothing must be pulled or pushed.
    private mutating func answerElsewhere(
        _ request: SimulatedMessage.Request, of device: Int
    ) -> SimulatedMessage.Answer {
        guard case .handshake = request else {
            report.addFault(.leak, "device \(device) sends \(request) to another account")
            return .failed(.unauthorized)
        }
        return .handshake(HandshakeResponse(account: "another account", epoch: "another epoch", sequence: 1))
    }

    /// Lets a body work with the service or the relay, whose stored state is put in before and taken out afterwards.
    ///
    /// The server objects are shared by all states of an exploration, so they keep nothing of a state themselves.
    mutating func withServer<Result>(
        _ isRelayed: Bool, failing isFailing: Bool = true, _ body: (SimulatedServer) async throws -> Result
    ) async rethrows -> Result {
        let server = isRelayed ? environment.relay : environment.service
        environment.setNames(isRelayed ? "relay/" : "service/", count: service.nameCount)
        environment.setRefuses(service.refuses)
        defer { service.nameCount = environment.nameCount }
        return try await self[servedByRelay: isRelayed].use(server.store, failing: isFailing) {
            try await body(server)
        }
    }

    /// Returns the epoch and the number of the last change in a store.
    private func history(of content: InMemoryContent) -> (name: String?, sequence: Int64) {
        content.read { transaction in
            (try? transaction.metadata(Self.epochName), (try? transaction.historySequence) ?? 0)
        }
    }

    /// The metadata with the epoch of a service.
    static let epochName = "sync.service.epoch"
}
