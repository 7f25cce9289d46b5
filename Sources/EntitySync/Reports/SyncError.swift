/// The reason why a sync failed, and how to fix it.
///
/// A sync that throws it has changed nothing.
///
/// ```swift
/// do {
///     try await store.sync(json, into: "User", options: options)
/// } catch let error as SyncError where error.code == .strict {
///     print(error.report?.path ?? "")
/// }
/// ```
public struct SyncError: Error, Hashable, Sendable {
    /// The kind of the error.
    public let code: Code

    /// The problem, and how to fix it.
    public let message: String

    /// The report that made a strict sync fail; nil for other errors.
    public let report: SyncReport?

    /// Creates an error, with the report that a strict sync throws.
    init(_ code: Code, _ message: String, report: SyncReport? = nil) {
        self.code = code
        self.message = message
        self.report = report
    }

    /// The kinds of error.
    ///
    /// Later versions may add kinds: a `switch` needs a `default`.
    public enum Code: Hashable, Sendable {
        /// The schema has no entity with this name.
        case unknownEntity
        /// The entity stores the elements of a collection.
        case collection
        /// The entity has no primary key that identifies objects.
        case noPrimaryKey
        /// Two properties of an entity match the same names of the remote.
        case ambiguousNames
        /// The `sync.dateFormat` of an attribute is not a date format.
        case invalidDateFormat
        /// The `sync.unlisted` of a relationship has an unknown value, or the options name an unknown relationship.
        case invalidChoice
        /// The source of an attribute's values is invalid: a constant of another type, or an unknown parent.
        case invalidSource
        /// Two properties of an entity have export keys that exclude each other.
        ///
        /// ``SyncPersistence/Schema/syncProblems`` lists this problem. No sync throws it.
        case keyClash
        /// The parent does not exist, or no relationship leads to it.
        case noParent
        /// An object that is stored by itself has no value of the primary key.
        case noKey
        /// A value of the type `Any` has no JSON form.
        case noJSON
        /// A payload is neither an array nor an object with a key of the entity.
        ///
        /// It may be an error page.
        case noObjects
        /// The file of a payload cannot be read, or a temporary file cannot be written.
        case unreadable
        /// A strict sync has found something that cannot be used.
        case strict
    }
}

extension SyncError {
    /// Creates the error for a payload without an array and without a usable object.
    init(noObjectsFor entity: String, _ report: SyncReport?) {
        let found = report.map { " (expected \($0.expected), found \($0.found))" } ?? ""
        self.init(
            .noObjects,
            "the payload is neither an array nor an object with a key of '\(entity)'\(found): pass the array of "
                + "objects alone. Nothing has changed")
    }

    /// Creates the error for a path that leads nowhere.
    init(noPartAt path: String, of entity: String, page: Int?, _ failure: String) {
        let place = page.map { "page \($0 + 1) of the payload" } ?? "the payload"
        self.init(
            .noObjects,
            "\(place) has no list of '\(entity)' at '\(path)': \(failure). Correct the path, or set `isOptional` if the list "
                + "may be missing. Nothing has changed")
    }
}

extension SyncError: CustomStringConvertible {
    /// The problem, and how to fix it.
    public var description: String { message }
}
