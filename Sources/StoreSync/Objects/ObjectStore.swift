#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A place for named objects of bytes that replaces an object only if nobody else has replaced it before.
///
/// Many services have this operation: conditional requests of object stores and of WebDAV, for example. ``FolderObjects``
/// and ``InMemoryObjects`` implement it. ``ObjectRemote`` synchronizes stores over it.
///
/// An error that an implementation throws counts as a failure that may pass, unless it is a ``RemoteError``.
public protocol ObjectStore: Sendable {
    /// Returns an object with its tag; nil if there is none.
    ///
    /// The bytes are always those of one write as a whole.
    func read(_ name: String) async throws -> StoredObject?

    /// Writes an object if its current tag is the given one.
    ///
    /// - Parameters:
    ///   - name: The name of the object: letters, digits and hyphens.
    ///   - bytes: The new content.
    ///   - tag: The tag that the object must have; nil if it must not exist.
    /// - Returns: The new tag; nil if the object has another tag, and was not written.
    /// - Throws: An error if the write may or may not have happened, too.
    func write(_ name: String, _ bytes: Data, ifTag tag: String?) async throws -> String?

    /// Returns the names of the objects that begin with a prefix, in any order.
    func list(prefix: String) async throws -> [String]

    /// Deletes an object, if it exists.
    func delete(_ name: String) async throws
}

/// The content of an object of an ``ObjectStore``.
public struct StoredObject: Hashable, Sendable {
    /// The content.
    public var bytes: Data

    /// The tag, which differs from that of any other content that the object has had.
    public var tag: String

    /// Creates a content with its tag.
    public init(bytes: Data, tag: String) {
        self.bytes = bytes
        self.tag = tag
    }
}

/// An encryption of the objects of an ``ObjectRemote``.
///
/// The name of the object must be authenticated with its bytes, so that one object cannot be put in the place of another
/// one. With CryptoKit, for example, it is the `authenticating` parameter of `AES.GCM.seal` and `AES.GCM.open`.
public struct ObjectSeal: Sendable {
    /// Encrypts the bytes of the object with a name.
    public var seal: @Sendable (_ bytes: Data, _ name: String) throws -> Data

    /// Decrypts the bytes of the object with a name, or throws if they are not those that were sealed for it.
    public var open: @Sendable (_ bytes: Data, _ name: String) throws -> Data

    /// Creates an encryption from two functions.
    public init(
        seal: @escaping @Sendable (_ bytes: Data, _ name: String) throws -> Data,
        open: @escaping @Sendable (_ bytes: Data, _ name: String) throws -> Data
    ) {
        self.seal = seal
        self.open = open
    }
}
