#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A message between a device and a service, with its JSON form.
///
/// A transport carries the bytes, and needs to know nothing else of a message:
///
/// ```swift
/// let request = PullRequest(device: "phone", cursor: SyncCursor(epoch: "a1", sequence: 7))
/// let received = try PullRequest(data: request.data)
/// ```
///
/// The form is versioned. Unknown members are ignored, so that a later version may add some; a message of another
/// version is an error.
public protocol SyncMessage: Hashable, Sendable {
    /// The message as JSON text in UTF-8.
    ///
    /// - Complexity: O(*n*) for a message of size *n*
    var data: Data { get }

    /// Reads a message.
    ///
    /// - Throws: ``MessageError`` if the data is not JSON, or not this message in this version.
    /// - Complexity: O(*n*) for *n* bytes
    init(data: Data) throws(MessageError)
}

/// The protocol that the messages belong to.
public enum StoreProtocol {
    /// The version of the protocol that this library uses.
    public static let version = 1

    /// The most mutations in a push and the most entries in a page that any message may have.
    public static let maximumRecords = 100_000
}
