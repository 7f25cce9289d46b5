/// A collection of keyed elements with a journal of its own, so that a cycle costs what has changed, not what is there.
///
/// It knows its *shadow*, the state that it last had in common with the remote, as an overlay: the old images of the
/// elements that have changed since, and nothing else. So its local diff, taking in a remote diff, and accepting a new
/// shadow cost O(*d*) for *d* changes, in ten records or a million.
///
/// ```swift
/// var notes = try JournaledCollection(downloaded, primaryKey: \.id)   // its shadow is what it starts with
/// try notes.update(Note(id: 7, text: "oat milk"))
/// notes.remove(9)
///
/// notes.localDiff              // ~ note 7, - note 9
/// notes.shadow(for: 7)?.text   // "milk"
/// ```
///
/// A value type: a copy is a snapshot. Elements stand in the order in which they came. They must be values too: the old
/// and the new value of a class element would be one object.
///
/// A NaN in an element is equal to itself here, so it is no change. A key must be equal to itself.
public struct JournaledCollection<Element: Equatable, Key: Hashable> {
    /// The elements in order; nil where one has gone.
    ///
    /// Slots are never given to another key, so elements keep the order in which they came, and a deleted one that
    /// comes back before the deletion is pushed finds its place again.
    @usableFromInline var slots: [Element?] = []

    /// The slots that hold an element.
    @usableFromInline var occupied = SlotSet()

    /// Where the element with a key stands, or stood if its deletion is in the journal.
    @usableFromInline var slotsByKey: [Key: Int] = [:]

    /// What the journal holds, by slot.
    @usableFromInline var journal: [Int: JournalEntry<Element, Key>] = [:]

    /// The number of elements. O(1)
    public var count: Int { slotsByKey.count - deletionCount }

    /// How many deletions are in the journal.
    @usableFromInline var deletionCount = 0

    /// The slots of the journal's unsettled entries.
    @usableFromInline var unsettledSlots: Set<Int> = []

    /// What the collection knows of its remote.
    @usableFromInline var agreement = Agreement<Element>()

    /// Where an element stands in the shadow, if the shadow has another order than the slots.
    @usableFromInline var shadowRanks: [Key: Int] = [:]

    /// Compares elements, so that a NaN in them is equal to itself.
    @usableFromInline var sameness = SamenessCheck<Element>()

    /// Where this is a part of a stored collection: the keys of changes to be pushed that are not in it.
    @usableFromInline package var outgoingKeysElsewhere: [Key] = []

    @usableFromInline let keyOf: @Sendable (Element) -> Key

    /// The name of a part of the key that a record lacks; nil where the key is a function of the element.
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

/// What a ``JournaledCollection`` knows of its remote.
@usableFromInline
struct Agreement<Element> {
    @usableFromInline var version: RemoteVersion?
    @usableFromInline var account: String?
    @usableFromInline var pendingPush: Push<Element>?
    @usableFromInline var pushNames = PushNames()

    /// The state of the shadow.
    @usableFromInline var mark = ShadowMark()

    /// Whether the remote has elements that the latest pull could not read.
    @usableFromInline var pullsEverything = false

    @inlinable
    init() {}
}

extension JournaledCollection {
    /// The state of the remote that the shadow stands for; nil before the first cycle.
    @inlinable
    public var version: RemoteVersion? { agreement.version }

    /// The account that the collection belongs to; nil if no cycle has named one.
    @inlinable
    public var account: String? { agreement.account }

    /// A push that was sent and not answered.
    ///
    /// The next ``SyncCycle`` begins with the question what became of it. To survive the end of the process, a caller
    /// stores the collection before it sends the push.
    @inlinable
    public var pendingPush: Push<Element>? { agreement.pendingPush }

    /// The names of the latest pushes, which no other push may have.
    @inlinable
    public var pushNames: PushNames { agreement.pushNames }
}

/// What the journal of a ``JournaledCollection`` holds of one element.
@usableFromInline
struct JournalEntry<Element, Key> {
    @usableFromInline let key: Key

    /// The element in the shadow, or nil if it is not there.
    @usableFromInline var base: Element?

    /// Whether the remote is known to hold something else than the shadow.
    @usableFromInline var isUnsettled = false

    /// What the remote holds, where the entry is unsettled.
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
    /// A collection of the given elements, whose shadow they are.
    ///
    /// - Parameters:
    ///   - elements: The elements, as they were downloaded. Equal ones count once.
    ///   - version: The remote's version at that time. Without one the first ``SyncCycle`` is a first contact: it asks
    ///     about whatever differs, and nothing is deleted.
    ///   - primaryKey: The key of an element.
    /// - Throws: ``KeyError`` that names the key and the positions of two different elements with one key.
    /// - Complexity: O(*n*), for keys that hash well
    @inlinable
    public init(
        _ elements: some Collection<Element>, version: RemoteVersion? = nil,
        primaryKey: @escaping @Sendable (Element) -> Key
    ) throws(KeyError) {
        self.init(keyOf: primaryKey)
        try load(elements, named: "elements")
        agreement.version = version
    }

