import Foundation
import HTTPSync
import TestSupport
import Testing

/// A running server, which is killed with the object.
final class ServerProcess {
    let folder: TemporaryFolder
    let process: ChildProcess
    let port: UInt16
    private(set) var firstLines: [String] = []

    /// Starts a server, and waits until it listens.
    ///
    /// - Parameters:
    ///   - flags: More flags.
    ///   - database: The value of `--database`; nil for files in the folder.
    ///   - schema: The schema; nil for that of the tests.
    ///   - model: The path of a schema instead.
    ///   - folder: The folder of a server before; nil for a new one.
    init(
        _ flags: [String] = [], database: String? = nil, schema: Schema? = nil, model: String? = nil,
        in folder: TemporaryFolder? = nil
    ) throws {
        let folder = folder ?? TemporaryFolder()
        self.folder = folder
        var words =
            try TestSchema.prepare(folder, schema) + [
                "--database", database ?? "sqlite:\(folder.file("stores/"))", "--port", "0",
            ]
        if let model { words[1] = model }
        // The log goes to a file, because nothing reads it meanwhile.
        process = try ChildProcess(
            "/bin/sh",
            ["-c", #"log=$1; shift; exec "$@" 2>>"$log""#, "sh", folder.file("log")]
                + [try ChildProcess.path(of: "sync-server")] + words + flags,
            environment: ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SYNC_") })
        var text = ""
        while !text.contains("\n") {
            let data = process.output.availableData
            if data.isEmpty {
                throw ServerFailure(log: String(decoding: folder.contents(of: "log") ?? Data(), as: UTF8.self))
            }
            text += String(decoding: data, as: UTF8.self)
        }
        firstLines = text.split(separator: "\n").map(String.init)
        port = try #require(firstLines.first?.split(separator: ":").last.flatMap { UInt16($0) })
    }

    /// A server that did not start.
    struct ServerFailure: Error { let log: String }

    /// The address of the server.
    var url: URL { get throws { try #require(URL(string: "http://127.0.0.1:\(port)")) } }

    /// The lines of the log so far.
    var log: String { String(decoding: folder.contents(of: "log") ?? Data(), as: UTF8.self) }

    /// Asks the server to end.
    func terminate() { kill(process.id, SIGTERM) }

    /// The remote of an account's device.
    func remote(_ account: String = "ada") throws -> HTTPRemote {
        HTTPRemote(try url) { _ in TestTokens.token(account) }
    }

    /// Sends a request and reads the response.
    func send(_ request: RawRequest) async throws -> RawResponse {
        let port = port
        return try await inThread { try RawConnection(port).send(request) }
    }

    /// Sends a message of the protocol.
    func post(_ path: String, _ json: String, token: String = TestTokens.token("ada")) async throws -> RawResponse {
        try await send(RawRequest.post(path, Data(json.utf8), token: token))
    }

    /// Reads a path with the token of operators.
    func page(_ path: String) async throws -> RawResponse {
        try await send(RawRequest("GET", path, [("Authorization", "Bearer \(TestTokens.operatorToken)")]))
    }
}

/// Runs the body on a thread of its own, because it blocks.
func inThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}
