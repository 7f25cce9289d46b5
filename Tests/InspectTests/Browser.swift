import Foundation
import TestSupport
import Testing

/// A browser without a window.
enum Browser {
    /// The path of the program; nil if there is none.
    static let path = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Returns the document that the browser makes of a page.
    static func document(of page: String, in folder: TemporaryFolder) throws -> String {
        let process = try ChildProcess(
            #require(path),
            [
                "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=\(folder.file("browser"))",
                "--dump-dom", "file://\(page)",
            ])
        let run = process.finish()
        #expect(run.exitCode == 0)
        return run.output
    }
}
