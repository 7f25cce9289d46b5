import StoreSync
import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A push whose change may have reached the server, and whose answer is unknown.
///
/// It is stored before the change is sent, and removed in the transaction that stores the outcome.
struct PendingPush {
    /// The push.
    let request: PushRequest

    private static let requestName = "sync.rest.push"
    private static let attemptName = "sync.rest.attempt"

    /// Reads the push; nil if the outcomes of all pushes are known.
    init?(in transaction: ReadTransaction) throws {
        guard let text = try transaction.metadata(Self.requestName) else { return nil }
        request = try PushRequest(data: Data(text.utf8))
    }

    /// Stores that the change of a push is sent, and returns the number of the attempt.
    static func begin(_ request: PushRequest, in transaction: WriteTransaction) throws -> Int {
        let former = try transaction.metadata(requestName) == nil ? nil : transaction.metadata(attemptName)
        let attempt = (former.flatMap { Int($0) } ?? 0) + 1
        try transaction.setLibraryMetadata(String(decoding: request.data, as: UTF8.self), for: requestName)
        try transaction.setLibraryMetadata(String(attempt), for: attemptName)
        return attempt
    }

    /// Removes the push.
    static func remove(in transaction: WriteTransaction) throws {
        if try transaction.metadata(requestName) == nil { return }
        try transaction.setLibraryMetadata(nil, for: requestName)
        try transaction.setLibraryMetadata(nil, for: attemptName)
    }
}
