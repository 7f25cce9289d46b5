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
    /// The request as the device sent it.
    let request: PushRequest

    /// The account whose change it is; nil if an earlier version of the library has stored the push.
    private let account: String?

    /// The digest of the slots of the changed entities when the push was sent; nil if an earlier version of the library
    /// has stored the push.
    private let form: String?

    private static let requestName = "sync.rest.push"
    private static let attemptName = "sync.rest.attempt"
    private static let conflictName = "sync.rest.conflicts"
    private static let accountName = "sync.rest.account"
    private static let formName = "sync.rest.form"

    /// Reads the push; nil if the outcomes of all pushes are known.
    init?(in transaction: ReadTransaction) throws {
        guard let text = try transaction.metadata(Self.requestName) else { return nil }
        request = try PushRequest(data: Data(text.utf8))
        account = try transaction.metadata(Self.accountName)
        form = try transaction.metadata(Self.formName)
    }

    /// Whether the push can be one of an account.
    func belongs(to account: String) -> Bool { self.account ?? account == account }

    /// Whether the push has a given name, and is one of a given device.
    ///
    /// After an update of the app, a request of the device with this name may have another form.
    func isNamed(_ name: PushName?, of device: String) -> Bool { request.name == name && request.device == device }

    /// Whether the entities of the changes have the same slots as when the push was sent.
    ///
    /// If not, the device has converted the changes, and the request has their old form. Without a stored digest, the
    /// push fits if the schema admits it.
    func fits(_ schema: Schema) -> Bool {
        form.map { $0 == Self.form(of: request, in: schema) } ?? isAdmitted(by: schema)
    }

    /// Whether a schema has the entities and all names of the changes, and admits their values.
    func isAdmitted(by schema: Schema) -> Bool {
        request.mutations.allSatisfy { mutation in
            guard let shape = schema[mutation.id.entity] else { return false }
            return switch mutation.change {
            case .insert(let values), .update(let values):
                zip(values.names, values.values).allSatisfy { name, value in
                    shape.slot(named: name).map { shape.slots[$0].admits(value) } ?? false
                }
            case .delete: true
            }
        }
    }

    /// Returns a digest of the slots of the entities that a push changes.
    private static func form(of request: PushRequest, in schema: Schema) -> String {
        request.mutations.map { schema.versionDigest(of: $0.id.entity) }.joined(separator: " ")
    }

    /// Stores that the change of a push is sent, and returns the number of the attempt.
    static func begin(_ request: PushRequest, of account: String, in transaction: WriteTransaction) throws -> Int {
        let isRepeated = try PendingPush(in: transaction)?.isNamed(request.name, of: request.device) ?? false
        let former = try isRepeated ? transaction.metadata(attemptName) : nil
        let attempt = (former.flatMap { Int($0) } ?? 0) + 1
        if attempt == 1 { try transaction.setLibraryMetadata(nil, for: conflictName) }
        try transaction.setLibraryMetadata(String(decoding: request.data, as: UTF8.self), for: requestName)
        try transaction.setLibraryMetadata(String(attempt), for: attemptName)
        try transaction.setLibraryMetadata(account, for: accountName)
        try transaction.setLibraryMetadata(form(of: request, in: transaction.schema), for: formName)
        return attempt
    }

    /// Stores that the server has answered the push with a conflict, and returns how often it has.
    static func countConflict(in transaction: WriteTransaction) throws -> Int {
        let count = (try transaction.metadata(conflictName).flatMap { Int($0) } ?? 0) + 1
        try transaction.setLibraryMetadata(String(count), for: conflictName)
        return count
    }

    /// Removes the push.
    static func remove(in transaction: WriteTransaction) throws {
        if try transaction.metadata(requestName) == nil { return }
        try transaction.setLibraryMetadata(nil, for: requestName)
        try transaction.setLibraryMetadata(nil, for: attemptName)
        try transaction.setLibraryMetadata(nil, for: conflictName)
        try transaction.setLibraryMetadata(nil, for: accountName)
        try transaction.setLibraryMetadata(nil, for: formName)
    }
}
