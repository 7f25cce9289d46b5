/// A collection of keyed elements with a journal of its changes, so that the cost of a cycle depends on the changes
/// alone.
///
/// The *shadow* is the last common state of the collection and the remote. The journal stores it as the old values of
/// the elements that have changed since. So the local diff, the merge of a remote diff, and the acceptance of a new
/// shadow cost O(*d*) for *d* changes, in ten records or a million.
///
/// ```swift
/// var notes = try JournaledCollection(downloaded, primaryKey: \.id)   // these elements are also the shadow
/// try notes.update(Note(id: 7, text: "oat milk"))
/// notes.remove(9)
///
/// notes.localDiff              // ~ note 7, - note 9
/// notes.shadow(for: 7)?.text   // "milk"
/// ```
///
/// The collection is a value: a copy is a snapshot. It is also a `RandomAccessCollection`, in the order in which the
/// elements were inserted. So a list view can show it without a copy. Elements must be values too: the old and the new
/// value of a class element would be one object.
///
/// A NaN in an element is equal to itself, so it is no change. A key must be equal to itself.
public struct JournaledCollection<Element: Equatable, Key: Hashable & Sendable> {
    /// The elements, and the journal of their changes.
    @usableFromInline var slots: JournaledSlots<Element, Key>

    /// The last known state of the remote.
    @usableFromInline var agreement = Agreement<Element>()

    /// If this is a part of a stored collection, the keys of further changes to push that are not in the part.
    @usableFromInline package var outgoingKeysElsewhere: [Key] = []

    @usableFromInline
    init(_ reader: KeyReader<Element, Key>) {
        precondition(
            !(Element.self is AnyClass),
            """
            \(Element.self) is a class: its old and new values are one object, so no edit could be found. Use a structure
            """)
        slots = JournaledSlots(reader)
    }

    /// Reads the keys of the elements.
    @inlinable
    var reader: KeyReader<Element, Key> { slots.reader }
}

/// The state of the remote that a ``JournaledCollection`` last knew.
@usableFromInline
struct Agreement<Element> {
    /// The remote's version that the shadow was made from; nil if it is unknown.
    @usableFromInline var version: RemoteVersion?
    /// The account that the collection was synchronized with; nil for none.
    @usableFromInline var account: String?
    /// The push that was sent and has no response yet.
    @usableFromInline var pendingPush: Push<Element>?
    /// Which names pushes of the collection have had.
    @usableFromInline var pushNames = PushNames()
    /// Whether the remote has elements that could not be decoded at the latest pull.
    @usableFromInline var pullsEverything = false
}

extension JournaledCollection {
    /// The version of the remote that belongs to the shadow; nil before the first cycle.
    @inlinable
    public var version: RemoteVersion? { agreement.version }

    /// The account that the collection belongs to; nil if no cycle has named one.
    @inlinable
    public var account: String? { agreement.account }

    /// A push that was sent and not answered.
    ///
    /// The next ``SyncCycle`` first asks the remote whether it applied the push. Store the collection before the push
    /// is sent, so that this also works after the end of the process.
    @inlinable
    public var pendingPush: Push<Element>? { agreement.pendingPush }

    /// The names of the latest pushes, which no other push may have.
    @inlinable
    public var pushNames: PushNames { agreement.pushNames }
}

extension JournaledCollection {
    /// Creates a collection whose elements and shadow are the given elements.
    ///
    /// - Parameters:
    ///   - elements: The downloaded elements. Equal ones count once.
    ///   - version: The remote's version at that time. If it is nil, the first ``SyncCycle`` is a first contact: the
    ///     policy resolves all differences, and nothing is deleted.
    ///   - primaryKey: The key of an element.
    ///   - duplicates: The treatment of different elements with the same key. Elements that do not count are left out,
    ///     and are not deleted on the remote.
    /// - Throws: ``KeyError`` for duplicates that `duplicates` refuses, and for a key that is not equal to itself.
    /// - Complexity: O(*n*), for keys that hash well
    @inlinable
    public init(
        _ elements: some Collection<Element>, version: RemoteVersion? = nil,
        primaryKey: @escaping @Sendable (Element) -> Key, duplicates: DuplicatePolicy = .refuse
    ) throws(KeyError) {
        self.init(KeyReader(keyOf: primaryKey))
        try slots.load(elements, named: "elements", duplicates: duplicates)
        agreement.version = version
    }

    /// Restores a collection with its elements and its shadow, in their order.
    ///
    /// - Parameters:
    ///   - stored: The value of ``stored`` when the collection was stored. Equal elements count once.
    ///   - primaryKey: The key of an element.
    /// - Throws: ``KeyError`` for two different elements with the same key, or for a record whose versions have
    ///   different keys.
    /// - Complexity: O(*n*), for keys that hash well
    @inlinable
    public init(
        restoring stored: StoredCollection<Element>, primaryKey: @escaping @Sendable (Element) -> Key
    ) throws(KeyError) {
        self.init(KeyReader(keyOf: primaryKey))
        try load(stored)
    }

