#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A new file beside an older one, whose place it takes.
struct ReplacementFile {
    /// The new file.
    let url: URL
    /// The older file.
    private let target: URL

    /// Writes a text into a new file with the mode of the older one.
    ///
    /// Before the new file has that mode, only its owner can read it.
    init(for target: URL, text: String, mode: Any) throws {
        self.target = target
        let path = target.deletingLastPathComponent().path + "/.diffsync.\(getpid())"
        url = URL(fileURLWithPath: path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw CocoaError(.fileWriteUnknown) }
        close(descriptor)
        do {
            try Data(text.utf8).write(to: url)
        } catch {
            try? FileManager.default.removeItem(at: url)
            throw error
        }
        // A file system may have no modes.
        try? FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    /// Replaces the older file.
    func takePlace() throws {
        if rename(url.path, target.path) == 0 { return }
        try? FileManager.default.removeItem(at: url)
        throw CocoaError(.fileWriteUnknown)
    }
}
