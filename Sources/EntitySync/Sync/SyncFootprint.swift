/// What the objects of a payload specify, and what the sync writes, as tokens of records and relationships.
final class SyncFootprint {
    /// What the objects specify, one object after the other.
    private(set) var specified: [UInt64] = []

    /// The number of the object that is synced, in the order in which they are.
    private(set) var object = 0

    /// What was written, with the number of the last object that did so.
    private var written = TokenTable()

    /// The relationships of the object's new records, which no earlier object can specify.
    private var ofNewRecords: [UInt64] = []

    /// Whether nothing was written.
    var isUnwritten: Bool { written.isEmpty }

    /// All that was written, in no order.
    var allWritten: [UInt64] { written.all }

    /// Begins the next object.
    func beginObject() {
        object += 1
        ofNewRecords = []
    }

    /// Ends the last object: what is written from here on follows from several.
    func endObjects() {
        object = .max
        ofNewRecords = []
    }

    /// Records that the object specifies something.
    func specify(_ token: UInt64) { specified.append(token) }

    /// Records that the object specifies what others do, because it is skipped.
    func specify(_ tokens: ArraySlice<UInt64>) { specified += tokens }

    /// Records that the object specifies a relationship of a record.
    func specify(relationship token: UInt64, isNew: Bool) {
        specified.append(token)
        if isNew { ofNewRecords.append(token) }
    }

    /// Records that something was written that earlier objects may specify.
    func write(_ token: UInt64) { written[token] = object }

    /// Records a change of a record or relationship, unless it is one of the object's own new records.
    func writeUnlessNew(_ token: UInt64) {
        if !ofNewRecords.contains(token) { written[token] = object }
    }

    /// Whether any of some tokens was written.
    func isWritten(_ tokens: ArraySlice<UInt64>) -> Bool { !written.isEmpty && tokens.contains { written[$0] != nil } }

    /// Whether any of some tokens was written after an object.
    func isWritten(_ tokens: ArraySlice<UInt64>, after object: Int) -> Bool {
        !written.isEmpty && tokens.contains { written[$0] ?? -1 > object }
    }
}
