import ExampleSupport
import StoreSync

/// A remote that shows and records each message, without the values of records.
struct TracedRemote: Remote {
    let remote: any Remote
    let device: String
    let write: @Sendable (String) -> Void
    let record: @Sendable (TimelineEvent) -> Void

    private func sent(_ text: String) {
        write("→ \(text)")
        record(TimelineEvent(device, .request, text))
    }

    private func received(_ text: String) {
        write("← \(text)")
        record(TimelineEvent(device, .response, text))
    }

    func handshake(_ request: HandshakeRequest) async throws -> HandshakeResponse {
        sent("hello: \(request.cursor.map { "I know all up to \($0.sequence)" } ?? "I am new")")
        let response = try await remote.handshake(request)
        received("the last change is \(response.sequence)")
        return response
    }

    func pull(_ request: PullRequest) async throws -> PullResponse {
        sent("what have others changed since \(request.cursor.sequence)?")
        let page = try await remote.pull(request)
        let entries = page.entries.map { $0.state == .deleted ? "-\($0.id)" : "\($0.id)" }
        received("\(page.entries.isEmpty ? "nothing" : entries.joined(separator: ", "))")
        return page
    }

    func push(_ request: PushRequest) async throws -> PushResponse {
        sent("push \(request.name.number): \(request.mutations.map(\.text).joined(separator: ", "))")
        let response = try await remote.push(request)
        let answers = zip(request.mutations, response.outcomes).filter { !$1.isAccepted }
        received("\(answers.isEmpty ? "accepted" : answers.map { "\($0.id): \($1)" }.joined(separator: ", "))")
        return response
    }
}

extension Mutation {
    /// The change in short, such as `+Mood phone-1`.
    fileprivate var text: String {
        switch change {
        case .insert: "+\(id)"
        case .update: "~\(id)"
        case .delete: "-\(id)"
        }
    }
}

extension PushResponse.Outcome {
    fileprivate var isAccepted: Bool {
        if case .accepted = self { true } else { false }
    }
}
