import SyncPersistence

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file from which bytes are read.
final class PayloadFile: Sendable {
    /// The descriptor of the open file.
    private let descriptor: Int32
    /// The path, for errors.
    private let path: String

    /// The number of bytes.
    let count: Int

    /// Opens an existing file for reading.
    ///
    /// - Throws: `SyncError` with the path if the file cannot be opened, or has no size.
    init(path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { throw PayloadFile.error("'\(path)' cannot be opened") }
        self.descriptor = descriptor
        self.path = path
        count = try PayloadFile.size(of: descriptor, path)
    }

    /// Opens the file that a spool has filled.
    ///
    /// It has no name and is deleted with the object.
    init(_ spool: PayloadSpool) throws {
        let descriptor = fcntl(spool.descriptor, F_DUPFD_CLOEXEC, 0)
        if descriptor < 0 { throw PayloadFile.error("the temporary file cannot be opened") }
        self.descriptor = descriptor
        path = "a temporary file"
        count = try PayloadFile.size(of: descriptor, path)
    }

    deinit { close(descriptor) }

    /// Reads bytes from an offset until a buffer is full.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
        var done = 0
        while done < buffer.count {
            let count = pread(
                descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done, off_t(offset + done))
            if count < 0 && errno == EINTR { continue }
            if count < 0 { throw PayloadFile.error("\(path) cannot be read") }
            if count == 0 { throw SyncError(.unreadable, "\(path) has become shorter while it was read") }
            done += count
        }
    }

    /// Returns the size of an open file.
    private static func size(of descriptor: Int32, _ path: String) throws -> Int {
        let size = lseek(descriptor, 0, SEEK_END)
        if size < 0 { throw error("\(path) cannot be measured") }
        return Int(size)
    }

    /// Returns an error with the system's reason.
    fileprivate static func error(_ message: String) -> SyncError {
        SyncError(.unreadable, "\(message): \(String(cString: strerror(errno)))")
    }
}

/// A temporary file that receives bytes as they arrive.
@usableFromInline
final class PayloadSpool: Sendable {
    /// The descriptor of the temporary file, which has no name.
    fileprivate let descriptor: Int32

    /// The number of bytes that are written at a time.
    @inlinable static var size: Int { 1 << 16 }

    /// Creates an empty file without a name in a folder.
    @usableFromInline
    init(in folder: String) throws {
        var template = Array("\(folder)/payload-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        if descriptor < 0 { throw PayloadFile.error("no temporary file can be made in '\(folder)'") }
        unlink(template)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Appends bytes, also if the system writes them in several steps or is interrupted.
    ///
    /// - Throws: `SyncError` if the volume is full or cannot be written.
    @usableFromInline
    func append(_ bytes: [UInt8]) throws {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress.map { $0 + done }, $0.count - done) }
            if count < 0 && errno == EINTR { continue }
            if count <= 0 { throw PayloadFile.error("the payload cannot be written to a temporary file") }
            done += count
        }
    }
}
