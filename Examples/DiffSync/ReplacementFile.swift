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
    /// Its name is unused, because a process that was killed may have left its file behind.
    /// Before the new file has that mode, only its owner can read it.
    init(for target: URL, text: String, mode: Any) throws {
        self.target = target
        var template = Array((target.deletingLastPathComponent().path + "/.diffsync.XXXXXX").utf8CString)
        let descriptor = mkstemp(&template)
        if descriptor < 0 { throw CocoaError(.fileWriteUnknown) }
        close(descriptor)
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        url = URL(fileURLWithPath: path)
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