    /// Replaces the content by a stored one, whose local changes become the journal.
    ///
    /// - Throws: ``KeyError`` if two elements have one key.
    /// - Complexity: O(*n*) for *n* elements
    @inlinable
    mutating func load(_ stored: StoredCollection<Element>) throws(KeyError) {
        try reader.check(stored.client, in: "client")
        try reader.check(stored.shadow, in: "shadow")
        let changes = try keyedDiff(
            wins: stored.client, loses: stored.shadow, named: ("client", "shadow"), primaryKey: reader.keyOf,
            duplicates: .refuse)
        try slots.load(stored.shadow, named: "shadow")
        for change in changes?.changes ?? [] { slots.set(change.new, forKey: reader.keyOf(change.element)) }
        slots.restoreOrder(of: stored.client, shadowCount: slots.elements.count - (changes?.add.count ?? 0))
        slots.restoreShadowOrder(of: stored.shadow)
        agreement.version = stored.version
        agreement.account = stored.account
        agreement.pendingPush = stored.pendingPush
        agreement.pushNames = stored.pushNames
        if let id = stored.pendingPush?.id { agreement.pushNames.add(pushID: id) }
        agreement.pullsEverything = stored.pullsEverything
        let unresolved = stored.unresolved
        let keys = try reader.commonKeys(of: unresolved.map { [$0.local, $0.remote, $0.base] }, in: "unresolved")
        for (key, conflict) in zip(keys, unresolved) {
            if let key { slots.setShadow(slots.shadow(forKey: key), remote: conflict.remote, forKey: key) }
        }
        _ = try reader.changes(of: stored.pendingPush?.changes, named: "pendingPush")
    }
}

extension JournaledCollection where Element: Identifiable & SendableMetatype, Key == Element.ID {
    /// Creates a collection of `Identifiable` elements, which are also its shadow.
    ///
    /// See `init(_:version:primaryKey:duplicates:)`.
    ///
    /// - Complexity: O(*n*), for identifiers that hash well
    @inlinable
    public init(
        _ elements: some Collection<Element>, version: RemoteVersion? = nil, duplicates: DuplicatePolicy = .refuse
    ) throws(KeyError) {
        try self.init(elements, version: version, primaryKey: { $0.id }, duplicates: duplicates)
    }

    /// Restores a collection of `Identifiable` elements.
    ///
    /// See `init(restoring:primaryKey:)`.
    ///
    /// - Complexity: O(*n*), for identifiers that hash well
    @inlinable
    public init(restoring stored: StoredCollection<Element>) throws(KeyError) {
        try self.init(restoring: stored, primaryKey: { $0.id })
    }
}

extension JournaledCollection {
    /// Creates a collection of dictionary-like records, which are also its shadow, by the name of their key or the
    /// names of its parts.
    ///
    /// See `init(_:version:primaryKey:duplicates:)`.
    ///
    /// - Throws: ``KeyError`` also for a record that lacks its key.
    /// - Complexity: O(*n* · number of names), for keys that hash well
    public init<Value: Hashable & Sendable>(
        _ records: some Collection<[String: Value]>, version: RemoteVersion? = nil, primaryKey name: String,
        _ others: String..., duplicates: DuplicatePolicy = .refuse
    ) throws(KeyError) where Element == [String: Value], Key == RecordKey<Value> {
        let names = [name] + others
        self.init(names: names)
        try requireKeys(names, in: records, named: "records")
        try slots.load(records, named: "records", duplicates: duplicates)
        agreement.version = version
    }

    /// Restores a collection of dictionary-like records, by the name of their key or the names of its parts.
    ///
    /// See `init(restoring:primaryKey:)`.
    ///
    /// - Throws: ``KeyError`` also for a record that lacks its key.
    /// - Complexity: O(*n* · number of names), for keys that hash well
    public init<Value: Hashable & Sendable>(
        restoring stored: StoredCollection<[String: Value]>, primaryKey name: String, _ others: String...
    ) throws(KeyError) where Element == [String: Value], Key == RecordKey<Value> {
        let names = [name] + others
        self.init(names: names)
        try requireKeys(names, in: stored.client, named: "client")
        try requireKeys(names, in: stored.shadow, named: "shadow")
        try load(stored)
    }

    private init<Value: Hashable & Sendable>(
        names: [String]
    ) where Element == [String: Value], Key == RecordKey<Value> {
        self.init(
            KeyReader(keyOf: { RecordKey($0, names) }, missingKey: { record in names.first { record[$0] == nil } }))
    }
}

extension JournaledCollection: Sendable where Element: Sendable {}
extension Agreement: Sendable where Element: Sendable {}
