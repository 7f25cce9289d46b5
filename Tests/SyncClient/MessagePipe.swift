import Foundation
import StoreSync

/// Messages through the standard input and output: a byte with the kind, four with the length, and the message.
enum MessagePipe {
    enum Kind: UInt8 {
        case handshake
        case pull
        case push
        /// Lets the service make a change of its own.
        case edit
    }

    /// Reads a message; nil at the end of the input, also in the middle of a message.
    static func read() -> (Kind, Data)? {
        guard let head = bytes(5), let kind = Kind(rawValue: head[0]) else { return nil }
        let count = head[1...].reduce(0) { $0 << 8 | Int($1) }
        return bytes(count).map { (kind, Data($0)) }
    }

    /// Writes a message; ends the process if the other end is closed.
    static func write(_ kind: Kind, _ data: Data) {
        var bytes = Data([kind.rawValue])
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: data.count >> shift)) }
        do { try FileHandle.standardOutput.write(contentsOf: bytes + data) } catch { exit(0) }
    }

    /// Sends a request and returns the response; nil if the other end is closed.
    static func send(_ kind: Kind, _ data: Data) -> Data? {
        write(kind, data)
        return read().flatMap { $0.0 == kind ? $0.1 : nil }
    }

    private static func bytes(_ count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard let part = try? FileHandle.standardInput.read(upToCount: count - bytes.count), !part.isEmpty else {
                return nil
            }
            bytes += part
        }
        return bytes
    }
}

/// The service at the other end of the standard input and output.
struct PipeRemote: Remote {
    func handshake(_ request: HandshakeRequest) async throws -> HandshakeResponse {
        try HandshakeResponse(data: send(.handshake, request.data))
    }

    func pull(_ request: PullRequest) async throws -> PullResponse {
        try PullResponse(data: send(.pull, request.data))
    }

    func push(_ request: PushRequest) async throws -> PushResponse {
        try PushResponse(data: send(.push, request.data))
    }

    private func send(_ kind: MessagePipe.Kind, _ data: Data) throws -> Data {
        guard let response = MessagePipe.send(kind, data) else { throw RemoteError.later() }
        return response
    }
}
