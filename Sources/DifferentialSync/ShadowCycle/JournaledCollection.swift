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
    /// The elements in order; nil for a deleted one.
    ///
    /// A slot always belongs to the same key. So elements keep their order, and a deleted element that is inserted
    /// again before the deletion is pushed gets its old place.
    @usableFromInline var slots: [Element?] = []

    /// The slots that hold an element.
    @usableFromInline var occupied = SlotSet()

    /// The slot of each element, and of each deleted one whose deletion is in the journal.
    @usableFromInline var slotsByKey: [Key: Int] = [:]

    /// The journal entries by slot.
    @usableFromInline var journal: [Int: JournalEntry<Element, Key>] = [:]

    /// The number of elements. O(1)
    public var count: Int { slotsByKey.count - deletionCount }

    /// The number of deletions in the journal.
    @usableFromInline var deletionCount = 0

    /// The slots of the journal's unresolved entries.
    @usableFromInline var unresolvedSlots: Set<Int> = []

    /// The last known state of the remote.
    @usableFromInline var agreement = Agreement<Element>()

    /// The position of each element in the shadow; empty if the shadow has the order of the slots.
    @usableFromInline var shadowRanks: [Key: Int] = [:]

    /// Compares elements, so that a NaN in them is equal to itself.
    @usableFromInline var sameness = SamenessCheck<Element>()

    /// If this is a part of a stored collection, the keys of further changes to push that are not in the part.
    @usableFromInline package var outgoingKeysElsewhere: [Key] = []

    @usableFromInline let keyOf: @Sendable (Element) -> Key

    /// Returns the name of a part of the key that a record lacks; nil if all elements have a key.
    @usableFromInline let missingKey: (@Sendable (Element) -> String?)?

    @usableFromInline
    init(keyOf: @escaping @Sendable (Element) -> Key, missingKey: (@Sendable (Element) -> String?)? = nil) {
        precondition(
            !(Element.self is AnyClass),
            """
            \(Element.self) is a class: its old and new values are one object, so no edit could be found. Use a structure
            """)
        self.keyOf = keyOf
        self.missingKey = missingKey
    }
}

/// The state of the remote that a ``JournaledCollection`` last knew.
@usableFromInline
struct Agreement<Element> {
    @usableFromInline var version: RemoteVersion?
    @usableFromInline var account: String?
    @usableFromInline var pendingPush: Push<Element>?
    @usableFromInline var pushNames = PushNames()

    /// The state of the shadow.
    @usableFromInline var mark = ShadowMark()

    /// Whether the remote has elements that could not be decoded at the latest pull.
    @usableFromInline var pullsEverything = false

    @inlinable
    init() {}
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

/// An entry of the journal of a ``JournaledCollection``, for one element.
@usableFromInline
struct JournalEntry<Element, Key> {
    @usableFromInline let key: Key

    /// The element in the shadow, or nil if the shadow lacks it.
    @usableFromInline var base: Element?

    /// Whether the remote is known to hold another version than the shadow.
    @usableFromInline var isUnresolved = false

    /// The remote's version, if the entry is unresolved.
    @usableFromInline var remote: Element?

    @inlinable
    init(key: Key, base: Element?) {
        self.key = key
        self.base = base
    }

    /// An element that has the key, if the entry holds one.
    @inlinable
    var anyElement: Element? { base ?? remote }
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
        self.init(keyOf: primaryKey)
        try load(elements, named: "elements", duplicates: duplicates)
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
        self.init(keyOf: primaryKey)
        try load(stored)
    }

