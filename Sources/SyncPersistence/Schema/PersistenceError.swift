/// An error of a store: the problem, its place and the remedy.
///
/// Nothing has changed.
public struct PersistenceError: Error, Hashable, Sendable {
    /// The kind of error.
    public let code: Code

    /// The problem and the remedy.
    public let message: String

    /// The record concerned; nil if there is none.
    public let id: RecordID?

    /// The attribute or relationship concerned; nil if there is none.
    public let property: String?

    /// The path of the store's file, if it is concerned.
    public let path: String?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - message: The problem and the remedy, in one sentence, without the values of attributes.
    ///   - id: The record concerned.
    ///   - property: The attribute or relationship concerned.
    ///   - path: The path of the store's file.
    public init(
        _ code: Code, _ message: String, id: RecordID? = nil, property: String? = nil, path: String? = nil
    ) {
        self.code = code
        self.message = message
        self.id = id
        self.property = property
        self.path = path
    }

    /// Returns the same error with a record and a file, unless it has them.
    package func about(_ id: RecordID?, path: String?) -> PersistenceError {
        PersistenceError(code, message, id: self.id ?? id, property: property, path: self.path ?? path)
    }

    /// A kind of error.
    ///
    /// It is a structure, unlike the codes of other errors, because adapters and other modules add kinds.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the kind.
        public let description: String

        /// Creates a kind of an adapter's own.
        public init(_ name: String) { description = name }

        /// The schema does not have the entity or property.
        public static let unknownName = Code("unknownName")
        /// A value does not match the type of its attribute or key.
        public static let wrongType = Code("wrongType")
        /// A mandatory value is null.
        public static let missingValue = Code("missingValue")
        /// A record to be changed does not exist.
        public static let missingRecord = Code("missingRecord")
        /// A record that should be new exists, or differs from the expected one.
        public static let mismatch = Code("mismatch")
        /// A record refers to a missing one.
        public static let danglingReference = Code("danglingReference")
        /// A delete rule forbids the deletion.
        public static let deletionDenied = Code("deletionDenied")
        /// The store's schema does not allow the new one.
        public static let schemaChange = Code("schemaChange")
        /// Stored data cannot be read.
        public static let unreadable = Code("unreadable")
        /// Another process holds the required lock; the call may succeed later.
        public static let locked = Code("locked")
        /// The disk is full, or the store has reached its largest size.
        public static let full = Code("full")
        /// The store, its file or the file's folder is read-only.
        public static let readOnly = Code("readOnly")
        /// The disk or the file system failed.
        public static let ioFailure = Code("ioFailure")
        /// The store's file was renamed, replaced or deleted while it was open.
        public static let movedFile = Code("movedFile")
        /// The store is closed.
        public static let closed = Code("closed")
        /// No connection to the store's server could be opened.
        public static let cannotConnect = Code("cannotConnect")
        /// The connection to the store's server was lost, and nothing of the transaction is stored.
        public static let connectionLost = Code("connectionLost")
        /// The connection was lost during a commit, and whether it is stored could not be determined.
        public static let unknownOutcome = Code("unknownOutcome")
        /// The store's server does not permit its user what the store requires.
        public static let notPermitted = Code("notPermitted")
        /// The store's server has failed.
        public static let serverFailure = Code("serverFailure")
    }
}

extension PersistenceError: CustomStringConvertible {
    /// The file, record and property if there are any, and the problem.
    public var description: String {
        var record = id.map { "\($0)" } ?? ""
        if let property { record += record.isEmpty ? property : ".\(property)" }
        let place = [path.map { "'\($0)'" } ?? "", record].filter { !$0.isEmpty }.joined(separator: ", ")
        return place.isEmpty ? message : "\(place): \(message)"
    }
}

extension PersistenceError {
    /// The remedy for stored data that cannot be read.
    package static let damageRemedy =
        "was the file changed by another program? Correct or delete the row there, or restore the file from a copy"
}
