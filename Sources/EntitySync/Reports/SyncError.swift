/// Why a sync was not done: what is wrong, and what to do about it.
///
/// Nothing has changed where it is thrown.
///
/// ```swift
/// do {
///     try await store.sync(json, into: "User", options: options)
/// } catch let error as SyncError where error.code == .strict {
///     print(error.report?.path ?? "")
/// }
/// ```
public struct SyncError: Error, Hashable, Sendable {
    /// What kind of error it is.
    public let code: Code

    /// What is wrong, and what to do about it.
    public let message: String

    /// What a strict sync has met, or nil.
    public let report: SyncReport?

    init(_ code: Code, _ message: String, report: SyncReport? = nil) {
        self.code = code
        self.message = message
        self.report = report
    }

    /// The kinds of error.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The schema has no such entity.
        case unknownEntity
        /// The entity keeps the elements of a collection.
        case collection
        /// The entity has no primary key to tell objects apart by.
        case noPrimaryKey
        /// Two properties of an entity would be reached by the same names of a remote.
        case ambiguousNames
        /// The `sync.dateFormat` of an attribute is no format of dates.
        case invalidDateFormat
        /// The `sync.unlisted` of a relationship is no choice, or the options name a relationship that there is not.
        case invalidChoice
        /// An attribute takes its values from a source that is of no use: a constant of another type, or a parent that is
        /// not there.
        case invalidSource
        /// Two properties of an entity would be exported under keys that exclude each other; ``SyncPersistence/Schema/syncProblems``
        /// lists that, and no sync throws it.
        case keyClash
        /// The parent is not there, or no relationship leads to it.
        case noParent
        /// An object that is to be stored by itself has no value of the primary key.
        case noKey
        /// A value that was given as `Any` is none that JSON can hold.
        case noJSON
        /// A payload is neither an array nor an object with a key of the entity: an error page, for example.
        case noObjects
        /// The file of a payload cannot be read, or no temporary one be written.
        case unreadable
        /// A strict sync has met something that cannot be used.
        case strict
    }
}

extension SyncError {
    /// The error for a payload without an array and without an object that can be used.
    init(noObjectsFor entity: String, _ report: SyncReport?) {
        let found = report.map { " (expected \($0.expected), found \($0.found))" } ?? ""
        self.init(
            .noObjects,
            "the payload is neither an array nor an object with a key of '\(entity)'\(found): pass the array of "
                + "objects alone. Nothing has changed")
    }
}

extension SyncError: CustomStringConvertible {
    /// What is wrong, and what to do about it.
    public var description: String { message }
}
