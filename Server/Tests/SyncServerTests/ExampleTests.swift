import Foundation
import Testing

/// The examples in README and in documentation comments are those that the file `Examples.swift` compiles.
@Suite struct ExampleTests {
    @Test func eachExampleIsCompiled() throws {
        let folder = GuideTests.root.appendingPathComponent("Server")
        let compiled = try lines(of: folder.appendingPathComponent("Tests/SyncServerTests/Examples.swift"))
        var count = 0
        let sources = FileManager.default.enumerator(atPath: folder.appendingPathComponent("Sources").path)?
            .compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.map { "Sources/\($0)" }
        for path in try #require(sources) + ["README.md"] {
            for example in examples(in: try lines(of: folder.appendingPathComponent(path))) {
                count += 1
                let isCompiled = compiled.indices.contains { compiled[$0...].starts(with: example) }
                #expect(isCompiled, "\(path): \(example)")
            }
        }
        #expect(count == 3)
    }

    /// Returns the lines of a file, without the marks of comments and the spaces around them.
    private func lines(of file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
            .map { $0.replacing(/^ *\/\/\/ ?/, with: "").trimmingCharacters(in: .whitespaces) }
    }

    private func examples(in lines: [String]) -> [[String]] {
        lines.indices.filter { lines[$0] == "```swift" }.map { start in
            Array(lines[(start + 1)...].prefix { $0 != "```" })
        }
    }
}