    /// A collection as it was left: client and shadow hold what they held, in their order.
    ///
    /// - Parameters:
    ///   - stored: What ``stored`` was when the collection was left. Equal elements count once.
    ///   - primaryKey: The key of an element.
    /// - Throws: ``KeyError`` that names the key and the positions of two different elements with one key, or the key
    ///   of a record whose versions have different ones.
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
        let unsettled = stored.unsettled
        let keys = try commonKeys(of: unsettled.map { [$0.local, $0.remote, $0.base] }, in: "unsettled")
        for (key, conflict) in zip(keys, unsettled) {
            if let key { setShadow(shadow(for: key), remote: conflict.remote, forKey: key) }
        }
        _ = try keyedChanges(of: stored.pendingPush?.changes, named: "pendingPush")
    }

    /// For each record the key that all its versions have, or nil if there are no versions.
    @inlinable
    func commonKeys(of records: [[Element?]], in collection: String) throws(KeyError) -> [Key?] {
        var keys: [Key?] = []
        var positions: [Key: Int] = [:]
        for (position, versions) in records.enumerated() {
            var common: Key?
            for case let version? in versions {
                let key = try key(of: version, in: collection, at: position)
                if let common, key != common {
                    throw KeyError(.changed, in: collection, key: "\(common)", positions: [position])
                }
                common = key
            }
            if let common, let earlier = positions.updateValue(position, forKey: common) {
                throw KeyError(.duplicate, in: collection, key: "\(common)", positions: [earlier, position])
            }
            keys.append(common)
        }
        return keys
    }

    /// Brings the elements into the order of the client; what is in the shadow alone stays where it stands there.
    @inlinable
    mutating func restoreOrder(of client: [Element], shadowCount: Int) {
        var order: [Int] = []
        order.reserveCapacity(slots.count)
        var isPlaced = [Bool](repeating: false, count: slots.count)
        var next = 0
        for element in client {
            guard let slot = slotsByKey[keyOf(element)], !isPlaced[slot] else { continue }
            // Before an addition stand the deletions that follow the element before it.
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

    /// Notes the order of the shadow if it is not that of the slots, as in a stored collection made by hand.
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
    mutating func load(_ elements: some Collection<Element>, named name: String) throws(KeyError) {
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
            throw KeyError(.duplicate, in: name, key: "\(key)", positions: [earlier ?? 0, position])
        }
        occupied = SlotSet(full: slots.count)
        checkInvariants()
    }
}

extension JournaledCollection where Element: Identifiable & SendableMetatype, Key == Element.ID, Key: SendableMetatype {
    /// A collection of the given elements, whose shadow they are, by their identifier.
    ///
    /// See `init(_:version:primaryKey:)`.
    ///
    /// - Complexity: O(*n*), for identifiers that hash well
    @inlinable
    public init(_ elements: some Collection<Element>, version: RemoteVersion? = nil) throws(KeyError) {
        try self.init(elements, version: version, primaryKey: { $0.id })
    }

    /// A collection as it was left, by its elements' identifier.
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
    /// A collection of dictionary-like records, whose shadow they are, by the name of their key, or the names of its
    /// parts.
    ///
    /// See `init(_:version:primaryKey:)`.
    ///
    /// - Throws: ``KeyError`` also for a record that lacks its key.
    /// - Complexity: O(*n* · number of names), for keys that hash well
    public init<Value: Hashable & SendableMetatype>(
        _ records: some Collection<[String: Value]>, version: RemoteVersion? = nil, primaryKey name: String,
        _ others: String...
    ) throws(KeyError) where Element == [String: Value], Key == RecordKey<Value> {
        let names = [name] + others
        self.init(names: names)
        try requireKeys(names, in: records, named: "records")
        try load(records, named: "records")
        agreement.version = version
    }

    /// A collection of dictionary-like records as it was left, by the name of their key, or the names of its parts.
    ///
    /// See `init(restoring:primaryKey:)`.
    ///
    /// - Throws: ``KeyError`` also for a record that lacks its key.
    /// - Complexity: O(*n* · number of names), for keys that hash well
    public init<Value: Hashable & SendableMetatype>(
        restoring stored: StoredCollection<[String: Value]>, primaryKey name: String, _ others: String...
    ) throws(KeyError) where Element == [String: Value], Key == RecordKey<Value> {
        let names = [name] + others
        self.init(names: names)
        try requireKeys(names, in: stored.client, named: "client")
        try requireKeys(names, in: stored.shadow, named: "shadow")
        try load(stored)
    }

    private init<Value: Hashable & SendableMetatype>(
        names: [String]
    ) where Element == [String: Value], Key == RecordKey<Value> {
        self.init(
            keyOf: { RecordKey($0, names) }, missingKey: { record in names.first { record[$0] == nil } })
    }
}

extension JournaledCollection: Sendable where Element: Sendable, Key: Sendable {}
extension JournalEntry: Sendable where Element: Sendable, Key: Sendable {}
extension Agreement: Sendable where Element: Sendable {}
