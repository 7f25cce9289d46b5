import SyncPersistence

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

/// The files of a ``FolderObjects``, read and written synchronously.
///
/// | file | content |
/// |---|---|
/// | `head`, `segment-1-…` | an object, named after it |
/// | `.lock` | nothing: writers lock it |
/// | `.new` | the content of the current writer, until it is complete and renamed |
///
/// Readers take no lock, because a rename replaces a file as a whole.
struct ObjectFolder: Sendable {
    /// The path of the folder.
    private let path: String

    /// Creates the folder if it is missing.
    init(path: String) throws {
        self.path = path
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw ObjectFolderError("the folder '\(path)' cannot be created: \(error)")
        }
    }

    /// Returns an object with a tag of its content; nil if there is none.
    func read(_ name: String) throws -> StoredObject? {
        let file = self.file(name)
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 {
            if errno == ENOENT { return nil }
            throw Self.error("'\(file)' cannot be opened")
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = buffer.withUnsafeMutableBytes { Self.read(descriptor, $0) }
            if count < 0 { throw Self.error("'\(file)' cannot be read") }
            if count == 0 { break }
            bytes.append(contentsOf: buffer[..<count])
        }
        return StoredObject(bytes: Data(bytes), tag: Self.tag(of: bytes))
    }

    /// Replaces an object while the folder is locked, and returns its new tag; nil if it has another tag than the
    /// given one.
    ///
    /// The content is on the disk before the rename, so that a loss of power leaves the old or the new object.
    func write(_ name: String, _ bytes: Data, ifTag tag: String?) throws -> String? {
        let lock = try self.lock()
        defer { close(lock) }
        guard try read(name)?.tag == tag else { return nil }
        let new = path + "/.new"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw Self.error("'\(new)' cannot be created") }
        let bytes = Array(bytes)
        let isWritten = bytes.withUnsafeBytes { Self.write(descriptor, $0) } && Self.flush(descriptor)
        let failure = isWritten ? nil : Self.error("'\(new)' cannot be written")
        close(descriptor)
        if let failure { throw failure }
        if rename(new, file(name)) != 0 { throw Self.error("'\(file(name))' cannot be replaced") }
        flushFolder()
        return Self.tag(of: bytes)
    }

    /// Deletes an object if it exists, without the lock: a deleted object is one that no head names.
    func delete(_ name: String) throws {
        if unlink(file(name)) != 0, errno != ENOENT { throw Self.error("'\(file(name))' cannot be deleted") }
    }

    /// Returns the names of all objects, sorted, without the folder's own files.
    func names() throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path).compactMap(Self.name(of:)).sorted()
        } catch {
            throw ObjectFolderError("the folder '\(path)' cannot be listed: \(error)")
        }
    }
}

extension ObjectFolder {
    /// Locks the folder for writing until the returned file is closed or the process ends.
    ///
    /// The lock file may be deleted while another process waits for it. So a lock counts only if the file still has its
    /// name.
    private func lock() throws -> Int32 {
        let file = path + "/.lock"
        while true {
            let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            if descriptor < 0 { throw Self.error("'\(file)' cannot be opened") }
            while flock(descriptor, LOCK_EX) != 0 {
                if errno == EINTR { continue }
                let failure = Self.error("'\(file)' cannot be locked")
                close(descriptor)
                throw failure
            }
            var (held, named) = (stat(), stat())
            if fstat(descriptor, &held) == 0, stat(file, &named) == 0, held.st_ino == named.st_ino,
                held.st_dev == named.st_dev
            {
                return descriptor
            }
            close(descriptor)
        }
    }

    /// Writes the names of the files to the disk; a file system that cannot do that is left alone.
    private func flushFolder() {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { return }
        _ = Self.flush(descriptor)
        close(descriptor)
    }

    /// Returns the path of an object's file.
    ///
    /// Characters other than letters, digits and hyphens are escaped, so that no name leads out of the folder or to a
    /// file of the store's own.
    private func file(_ name: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        for byte in name.utf8 {
            let letter = byte | 0x20
            if letter &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: "-") {
                text.append(byte)
            } else {
                text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return path + "/" + String(decoding: text, as: UTF8.self) + ".object"
    }

    /// Returns the name of the object in a file; nil for other files.
    private static func name(of file: String) -> String? {
        guard file.hasSuffix(".object"), !file.hasPrefix(".") else { return nil }
        var bytes = Array(file.utf8.dropLast(7))[...]
        var name: [UInt8] = []
        while let byte = bytes.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let code = UInt8(String(decoding: bytes.prefix(2), as: UTF8.self), radix: 16) else { return nil }
                name.append(code)
                bytes = bytes.dropFirst(2)
            } else {
                name.append(byte)
            }
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// Returns a tag by which two contents differ.
    private static func tag(of bytes: [UInt8]) -> String {
        bytes.withUnsafeBytes { bytes in
            [0x243F_6A88_85A3_08D3, 0x1319_8A2E_0370_7345].map {
                String(ContentDigest.digest(of: bytes, seed: $0), radix: 16)
            }.joined(separator: "-")
        }
    }

    private static func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            #if canImport(Darwin)
                let count = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
            #elseif canImport(Glibc)
                let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            #elseif canImport(Musl)
                let count = Musl.read(descriptor, buffer.baseAddress, buffer.count)
            #endif
            if count >= 0 || errno != EINTR { return count }
        }
    }

    private static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Bool {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            #if canImport(Darwin)
                let count = Darwin.write(descriptor, rest.baseAddress, rest.count)
            #elseif canImport(Glibc)
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            #elseif canImport(Musl)
                let count = Musl.write(descriptor, rest.baseAddress, rest.count)
            #endif
            if count < 0 && errno == EINTR { continue }
            if count <= 0 { return false }
            done += count
        }
        return true
    }

    /// Writes what the system still keeps of a file to the disk.
    private static func flush(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            // On Apple's systems, only this flushes the cache of the disk.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
        #endif
        return fsync(descriptor) == 0
    }

    /// Returns the error for the system's last failure.
    private static func error(_ problem: String) -> ObjectFolderError {
        ObjectFolderError("\(problem): \(String(cString: strerror(errno)))")
    }
}
