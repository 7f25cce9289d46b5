import Foundation

/// A folder of its own for files, which is removed with the object.
package final class TemporaryFolder {
    package let path: String

    package init() {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("diffsync-\(UUID().uuidString)").path
        self.path = path
        unfailing { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
