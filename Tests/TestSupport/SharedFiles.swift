public import Foundation

/// The folder with models of other libraries and real data.
///
/// It is beside the package, or at the path in `DIFFSYNC_SHARED`.
public enum SharedFiles {
    /// The folder; nil if only the package was cloned.
    public static let folder: URL? = {
        let named = ProcessInfo.processInfo.environment["DIFFSYNC_SHARED"].map { URL(fileURLWithPath: $0) }
        let folder = named ?? packageFolder.deletingLastPathComponent().appendingPathComponent("shared")
        let marker = folder.appendingPathComponent("conformance").path
        return FileManager.default.fileExists(atPath: marker) ? folder : nil
    }()

    /// Whether the folder exists.
    ///
    /// Tests that read it are skipped otherwise.
    public static var arePresent: Bool { folder != nil }

    /// Returns the contents of a file in the folder.
    public static func contents(of path: String) throws -> Data {
        guard let folder else { throw CocoaError(.fileNoSuchFile) }
        return try Data(contentsOf: folder.appendingPathComponent(path))
    }

    /// The folder of the package that contains this file.
    public static let packageFolder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
