import Foundation

/// A text file of the repository.
struct Document {
    /// Where the file is, from the repository's root.
    let path: String
    let lines: [String]

    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The file's name without its extension.
    var name: String { URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent }
}

extension Document {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The file at a path, or nil if there is none.
    init?(at path: String) {
        guard let data = FileManager.default.contents(atPath: Document.root.appendingPathComponent(path).path) else {
            return nil
        }
        self.init(path: path, text: String(decoding: data, as: UTF8.self))
    }

    /// All files in a folder and those within it that have the extension, by path.
    static func all(in folder: String, extension: String) -> [Document] {
        let base = root.appendingPathComponent(folder)
        guard let paths = FileManager.default.enumerator(atPath: base.path) else { return [] }
        return paths.compactMap { $0 as? String }
            .filter { $0.hasSuffix(".\(`extension`)") }
            .sorted()
            .compactMap { Document(at: "\(folder)/\($0)") }
    }

    /// Everything in Markdown that users read: the files at the root, where they are there, and the guides.
    static let guides: [Document] =
        ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].compactMap { Document(at: $0) }
        + all(in: "Sources", extension: "md")

    static let sources = all(in: "Sources", extension: "swift")

    /// The compiled code that examples have to come from.
    static let examples =
        all(in: "Tests/DocumentationTests/Examples", extension: "swift")
        + all(in: "Tests/PostgreSQLPersistenceTests/Examples", extension: "swift")
}
