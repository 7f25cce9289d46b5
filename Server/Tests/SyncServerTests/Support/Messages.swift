import Foundation
import HTTPSync
import SyncPersistence
import SyncValues
import TestSupport

/// A device that writes its messages itself, so that it can write faulty ones.
struct ManualDevice {
    let server: ServerProcess
    var name = "phone"
    var account = "ada"
    var epoch = ""

    init(_ server: ServerProcess, _ name: String = "phone", account: String = "ada") async throws {
        (self.server, self.name, self.account) = (server, name, account)
        let response = try await send(handshake)
        epoch = try HandshakeResponse(data: response.body).epoch
    }

    /// The message that introduces the device.
    var handshake: HandshakeRequest {
        HandshakeRequest(
            device: name, cursor: nil, lastPush: nil,
            entities: ["List": ["name", "color"], "Note": ["id", "title", "list"]])
    }

    /// Returns a pull from a position.
    func pull(_ sequence: Int64 = 0, epoch: String? = nil) -> PullRequest {
        PullRequest(device: name, cursor: SyncCursor(epoch: epoch ?? self.epoch, sequence: sequence))
    }

    /// Returns a push that inserts a list.
    func insertion(_ list: String, color: String = "red", number: Int64 = 1, push: String = "p") -> PushRequest {
        self.push(
            [
                Mutation(
                    RecordID("List", .string(list)),
                    .insert(ValueObject(members: ["name": .string(list), "color": .string(color)])))
            ], number: number, push: push)
    }

    /// Returns a push.
    func push(
        _ mutations: [Mutation], number: Int64 = 1, push: String = "p", epoch: String? = nil, base: Int64 = 0
    ) -> PushRequest {
        PushRequest(
            device: name, name: PushName(number: number, name: push),
            base: SyncCursor(epoch: epoch ?? self.epoch, sequence: base), mutations: mutations)
    }

    /// Sends a message.
    func send(_ message: some SyncMessage) async throws -> RawResponse {
        let path =
            switch message {
            case is HandshakeRequest: "/sync/v1/handshake"
            case is PullRequest: "/sync/v1/pull"
            default: "/sync/v1/push"
            }
        return try await server.send(
            RawRequest.post(path, message.data, token: TestTokens.token(account.jsonEscaped)))
    }

    /// Returns the records that a pull receives.
    func records() async throws -> [PullResponse.Entry] {
        try PullResponse(data: try await send(pull()).body).entries
    }
}

extension ValueObject {
    /// Creates an object with sorted members.
    init(members: [String: Value]) {
        self.init(members.sorted { $0.key < $1.key }.map { Member(name: $0.key, value: $0.value) })
    }
}

extension String {
    /// The text within the quotes of its JSON.
    var jsonEscaped: String {
        String(((try? Value.string(self).json([])) ?? "\"\"").dropFirst().dropLast())
    }
}

extension RawResponse {
    /// The code in the JSON of an error.
    var code: String? {
        guard case .object(let object)? = try? Value(json: body), case .string(let code)? = object["error"] else {
            return nil
        }
        return code
    }
}
