package import Foundation

/// An empty folder that is deleted when the object is released.
package final class TemporaryFolder: Sendable {
    /// The path of the folder, without a slash at the end.
    package let path: String

    /// Creates the folder under a unique name.
    package init() {
        var template = Array((FileManager.default.temporaryDirectory.path + "/sqlite-XXXXXX").utf8CString)
        precondition(mkdtemp(&template) != nil, "no temporary folder")
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the path of a file in the folder, whether it exists or not.
    package func file(_ name: String = "notes.db") -> String { path + "/" + name }

    /// Returns the bytes of a file in the folder; nil if there is none.
    package func contents(of name: String = "notes.db") -> Data? { FileManager.default.contents(atPath: file(name)) }

    /// Creates or overwrites a file in the folder.
    package func write(_ contents: Data, to name: String = "notes.db") {
        precondition(FileManager.default.createFile(atPath: file(name), contents: contents), "cannot write \(name)")
    }

    /// The names of the files in the folder, sorted.
    package var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }
}
