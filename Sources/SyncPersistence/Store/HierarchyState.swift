/// The state of one hierarchy in a transaction: the touched records, the journal and the references.
final class HierarchyState {
    /// The root of the hierarchy.
    let root: Shape

    /// The index in ``ChangeLog/touched`` of the record with a key.
    ///
    /// The log alone changes it.
    var positions = PositionTable()

    /// The keys of records that neither exist now nor existed before the transaction, by the same indices.
    ///
    /// The log alone changes them.
    var keysOfNone: [Int: Value] = [:]

    /// Whether there were no records at the start of the transaction, so that it knows all existing ones.
    let wasEmpty: Bool

    /// The state of the hierarchy's journal.
    let journal: HierarchyJournal

    /// The counted keys of the hierarchy.
    var keys = KeyCounter()

    /// Whether references to existing records of it were made, which are checked again if such a record is deleted.
    private(set) var isReferenced = false

    /// Creates the state of a hierarchy that the transaction has not touched.
    init(root: Shape, wasEmpty: Bool, _ journal: HierarchyJournal) {
        (self.root, self.wasEmpty, self.journal) = (root, wasEmpty, journal)
    }

    /// Records that a reference to an existing record was made.
    func setIsReferenced() { isReferenced = true }

    /// The references of the hierarchy's shapes.
    private var references: [ObjectIdentifier: ReferenceSlots] = [:]
    /// The references that were used last, which the next record usually shares.
    private var latestReferences: ReferenceSlots?

    /// Returns the references of a shape, which are found once in a transaction.
    func references(of shape: Shape, in schema: @autoclosure () -> Schema) -> ReferenceSlots {
        if let latestReferences, latestReferences.shape === shape { return latestReferences }
        let found = references[ObjectIdentifier(shape)] ?? ReferenceSlots(of: shape, in: schema())
        references[ObjectIdentifier(shape)] = found
        latestReferences = found
        return found
    }
}

/// The last key that a store has counted for a hierarchy.
struct KeyCounter {
    /// The last key; nil until it was read.
    private var last: Int64?
    /// The last key, if it must be stored at the end of the transaction.
    private(set) var unsaved: Int64?

    /// Returns the metadata's name of the last key of a hierarchy.
    static func name(of root: String) -> String { "sync.lastKey.\(root)" }

    /// Gives a record the next key if it has none, and counts its key if it has one.
    ///
    /// A key is skipped if records of the remote wait for it: it is that of a record of the remote.
    mutating func assignKey(to record: inout Record, _ transaction: WriteTransaction) throws {
        let root = record.shape.root
        let last = try last ?? transaction.number(KeyCounter.name(of: root)) ?? 0
        self.last = last
        let slot = record.shape.keySlots[0]
        if case .integer(let key) = record.values[slot] {
            if key > last { (self.last, unsaved) = (key, key) }
        } else if record.values[slot].isNull {
            var next = last
            repeat {
                let (following, isTooLarge) = next.addingReportingOverflow(1)
                if isTooLarge {
                    throw PersistenceError(.wrongType, "the store has counted all keys: give the record one of its own")
                }
                next = following
            } while try transaction.awaited.isAwaited(RecordID(root, .integer(next)))
            record.values[slot] = .integer(next)
            (self.last, unsaved) = (next, next)
        }
    }
}