    @inlinable
    mutating func load(_ stored: StoredCollection<Element>) throws(KeyError) {
        for (position, element) in stored.client.enumerated() { _ = try key(of: element, in: "client", at: position) }
        for (position, element) in stored.shadow.enumerated() { _ = try key(of: element, in: "shadow", at: position) }
        let changes = try keyedDiff(
            wins: stored.client, loses: stored.shadow, named: ("client", "shadow"), primaryKey: keyOf,
            duplicates: .refuse)
        try load(stored.shadow, named: "shadow")
        for change in changes?.changes ?? [] { set(change.new, forKey: keyOf(change.element)) }
        restoreOrder(of: stored.client, shadowCount: slots.count - (changes?.add.count ?? 0))
        restoreShadowOrder(of: stored.shadow)
        agreement.version = stored.version
        agreement.account = stored.account
        agreement.pendingPush = stored.pendingPush
        agreement.pushNames = stored.pushNames
        if let id = stored.pendingPush?.id { agreement.pushNames.add(pushID: id) }
        agreement.pullsEverything = stored.pullsEverything
        let unresolved = stored.unresolved
        let keys = try commonKeys(of: unresolved.map { [$0.local, $0.remote, $0.base] }, in: "unresolved")
        for (key, conflict) in zip(keys, unresolved) {
            if let key { setShadow(shadow(for: key), remote: conflict.remote, forKey: key) }
        }
        _ = try keyedChanges(of: stored.pendingPush?.changes, named: "pendingPush")
    }

    /// Returns for each record the key that all its versions have, or nil if it has no versions.
    @inlinable
    func commonKeys(of records: [[Element?]], in collection: String) throws(KeyError) -> [Key?] {
        var keys: [Key?] = []
        var positions: [Key: Int] = [:]
        for (position, versions) in records.enumerated() {
            var common: Key?
            for case let version? in versions {
                let key = try key(of: version, in: collection, at: position)
                if let common, key != common {
                    throw KeyError(.changed, in: collection, key: common, positions: [position])
                }
                common = key
            }
            if let common, let earlier = positions.updateValue(position, forKey: common) {
                throw KeyError(.duplicate, in: collection, key: common, positions: [earlier, position])
            }
            keys.append(common)
        }
        return keys
    }

    /// Brings the elements into the order of the client.
    ///
    /// Elements that only the shadow has keep their place.
    @inlinable
    mutating func restoreOrder(of client: [Element], shadowCount: Int) {
        var order: [Int] = []
        order.reserveCapacity(slots.count)
        var isPlaced = [Bool](repeating: false, count: slots.count)
        var next = 0
        for element in client {
            guard let slot = slotsByKey[keyOf(element)], !isPlaced[slot] else { continue }
            // Deletions that follow an element in the shadow are placed before the additions after it.
            while slot < shadowCount ? next < slot : next < shadowCount && (slots[next] == nil || isPlaced[next]) {
                if slots[next] == nil { order.append(next) }
                next += 1
            }
            isPlaced[slot] = true
            order.append(slot)
        }
        order += (next..<Swift.max(next, shadowCount)).filter { slots[$0] == nil }
        reorder(order)
    }

    /// Stores the order of the shadow if it differs from that of the slots, as in a stored collection made by hand.
    @inlinable
    mutating func restoreShadowOrder(of shadow: [Element]) {
        var last = -1
        for element in shadow {
            guard let slot = slotsByKey[keyOf(element)] else { continue }
            if slot < last {
                for (rank, element) in shadow.enumerated() { shadowRanks[keyOf(element)] = rank }
                return
            }
            last = slot
        }
    }

    @inlinable
    mutating func load(
        _ elements: some Collection<Element>, named name: String, duplicates: DuplicatePolicy = .refuse
    ) throws(KeyError) {
        if duplicates != .refuse {
            return try load(
                unique(Array(elements), named: name, primaryKey: keyOf, duplicates: duplicates), named: name)
        }
        slots.reserveCapacity(elements.count)
        slotsByKey.reserveCapacity(elements.count)
        for (position, element) in elements.enumerated() {
            let key = try key(of: element, in: name, at: position)
            guard let slot = slotsByKey[key] else {
                slotsByKey[key] = slots.count
                slots.append(element)
                continue
            }
            if sameness.areSame(slots[slot], element) { continue }
            let earlier = elements.enumerated().first { areSame($0.element, slots[slot]) }?.offset
            throw KeyError(.duplicate, in: name, key: key, positions: [earlier ?? 0, position])
        }
        occupied = SlotSet(full: slots.count)
        checkInvariants()
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
        try load(records, named: "records", duplicates: duplicates)
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
            keyOf: { RecordKey($0, names) }, missingKey: { record in names.first { record[$0] == nil } })
    }
}

extension JournaledCollection: Sendable where Element: Sendable {}
extension JournalEntry: Sendable where Element: Sendable, Key: Sendable {}
extension Agreement: Sendable where Element: Sendable {}
