import SyncPersistence

/// The reports of a sync, and the names in its payload that match nothing in the schema.
final class SyncReports {
    /// Whether the first report makes the sync fail.
    private let isStrict: Bool
    /// The maximum number of listed reports.
    private let limit: Int
    /// The reports and unknown names so far.
    private(set) var content = Content()

    /// The part of the reports that the result of a sync contains.
    struct Content: Sendable {
        /// The first reports, as many as the options allow.
        fileprivate(set) var listed: [SyncReport] = []
        /// The number of all reports.
        fileprivate(set) var count = 0
        /// The names that match nothing in the schema, by entity.
        fileprivate(set) var unknownNames: [String: Set<String>] = [:]
    }

    /// The maximum number of unknown names that are listed for an entity.
    private static let unknownNameLimit = 100

    /// Creates an empty list.
    ///
    /// - Parameters:
    ///   - isStrict: Whether the first report is thrown as an error.
    ///   - limit: How many reports are listed; others are only counted.
    init(isStrict: Bool, limit: Int) {
        (self.isStrict, self.limit) = (isStrict, limit)
    }

    /// The number of reports so far.
    var count: Int { content.count }

    /// Adds a report about the value at a place.
    ///
    /// - Throws: `SyncError` if the sync is strict.
    func add(
        _ kind: SyncReport.Kind, at place: Place, of id: RecordID? = nil, _ property: String? = nil, expected: String,
        found: String
    ) throws {
        // Beyond the limit, reports are only counted and need no path.
        guard isStrict || content.listed.count < limit else { return content.count += 1 }
        try add(SyncReport(kind, at: place.path, of: id, property, expected: expected, found: found))
    }

    /// Adds a report.
    ///
    /// - Throws: `SyncError` if the sync is strict.
    func add(_ report: SyncReport) throws {
        if isStrict {
            throw SyncError(.strict, "\(report). Nothing has been stored, as the sync is strict", report: report)
        }
        content.count += 1
        if content.listed.count < limit { content.listed.append(report) }
    }

    /// Adds names of an entity's objects that match nothing in the schema.
    func addUnknown(_ names: some Sequence<String>, of entity: String) {
        var known = content.unknownNames[entity] ?? []
        for name in names {
            if known.count == Self.unknownNameLimit { break }
            known.insert(name)
        }
        content.unknownNames[entity] = known
    }

    /// Sorts the listed reports.
    func sort(_ sorted: ([SyncReport]) -> [SyncReport]) { content.listed = sorted(content.listed) }
}
