import Foundation
import HTTPSync
import SyncPersistence
import SyncValues
import TestSupport
import Testing

/// The commands of the guide have the responses that it states.
@Suite struct GuideTests {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static var curl: String? {
        ["/usr/bin/curl", "/bin/curl"].first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private func guideSchema() throws -> Schema {
        try Schema([
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("title", .string)
            }
        ])
    }

    @Test(.enabled(if: curl != nil, "curl is not installed; install it with: apt-get install curl"))
    func eachCurlExampleHasItsResponse() async throws {
        let server = try ServerProcess(["--wait-seconds", "1"], schema: guideSchema())
        // The guide's account has a note of another device.
        let laptop = InMemoryAdapter(schema: try guideSchema())
        try await laptop.write { transaction in
            var changes = ChangeSet()
            changes.put(try Record("Note", in: laptop.schema, ["id": 1, "title": "Dig"]))
            try transaction.apply(changes)
        }
        try await laptop.synchronize(with: server.remote())
        let guide = try String(
            contentsOf: Self.root.appendingPathComponent("Sources/HTTPSync/HTTPSync.docc/ServingDevices.md"),
            encoding: .utf8)
        let examples = guide.matches(of: /```sh\n(curl [^`]*)```\n\n```json\n([^`]*)```/)
        #expect(examples.count == 4)
        var epoch = "a1"
        for example in examples {
            let command = String(example.1).replacing("https://example.org", with: "http://127.0.0.1:\(server.port)")
                .replacing(#""epoch":"a1""#, with: #""epoch":"\#(epoch)""#)
            let curl = try ChildProcess(
                "/bin/sh", ["-c", command],
                environment: ["TOKEN": TestTokens.token("ada"), "PATH": "/usr/bin:/bin"])
            let (code, output, errors) = curl.finish()
            #expect(code == 0, "\(errors)")
            if let response = try? HandshakeResponse(data: Data(output.utf8)) { epoch = response.epoch }
            // Each server has an epoch of its own.
            let received = try Value(json: output.replacing(epoch, with: "a1"))
            #expect(try received == Value(json: String(example.2)), "\(output)")
        }
    }
}
