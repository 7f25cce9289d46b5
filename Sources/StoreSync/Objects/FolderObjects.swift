import Dispatch
import SyncPersistence

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Objects as files in a folder, which several processes can use at once.
///
/// ```swift
/// let remote = ObjectRemote(try FolderObjects(path: folder), account: "family")
/// ```
///
/// An object is replaced by renaming a complete file, so no reader ever finds a part of one. The content is on the disk
/// before it gets its name. Writers take turns by a lock that the system releases when a process ends, however it ends.
///
/// The folder must be on a file system with locks and atomic renames, on one computer or on a network. It must not be
/// a folder that a program copies between devices on its own, because that replaces files without comparing tags.
public struct FolderObjects: ObjectStore {
    private let folder: ObjectFolder

    /// The queue on which files are read and written, because a lock may have to be waited for.
    private let queue = DispatchQueue(label: "DifferentialSync.FolderObjects")

    /// Creates a store of the objects in a folder, and the folder if there is none.
    ///
    /// - Throws: ``ObjectFolderError`` if the folder cannot be created.
    public init(path: String) throws {
        folder = try ObjectFolder(path: path)
    }

    /// Returns an object with its tag; nil if there is none.
    ///
    /// - Throws: ``ObjectFolderError``.
    public func read(_ name: String) async throws -> StoredObject? {
        try await perform { try $0.read(name) }
    }

    /// Writes an object if its current tag is the given one.
    ///
    /// - Throws: ``ObjectFolderError``.
    public func write(_ name: String, _ bytes: Data, ifTag tag: String?) async throws -> String? {
        try await perform { try $0.write(name, bytes, ifTag: tag) }
    }

    /// Returns the names of the objects that begin with a prefix, sorted.
    ///
    /// - Throws: ``ObjectFolderError``.
    public func list(prefix: String) async throws -> [String] {
        try await perform { try $0.names().filter { $0.hasPrefix(prefix) } }
    }

    /// Deletes an object, if it exists.
    ///
    /// - Throws: ``ObjectFolderError``.
    public func delete(_ name: String) async throws {
        try await perform { try $0.delete(name) }
    }

    private func perform<Result: Sendable>(
        _ body: @escaping @Sendable (ObjectFolder) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try body(folder) }) }
        }
    }
}

/// An error of a folder of objects: the path, and the system's reason.
public struct ObjectFolderError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path, the reason, and a remedy.
    public let description: String

    init(_ description: String) { self.description = description }
}
