package import StoreSync
import SyncPersistence

/// A message on its way.
///
/// The simulation keeps messages in a list, from which the script delivers, loses or copies any. So the network delays
/// and reorders them as the script says.
package struct SimulatedMessage: Hashable, Sendable {
    /// The number of the request, which its answer has too.
    package let number: Int
    /// The device that has sent the request.
    package let device: Int
    /// Whether the device was signed in to another account when it sent the request.
    var isElsewhere = false
    /// Whether the message was sent a second time by the network.
    var isCopy = false
    /// The request or the answer.
    package let body: Body

    /// Creates a message that was sent once.
    package init(number: Int, device: Int, isElsewhere: Bool = false, body: Body) {
        (self.number, self.device, self.isElsewhere, self.body) = (number, device, isElsewhere, body)
    }

    /// Whether the message goes to the service, or to the relay.
    var isRequest: Bool { if case .request = body { true } else { false } }

    /// The content of a message, which states its direction.
    package enum Body: Hashable, Sendable {
        /// From a device to the service, or to the relay.
        case request(Request)
        /// From the service or the relay to the device of the request.
        case answer(Answer)
    }

    /// A request of a device.
    package enum Request: Hashable, Sendable {
        /// The first request of a cycle.
        case handshake(HandshakeRequest)
        /// The request for a page.
        case pull(PullRequest)
        /// The local changes of the device.
        case push(PushRequest)
    }

    /// The answer to a request.
    package enum Answer: Hashable, Sendable {
        case handshake(HandshakeResponse)
        case pull(PullResponse)
        case push(PushResponse)
        /// A failure that the service reports. A request that is lost has no answer at all.
        case failed(RemoteError)

        /// The handshake of another account, from which nothing must be pulled, and to which nothing must be pushed.
        static let otherAccount = Answer.handshake(
            HandshakeResponse(account: "another account", epoch: "another epoch", sequence: 1))
    }
}

extension SimulatedMessage: CustomStringConvertible {
    /// The message in a line of a trace, such as `#7 of device 1: pull after epoch 1/12`.
    package var description: String { "#\(number) of device \(device): \(body)" }
}

extension SimulatedMessage.Body: CustomStringConvertible {
    package var description: String {
        switch self {
        case .request(let request): request.description
        case .answer(let answer): answer.description
        }
    }
}

extension SimulatedMessage.Request: CustomStringConvertible {
    package var description: String {
        switch self {
        case .handshake(let request):
            "handshake of \(request.device) at \(request.cursor.text), push \(request.lastPush?.number ?? 0)"
        case .pull(let request): "pull after \(Optional(request.cursor).text)"
        case .push(let request):
            "push \(request.name.number) on \(Optional(request.base).text): "
                + request.mutations.map { mutation in
                    switch mutation.change {
                    case .insert(let values): "insert \(mutation.id) \(values.text)"
                    case .update(let values): "update \(mutation.id) \(values.text)"
                    case .delete: "delete \(mutation.id)"
                    }
                }.joined(separator: ", ")
        }
    }
}

extension SimulatedMessage.Answer: CustomStringConvertible {
    package var description: String {
        switch self {
        case .handshake(let response):
            "epoch \(response.epoch), sequence \(response.sequence), horizon \(response.horizon)"
        case .pull(let response):
            "page to \(Optional(response.cursor).text)\(response.hasMore ? " of more" : ""): "
                + response.entries.map { entry in
                    switch entry.state {
                    case .present(let values): "\(entry.id) \(values.text)"
                    case .deleted: "\(entry.id) deleted"
                    case .outOfScope: "\(entry.id) out of scope"
                    }
                }.joined(separator: ", ")
        case .push(let response):
            "outcomes \(response.name.number): " + response.outcomes.map { "\($0)" }.joined(separator: ", ")
        case .failed(let error): "failed: \(error)"
        }
    }
}

extension SyncCursor? {
    /// The position in a trace, such as `service/1/12`.
    fileprivate var text: String { map { "\($0.epoch)/\($0.sequence)" } ?? "the beginning" }
}

extension ValueObject {
    /// The values in a trace, such as `(title: "dig", isDone: true)`.
    fileprivate var text: String { "(" + members.map { "\($0.name): \($0.value)" }.joined(separator: ", ") + ")" }
}
