import Foundation
import Testing

/// Links between files, and the README's length.
///
/// Links to symbols and articles are checked by `Scripts/check-docs`.
struct LinkTests {
    @Test func theREADMEIsShort() {
        guard let readme = Document(at: "README.md") else { return }
        #expect(readme.lines.count <= 201, "200 lines, each with its line break: \(readme.lines.count - 1)")
    }

    @Test func relativeLinksLeadToFiles() {
        for document in Document.guides {
            for link in document.relativeLinks where !document.leadsSomewhere(link) {
                Issue.record("\(document.path): nothing is at '\(link)'")
            }
        }
    }

    @Test func aBrokenLinkIsFound() {
        let page = Document(
            path: "Sources/Page.md",
            text: """
                # A *first* heading, `with` code
                [here](#a-first-heading-with-code) [not here](#another) [up](../Package.swift) [gone](../Gone.md)
                [web](https://example.org/a) [<doc:Article>](doc:Article) ![image](Image.png)
                ```swift
                let call = table[0](argument)
                ```
                """)
        #expect(
            page.relativeLinks == [
                "#a-first-heading-with-code", "#another", "../Package.swift", "../Gone.md", "Image.png",
            ])
        let broken = page.relativeLinks.filter { !page.leadsSomewhere($0) }
        #expect(broken == ["#another", "../Gone.md", "Image.png"])
    }
}

extension Document {
    /// The targets of links that are not to other sites or DocC pages, code left out.
    var relativeLinks: [String] {
        prose.flatMap { line in
            line.matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) }
        }.filter { $0.wholeMatch(of: /[a-z]+:.*/) == nil }
    }

    func leadsSomewhere(_ link: String) -> Bool {
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let folder = URL(fileURLWithPath: path, relativeTo: Document.root).deletingLastPathComponent()
        let file = parts[0].isEmpty ? nil : URL(fileURLWithPath: parts[0], relativeTo: folder).standardizedFileURL
        if let file, !FileManager.default.fileExists(atPath: file.path) { return false }
        guard parts.count > 1 else { return true }
        guard let file else { return anchors.contains(parts[1]) }
        guard file.pathExtension == "md" else { return true }
        let text = String(decoding: FileManager.default.contents(atPath: file.path) ?? Data(), as: UTF8.self)
        return Document(path: file.path, text: text).anchors.contains(parts[1])
    }

    /// The lines outside of code blocks.
    private var prose: [String] {
        var isCode = false
        return lines.filter { line in
            if line.drop(while: { $0 == " " }).hasPrefix("```") { isCode.toggle() }
            return !isCode
        }
    }

    /// The headings as links name them: small letters and digits, with hyphens for spaces.
    private var anchors: [String] {
        prose.filter { $0.hasPrefix("#") }.map { heading in
            heading.drop { $0 == "#" }.dropFirst().lowercased()
                .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
                .replacing(" ", with: "-")
        }
    }
}
