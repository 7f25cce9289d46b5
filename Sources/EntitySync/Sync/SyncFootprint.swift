/// The tokens of records and relationships that the objects of a payload specify, and that the sync writes.
///
/// An unchanged object can be skipped if the sync has written nothing that it specifies.
///
/// For example, an unchanged user lists post 3, and a new post list moves post 3 to another user. The move writes the
/// relationship of the first user, which therefore is processed although its bytes are the same.
final class SyncFootprint {
    /// The tokens that the objects specify, object by object.
    private(set) var specified: [UInt64] = []

    /// The number of the current object, in the order of processing.
    private(set) var object = 0

    /// The written tokens, each with the number of the last object that wrote it.
    private var written = TokenTable()

    /// The tokens of the relationships of records that the current object has inserted.
    ///
    /// No earlier object can specify them, so writing them requires no object to be processed again.
    private var ofNewRecords: [UInt64] = []
    /// More of these tokens than are searched one by one.
    private var moreOfNewRecords: Set<UInt64> = []

    /// How many tokens are searched one by one.
    private static let searchLimit = 16

    /// Whether nothing was written.
    var isUnwritten: Bool { written.isEmpty }

    /// All written tokens, in no particular order.
    var allWritten: [UInt64] { written.all }

    /// Begins the next object.
    func beginObject() {
        object += 1
        (ofNewRecords, moreOfNewRecords) = ([], [])
    }

    /// Ends the last object.
    ///
    /// Later writes count as made after all objects.
    func endObjects() {
        object = .max
        (ofNewRecords, moreOfNewRecords) = ([], [])
    }

    /// Releases all tokens.
    func forget() {
        (specified, written, ofNewRecords, moreOfNewRecords) = ([], TokenTable(), [], [])
    }

    /// Records that the current object specifies a record.
    func specify(_ token: UInt64) { specified.append(token) }

    /// Records the tokens that a skipped object specifies.
    func specify(_ tokens: ArraySlice<UInt64>) { specified += tokens }

    /// Records that the current object specifies a relationship of a record.
    func specify(relationship token: UInt64, isNew: Bool) {
        specified.append(token)
        if !isNew { return }
        if ofNewRecords.count < Self.searchLimit { ofNewRecords.append(token) } else { moreOfNewRecords.insert(token) }
    }

    /// Records the write of a record or relationship that earlier objects may specify.
    func write(_ token: UInt64) { written[token] = object }

    /// Records the write of a record or relationship, unless it is a relationship of one of the object's own new
    /// records.
    func writeUnlessNew(_ token: UInt64) {
        if !ofNewRecords.contains(token), !moreOfNewRecords.contains(token) { written[token] = object }
    }

    /// Whether any of the tokens was written.
    func isWritten(_ tokens: ArraySlice<UInt64>) -> Bool { !written.isEmpty && tokens.contains { written[$0] != nil } }

    /// Whether any of the tokens was written after an object was processed.
    func isWritten(_ tokens: ArraySlice<UInt64>, after object: Int) -> Bool {
        !written.isEmpty && tokens.contains { written[$0] ?? -1 > object }
    }
}
