import DifferentialSyncTesting

// What the examples are about. Those parts that guides show stand here as they are shown there.

struct Note: Equatable, Identifiable {
    let id: Int
    var text: String
    var modified = 0
}

extension Note: Codable {
    static let fields: [MergeField<Note>] = [MergeField("text", \.text), MergeField("modified", \.modified)]
}

struct Contact: Equatable, Identifiable {
    let id: Int
    var name: String
    var phone: String
}

extension Contact {
    static let fields: [MergeField<Contact>] = [
        MergeField("name", \.name),
        MergeField("phone", \.phone),
    ]
}

struct Place: Equatable {
    let country: String
    let code: Int
    var name = ""
}

struct ConnectionError: Error {}

/// A server with notes, as apps talk to one.
actor Server {
    private var remote = SimulatedRemote<Note, Int>(primaryKey: \.id)

    /// What becomes of the next messages; after them all is well.
    private var deliveries: [Delivery] = []

    init(_ notes: [Note]) {
        remote.reset(to: notes)
    }

    var version: RemoteVersion? { remote.version }

    func notes() throws -> [Note] { remote.elements }

    /// Changes the notes without asking which version they have.
    func apply(_ changes: Diff<Note>) throws {
        remote.reset(to: try changes.applied(exactlyTo: remote.elements, primaryKey: \.id))
    }

    func pull(since version: RemoteVersion?) throws -> Pull<Note, Int> {
        try deliver(remote.pull(since: version))
    }

    func push(_ push: Push<Note>) throws -> PushAnswer<Note> {
        if deliveries.first == .requestLost { return try deliver(.refused) }
        return try deliver(remote.push(push))
    }

    func status(of pushID: String) throws -> PushStatus<Note> {
        try deliver(remote.status(of: pushID))
    }

    func lose(_ deliveries: [Delivery]) { self.deliveries = deliveries }

    private func deliver<Answer>(_ answer: Answer) throws -> Answer {
        let delivery = deliveries.isEmpty ? Delivery.delivered : deliveries.removeFirst()
        if delivery != .delivered { throw ConnectionError() }
        return answer
    }
}
