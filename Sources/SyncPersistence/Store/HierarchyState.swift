/// What a transaction knows of one hierarchy.
final class HierarchyState {
    let root: Shape
    /// Where in ``WriteTransaction/touched`` the record with a key stands.
    var positions = PositionTable()
    /// The keys of those that are not there now, and were not there before the transaction, by the same positions.
    var keysOfNone: [Int: Value] = [:]
    /// Whether there were no records when the transaction began, so that it knows all that are there now.
    let wasEmpty: Bool
    /// Whether the journal held nothing of the hierarchy when the transaction began, so that only what it has touched
    /// itself can have an entry.
    let journalWasEmpty: Bool
    /// Whether the transaction itself has made entries.
    var hasMadeEntries = false
    /// Their keys, where there were others.
    var newEntries: Set<Value> = []
    /// The keys of the journal's entries when they were read; nil until a transaction has looked up that many records.
    var journalKeys: Set<Value>?
    /// How many records the transaction has looked up in the journal.
    var journalLookups = 0
    /// What the journal held where the transaction has changed or removed an entry; it may be back.
    var formerEntries: [Value: Record?] = [:]
    /// The last key that was counted up, where the store counts them, and whether that is not noted yet.
    var lastKey: Int64?
    var hasNewLastKey = false
    /// The entities of the hierarchy that have records in flight; nil if that is not known yet.
    var entitiesInFlight: [String]?
    /// Whether records of it were named that were there then, and are to be looked for should they go.
    var isTrusted = false

    init(root: Shape, wasEmpty: Bool, journalWasEmpty: Bool) {
        self.root = root
        self.wasEmpty = wasEmpty
        self.journalWasEmpty = journalWasEmpty
    }

    /// The shape of a shape's entries in the journal, and the shape.
    private var latestJournal: (shape: Shape, journal: Shape)?

    /// The shape of a shape's entries in the journal.
    func journal(of shape: Shape, in schema: @autoclosure () -> Schema) -> Shape? {
        if let latestJournal, latestJournal.shape === shape { return latestJournal.journal }
        let journal = schema().journal(of: shape)
        latestJournal = journal.map { (shape, $0) }
        return journal
    }

    /// The slots of the hierarchy's shapes that name other records.
    private var references: [ObjectIdentifier: ReferenceSlots] = [:]
    private var latestReferences: ReferenceSlots?

    /// The slots of a shape that name other records.
    func references(of shape: Shape, in schema: @autoclosure () -> Schema) -> ReferenceSlots {
        if let latestReferences, latestReferences.shape === shape { return latestReferences }
        let found = references[ObjectIdentifier(shape)] ?? ReferenceSlots(of: shape, in: schema())
        references[ObjectIdentifier(shape)] = found
        latestReferences = found
        return found
    }
}
