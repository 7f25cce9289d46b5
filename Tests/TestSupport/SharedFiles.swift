public import Foundation

/// The folder of models of other libraries and real data that stands beside the project, or is named by `DIFFSYNC_SHARED`.
public enum SharedFiles {
    /// The folder, or nil where only the project was cloned.
    public static let folder: URL? = {
        let named = ProcessInfo.processInfo.environment["DIFFSYNC_SHARED"].map { URL(fileURLWithPath: $0) }
        let folder = named ?? packageFolder.deletingLastPathComponent().appendingPathComponent("shared")
        let marker = folder.appendingPathComponent("conformance").path
        return FileManager.default.fileExists(atPath: marker) ? folder : nil
    }()

    /// Whether the folder is there: tests that read it are skipped where it is not.
    public static var arePresent: Bool { folder != nil }

    /// The contents of a file in the folder.
    public static func contents(of path: String) throws -> Data {
        guard let folder else { throw CocoaError(.fileNoSuchFile) }
        return try Data(contentsOf: folder.appendingPathComponent(path))
    }

    /// The folder of the package that this file is part of.
    public static let packageFolder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
