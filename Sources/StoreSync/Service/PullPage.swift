import SyncPersistence

/// The page of a pull: the changes after a cursor, as far as the limits of the service allow.
///
/// The history has a row for each changed record, at the number of its latest change. The page omits rows of the
/// device's own changes, and reports records that have left the device's scope.
struct PullPage {
    private let transaction: ReadTransaction
    private let request: PullRequest
    private let session: ServiceSession
    /// The entities of the scope that the device's schema does not have.
    private let lacking: Set<String>
    private let limits: SyncLimits

    private var entries: [PullResponse.Entry] = []
    private var size = 0
    /// The number of the last change that the page includes or omits, at which the next page continues.
    private var position: Int64
    /// Whether an entry did not fit into the page.
    private var isFull = false

    /// The entity that the device has of the last row's hierarchy.
    private var latestRoot: (root: String, entity: String?)?

    /// The names of the last record's slots; nil if the device does not have its entity.
    private var latestShape: (shape: Shape, names: [String]?)?

    /// The number of rows of the history that a page may examine, for each record that it may have.
    ///
    /// The device's own changes are omitted, and a device may have made all of the latest changes. The limit ends such
    /// a page, which then has few records or none.
    private static let rowsPerRecord = 10

    /// How many rows are read at once at least.
    private static let smallestRead = 64

    init(_ request: PullRequest, of session: ServiceSession, _ limits: SyncLimits, in transaction: ReadTransaction) {
        (self.request, self.session, self.limits, self.transaction) = (request, session, limits, transaction)
        lacking = Set(session.row.lacking)
        position = request.cursor.sequence
    }

    /// Returns the page.
    ///
    /// - Complexity: O(size of the page + number of the device's own changes in between), whatever the history's length
    static func response(
        to request: PullRequest, of session: ServiceSession, _ limits: SyncLimits, in transaction: ReadTransaction
    ) throws -> PullResponse {
        var page = PullPage(request, of: session, limits, in: transaction)
        try page.fill()
        return try page.response()
    }

    /// Adds the changes after the cursor until the page is full, or until enough rows were examined.
    private mutating func fill() throws {
        let limit = min(max(request.limit ?? limits.pageRecords, 1), limits.pageRecords)
        var rest = limits.pageRecords * Self.rowsPerRecord
        var ahead = ReadAhead(limit: limits.bytes)
        while position < session.sequence, rest > 0, !isFull, entries.count < limit {
            let wanted = min(max(limit - entries.count, Self.smallestRead), rest)
            let rows = try transaction.history(after: position, limit: wanted)
            if rows.isEmpty { position = session.sequence }
            var unread = rows[...]
            while !unread.isEmpty && !isFull && entries.count < limit {
                let part = unread.prefix(ahead.count)
                unread.removeFirst(part.count)
                try transaction.prefetch { part.filter(isWanted).map(\.id) }
                for row in part where !isFull && entries.count < limit {
                    if let entry = try entry(of: row) { add(entry) }
                    if !isFull { position = row.sequence }
                }
                ahead.plan(after: entries.count, of: size)
            }
            rest -= rows.count
        }
    }

    /// Adds an entry, unless the page is full; a record that is larger than a page travels alone.
    private mutating func add(_ entry: PullResponse.Entry) {
        let size = entry.messageSize
        if !entries.isEmpty && self.size + size > limits.bytes {
            isFull = true
        } else {
            entries.append(entry)
            self.size += size
        }
    }

    /// Whether the device needs a change: another writer has made it, or the device compares all records.
    private func isWanted(_ row: HistoryEntry) -> Bool { request.comparison != nil || row.writer != request.device }

    /// Returns the entry for a row of the history; nil for one that the device does not need.
    private mutating func entry(of row: HistoryEntry) throws -> PullResponse.Entry? {
        if !isWanted(row) { return nil }
        if latestRoot?.root != row.id.entity { latestRoot = (row.id.entity, knownEntity(root: row.id.entity)) }
        guard let entity = latestRoot?.entity else { return nil }
        let id = RecordID(entity, row.id.key)
        guard let record = try transaction.record(row.id) else { return PullResponse.Entry(id, .deleted) }
        if let names = names(of: record.shape), session.scope.isWhole || session.scope.contains(record) {
            return PullResponse.Entry(
                RecordID(record.entity, row.id.key), .present(ValueObject(distinct: names, record.values)))
        }
        return row.sequence > session.row.start ? PullResponse.Entry(id, .outOfScope) : nil
    }

    /// Returns the names of a shape's slots; nil if the device does not have the entity.
    private mutating func names(of shape: Shape) -> [String]? {
        if let latestShape, latestShape.shape === shape { return latestShape.names }
        let isKnown = session.scope.includes(shape) && !lacking.contains(shape.name)
        let names = isKnown ? session.scope.names(of: shape) : nil
        latestShape = (shape, names)
        return names
    }

    /// Returns an entity that the device has of the hierarchy with a root; nil if it has none.
    ///
    /// It has no abstract entities, because a handshake does not list them.
    private func knownEntity(root: String) -> String? {
        guard session.scope.includes(root: root), let shape = transaction.schema[root] else { return nil }
        return transaction.schema.hierarchy(of: shape).first {
            session.scope.includes($0) && !lacking.contains($0.name)
        }?.name
    }

    private func response() throws -> PullResponse {
        let remaining = session.sequence - position
        let hasAll = remaining == 0 && session.scope.isWhole && lacking.isEmpty
        return PullResponse(
            entries: entries, cursor: SyncCursor(epoch: session.row.history, sequence: position),
            hasMore: remaining > 0, remaining: Int(clamping: remaining),
            fingerprint: hasAll ? try transaction.fingerprint() : nil)
    }
}
