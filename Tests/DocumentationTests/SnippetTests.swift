import Testing

/// The code in guides and documentation comments is compiled, and run, by this target.
///
/// To add an example to `README.md`, `CONTRIBUTING.md`, a guide or a documentation comment:
///
/// 1. Write it as a block that begins with three backticks and `swift`. Blocks for the shell begin with `sh` or
///    `console`, and are not looked at.
/// 2. Put the same lines into a test in `Examples/`, in the file named after the guide. They may be indented, but
///    nothing may stand between them; how many spaces stand before a comment at the end of a line does not matter.
/// 3. Expect there what the example says it does. Where an example shows values without using them, put it into
///    `results { }`, which collects them.
struct SnippetTests {
    @Test func everyExampleInAGuideIsCompiled() {
        let snippets = Document.guides.flatMap(Snippet.blocks(inMarkdown:))
        #expect(snippets.count > 10, "the guides have been found")
        expectCompiled(snippets)
    }

    @Test func everyExampleInACommentIsCompiled() {
        let snippets = Document.sources.flatMap(Snippet.blocks(inCommentsOf:))
        #expect(snippets.count > 25, "the sources have been found")
        expectCompiled(snippets)
    }

    /// What stands in a string, a comment or behind a condition is not compiled.
    @Test func examplesAreNothingButCode() {
        for document in Document.examples {
            for (number, line) in document.lines.enumerated() {
                // Linux has the classes of requests in a module of its own.
                if line == "#if canImport(FoundationNetworking)" { continue }
                for mark in ["\"\"\"", "/*", "#if"] where line.contains(mark) {
                    Issue.record("\(document.path):\(number + 1): examples do without \(mark)")
                }
            }
        }
    }

    private func expectCompiled(_ snippets: [Snippet]) {
        for snippet in snippets where !snippet.occurs(in: Document.examples) {
            Issue.record(
                """
                \(snippet.path):\(snippet.line): no file in Tests/DocumentationTests/Examples has this code:
                \(snippet.lines.joined(separator: "\n"))
                """)
        }
    }
}

/// The checker finds what it is there for.
struct SnippetCheckerTests {
    static let guide = Document(
        path: "Guide.md",
        text: """
            # A guide

            ```swift
            let old = [1, 2]    // what was there
            if old.isEmpty {

                print("empty")
            }
            ```

            ```sh
            swift test
            ```

            - In a list:

              ```swift
              let new = [2, 3]
              ```

            ```
            let plain = "text"
            ```
            """)

    static let example = Document(
        path: "Examples.swift",
        text: """
            func example() {
                    let old = [1, 2]  // what was there
                    if old.isEmpty {

                        print("empty")
                    }
                let new = [2, 3]
            }
            """)

    @Test func blocksOfSwiftAreFound() {
        let blocks = Snippet.blocks(inMarkdown: Self.guide)
        #expect(blocks.map(\.line) == [4, 18])
        #expect(blocks.first?.lines.count == 5)
        #expect(blocks.last?.lines == ["let new = [2, 3]"])
        #expect(blocks.allSatisfy { $0.occurs(in: [Self.example]) })
    }

    @Test func aChangedBlockIsFoundMissing() {
        for (old, new) in [
            ("[1, 2] ", "[1, 3] "), ("what was", "what is"), ("    print", "  print"), ("[2, 3]", "[2, 3] + []"),
            ("\n    print", "\n\n    print"),
        ] {
            let text = Self.guide.lines.joined(separator: "\n")
            let changed = Document(path: "Guide.md", text: text.replacing(old, with: new))
            let missing = Snippet.blocks(inMarkdown: changed).filter { !$0.occurs(in: [Self.example]) }
            #expect(missing.count == 1, "\(old) for \(new)")
        }
        let nowhere = Snippet(path: "Guide.md", line: 1, lines: ["let other = 1"])
        #expect(!nowhere.occurs(in: [Self.example]))
        #expect(!nowhere.occurs(in: []))
    }

    @Test func everyRealBlockIsMissedWhenALineIsChanged() {
        let snippets = Document.guides.flatMap(Snippet.blocks(inMarkdown:))
        for snippet in snippets {
            let changed = Snippet(path: snippet.path, line: snippet.line, lines: snippet.lines.dropLast() + ["planted"])
            #expect(!changed.occurs(in: Document.examples), "\(snippet.path):\(snippet.line)")
        }
    }

    @Test func blocksInCommentsAreFound() {
        let source = Document(
            path: "Source.swift",
            text: """
                extension Int {
                    /// Doubles.
                    ///
                    /// ```swift
                    /// let two = 1.doubled()
                    ///
                    /// let four = two.doubled()
                    /// ```
                    public func doubled() -> Int { self * 2 }

                    // ```swift
                    // not documentation
                    // ```
                }
                """)
        let blocks = Snippet.blocks(inCommentsOf: source)
        #expect(blocks.map(\.lines) == [["let two = 1.doubled()", "", "let four = two.doubled()"]])
        #expect(blocks.map(\.line) == [5])
    }
}
