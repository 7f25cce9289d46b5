/// Why a store does not do what it was asked for: what, where, and what to do about it.
///
/// Nothing has changed.
public struct PersistenceError: Error, Hashable, Sendable {
    /// What kind of error it is.
    public let code: Code

    /// What is wrong, and what to do about it.
    public let message: String

    /// The record that it is about, or nil.
    public let id: RecordID?

    /// The attribute or relationship that it is about, or nil.
    public let property: String?

    /// The path of the store's file that it is about, or nil.
    public let path: String?

    /// An error.
    public init(
        _ code: Code, _ message: String, id: RecordID? = nil, property: String? = nil, path: String? = nil
    ) {
        self.code = code
        self.message = message
        self.id = id
        self.property = property
        self.path = path
    }

    /// Returns the same error with the record and the file that it is about, where it has none.
    package func about(_ id: RecordID?, path: String?) -> PersistenceError {
        PersistenceError(code, message, id: self.id ?? id, property: property, path: self.path ?? path)
    }

    /// The kinds of error.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the kind.
        public let description: String

        /// Another kind, of an adapter's own.
        public init(_ name: String) { description = name }

        /// The schema has no such entity or property.
        public static let unknownName = Code("unknownName")
        /// A value is not of the kind that its attribute or key asks for.
        public static let wrongType = Code("wrongType")
        /// A mandatory value is null.
        public static let missingValue = Code("missingValue")
        /// A record is not there that is to be changed.
        public static let missingRecord = Code("missingRecord")
        /// A record is there that was to be new, or is another than expected.
        public static let mismatch = Code("mismatch")
        /// A record names one that is not there.
        public static let danglingReference = Code("danglingReference")
        /// A delete rule forbids the deletion.
        public static let deletionDenied = Code("deletionDenied")
        /// The store's schema does not allow for the new one.
        public static let schemaChange = Code("schemaChange")
        /// What was stored cannot be read back.
        public static let unreadable = Code("unreadable")
        /// Another process holds the lock that is needed; the call may succeed later.
        public static let locked = Code("locked")
        /// The disk is full, or the store is as large as it may be.
        public static let full = Code("full")
        /// The store, its file or the file's folder is for reading only.
        public static let readOnly = Code("readOnly")
        /// The disk or the file system failed.
        public static let ioFailure = Code("ioFailure")
        /// The store's file was renamed, replaced or deleted while it was open.
        public static let movedFile = Code("movedFile")
        /// The store has been closed.
        public static let closed = Code("closed")
    }
}

extension PersistenceError: CustomStringConvertible {
    /// The file, record and property, if there are any, and what is wrong.
    public var description: String {
        var record = id.map { "\($0)" } ?? ""
        if let property { record += record.isEmpty ? property : ".\(property)" }
        let place = [path.map { "'\($0)'" } ?? "", record].filter { !$0.isEmpty }.joined(separator: ", ")
        return place.isEmpty ? message : "\(place): \(message)"
    }
}

extension PersistenceError {
    /// What to do about stored data that cannot be read.
    package static let damageRemedy =
        "was the file changed by another program? Correct or delete the row there, or restore the file from a copy"
}
