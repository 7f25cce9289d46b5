/// What a transaction knows of one hierarchy.
final class HierarchyState {
    let root: Shape
    /// The index in ``WriteTransaction/touched`` of the record with a key.
    var positions = PositionTable()
    /// The keys of records that neither exist now nor existed before the transaction, by the same indices.
    var keysOfNone: [Int: Value] = [:]
    /// Whether there were no records at the start of the transaction, so that it knows all existing ones.
    let wasEmpty: Bool
    /// Whether the journal had no entries of the hierarchy at the start, so that only records that the transaction has
    /// changed can have one.
    let journalWasEmpty: Bool
    /// Whether the transaction itself has created entries.
    var hasMadeEntries = false
    /// Their keys, if there were others.
    var newEntries: Set<Value> = []
    /// The keys of the journal's entries when they were read; nil until a transaction has looked up as many records.
    var journalKeys: Set<Value>?
    /// How many records the transaction has looked up in the journal.
    var journalLookups = 0
    /// The journal's former entries that the transaction has changed or removed.
    var formerEntries: [Value: Record?] = [:]
    /// The last key of a counting store, and whether it is still to be stored.
    var lastKey: Int64?
    var hasNewLastKey = false
    /// The entities of the hierarchy with records in flight; nil if unknown.
    var entitiesInFlight: [String]?
    /// Whether references to existing records of it were made, which are checked again if such a record is deleted.
    var isTrusted = false

    init(root: Shape, wasEmpty: Bool, journalWasEmpty: Bool) {
        self.root = root
        self.wasEmpty = wasEmpty
        self.journalWasEmpty = journalWasEmpty
    }

    /// The shape of a shape's journal entries, and that shape.
    private var latestJournal: (shape: Shape, journal: Shape)?

    /// Returns the shape of a shape's journal entries.
    func journal(of shape: Shape, in schema: @autoclosure () -> Schema) -> Shape? {
        if let latestJournal, latestJournal.shape === shape { return latestJournal.journal }
        let journal = schema().journal(of: shape)
        latestJournal = journal.map { (shape, $0) }
        return journal
    }

    /// The references of the hierarchy's shapes.
    private var references: [ObjectIdentifier: ReferenceSlots] = [:]
    private var latestReferences: ReferenceSlots?

    /// Returns the references of a shape.
    func references(of shape: Shape, in schema: @autoclosure () -> Schema) -> ReferenceSlots {
        if let latestReferences, latestReferences.shape === shape { return latestReferences }
        let found = references[ObjectIdentifier(shape)] ?? ReferenceSlots(of: shape, in: schema())
        references[ObjectIdentifier(shape)] = found
        latestReferences = found
        return found
    }
}
