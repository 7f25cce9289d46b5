/// Who has made which changes of a transaction.
struct HistoryWriters {
    /// The writer whose records are listed in the order of the changes, until another order needs a lookup.
    private var ordered: (writer: String, ids: [RecordID])?
    /// The writers by record, once a lookup was needed.
    private var writers: [RecordID: String] = [:]

    /// The only writer of the changes so far; nil if there are several, or if a change has none.
    var only: String? { isOnly ? latest : nil }
    /// Whether all changes so far have one writer.
    private var isOnly = true
    /// The writer of the last change.
    private var latest: String?

    /// Sets the writer of records.
    ///
    /// - Parameter root: Returns a record under the name of its hierarchy's root.
    mutating func set(_ writer: String, of ids: [RecordID], root: (RecordID) throws -> RecordID) rethrows {
        if ordered == nil && writers.isEmpty {
            ordered = (writer, try ids.map(root))
            return
        }
        index()
        for id in ids { writers[try root(id)] = writer }
    }

    /// Returns the writer of a change; nil if none was stated.
    ///
    /// - Parameters:
    ///   - id: The record, under the name of its hierarchy's root.
    ///   - position: The position of the change in the transaction.
    mutating func writer(of id: RecordID, at position: Int) -> String? {
        let writer = lookUp(id, position)
        if writer == nil || latest != nil && writer != latest { isOnly = false }
        latest = writer
        return writer
    }

    /// Returns the writer of a change; the position finds it without hashing as long as the order is as listed.
    private mutating func lookUp(_ id: RecordID, _ position: Int) -> String? {
        if let ordered {
            if position < ordered.ids.count, ordered.ids[position] == id { return ordered.writer }
            index()
        }
        return writers.isEmpty ? nil : writers[id]
    }

    /// Moves the listed writer into the table.
    private mutating func index() {
        guard let ordered else { return }
        for id in ordered.ids { writers[id] = ordered.writer }
        self.ordered = nil
    }
}

/// The last changes of a history without a change of another writer in between.
struct HistoryRun {
    /// Who has made the changes.
    let writer: String
    /// The number of the last change before the run.
    let start: Int64
    /// The number of the last change of the run.
    let end: Int64

    /// The run as a store keeps it.
    var text: String { "\(start) \(end) \(writer)" }
}

extension HistoryRun {
    /// Creates a run from its text; nil if it is not one.
    init?(text: String) {
        let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let start = Int64(parts[0]), let end = Int64(parts[1]) else { return nil }
        self.init(writer: String(parts[2]), start: start, end: end)
    }
}

extension ReadTransaction {
    /// Returns the last run of changes by one writer; nil if the last change has no writer.
    func historyRun() throws -> HistoryRun? { try metadata(HistoryName.run).flatMap { HistoryRun(text: $0) } }

    /// Whether a writer has made all changes after a number of the history.
    ///
    /// False if that is unknown.
    package func hasMadeAllChanges(_ writer: String, after sequence: Int64) throws -> Bool {
        guard let run = try historyRun(), run.writer == writer, run.start <= sequence else { return false }
        return try run.end == historySequence
    }
}
