/// A block of Swift code in a guide or in a documentation comment.
struct Snippet: Equatable {
    /// The file that the block is in.
    let path: String
    /// The number of the block's first line, counted from 1.
    let line: Int
    /// The code, without the indentation that all its lines have.
    let lines: [String]

    init(path: String, line: Int, lines: [String]) {
        self.path = path
        self.line = line
        let indentation = lines.filter { !$0.isBlank }.map(\.indentation).min() ?? 0
        self.lines = lines.map { String($0.dropFirst(indentation)).normalized }
    }
}

extension Snippet {
    /// The blocks that a Markdown file marks as Swift.
    static func blocks(inMarkdown document: Document) -> [Snippet] {
        blocks(in: document.lines, path: document.path)
    }

    /// The blocks that the documentation comments of a Swift file mark as Swift.
    static func blocks(inCommentsOf document: Document) -> [Snippet] {
        let comments = document.lines.map { line in
            let text = line.drop { $0 == " " }
            return text.hasPrefix("///") ? String(text.dropFirst(text.hasPrefix("/// ") ? 4 : 3)) : ""
        }
        return blocks(in: comments, path: document.path)
    }

    private static func blocks(in lines: [String], path: String) -> [Snippet] {
        var snippets: [Snippet] = []
        var fence: (language: Substring, line: Int)?
        for (index, line) in lines.enumerated() {
            let text = line.drop { $0 == " " }
            guard text.hasPrefix("```") else { continue }
            if let open = fence {
                if open.language == "swift" {
                    snippets.append(Snippet(path: path, line: open.line, lines: Array(lines[open.line - 1..<index])))
                }
                fence = nil
            } else {
                fence = (text.dropFirst(3), index + 2)
            }
        }
        return snippets
    }
}

extension Snippet {
    /// Whether the code stands in one of the files, line for line, whatever its indentation there.
    func occurs(in documents: [Document]) -> Bool {
        documents.contains { document in
            document.lines.indices.contains { occurs(in: document.lines, at: $0) }
        }
    }

    private func occurs(in source: [String], at start: Int) -> Bool {
        guard let first = lines.first, start + lines.count <= source.count else { return false }
        let indentation = source[start].indentation - first.indentation
        if indentation < 0 { return false }
        return zip(lines, source[start...]).allSatisfy { line, candidate in
            line.isBlank
                ? candidate.isBlank
                : candidate.indentation == indentation + line.indentation
                    && String(candidate.dropFirst(indentation)).normalized == line
        }
    }
}

extension String {
    var isBlank: Bool { allSatisfy { $0 == " " } }

    var indentation: Int { prefix { $0 == " " }.count }

    /// The line with one space before a comment at its end, and none after it: guides may line comments up.
    var normalized: String {
        var text = Substring(self)
        while text.last == " " { text.removeLast() }
        guard let comment = text.firstRange(of: " //") else { return String(text) }
        var code = text[..<comment.lowerBound]
        while code.last == " " { code.removeLast() }
        return code.isEmpty ? String(text) : String(code + text[comment.lowerBound...])
    }
}
