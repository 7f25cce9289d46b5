/// A stored collection of elements of one type, by their keys.
///
/// It works as a `JournaledCollection` does in memory, but its size is limited only by the store, and it survives a
/// restart.
///
/// ```swift
/// let notes = try await store.collection(of: Note.self, entity: "Note")
/// try await notes.insert(Note(id: 7, text: "milk"))
/// try await notes.edit(7) { $0.text = "oat milk" }
/// try await notes.localDiff   // + note 7
///
/// try await notes.synchronize(with: server, policy: .newest(by: \.modified))
/// ```
///
/// Each operation is one transaction. The variants with a transaction as a parameter combine several operations:
///
/// ```swift
/// try await store.write { transaction in
///     try drafts.remove(7, in: transaction)
///     try notes.insert(note, in: transaction)
/// }
/// ```
///
/// Storing an element that is equal to the existing one changes nothing. Elements are in the order in which they were
/// first stored.
///
/// Keys that are equal in Swift are one key: text by canonical equivalence, and `0.0` is `-0.0`. A key that is neither a
/// number, a UUID nor text is compared by its JSON. Only text keys of an entity of the schema are compared by their
/// scalars, as in the rest of the store, so an app creates them in one form.
public struct PersistentCollection<Element: Equatable & Sendable, Key: Hashable & Sendable>: Sendable {
    /// The store.
    public let store: any PersistenceAdapter

    /// The coding of the elements as records.
    public let coding: RecordCoding<Element, Key>

    /// The state of the collection since it was opened.
    let opening: CollectionOpening

    /// Creates the collection of the elements that an entity of a store contains.
    ///
    /// - Parameters:
    ///   - store: The store, whose schema has the entity.
    ///   - coding: The coding of the elements as records.
    public init(in store: any PersistenceAdapter, coding: RecordCoding<Element, Key>) {
        self.init(in: store, coding: coding, CollectionOpening())
    }

    /// Creates a collection that shares the state of an opening with others.
    init(in store: any PersistenceAdapter, coding: RecordCoding<Element, Key>, _ opening: CollectionOpening) {
        self.store = store
        self.coding = coding
        self.opening = opening
    }
}

/// The state of a collection since it was opened.
final class CollectionOpening: Sendable {
    /// Set by the first pull after the opening.
    private let pulled = Locked(false)

    /// Whether the type has been applied to the remote's elements that could not be read before.
    var hasPulled: Bool { pulled.current }

    /// Records that the type has been applied to the remote's elements.
    func recordPull() { pulled.exchange(with: true) }
}

extension PersistentCollection {
    /// The name of the entity.
    public var entity: String { coding.entity }

    /// Returns the element with a key; nil if there is none.
    ///
    /// - Throws: ``PersistenceError`` if the store cannot be read, or no element can be read from the record.
    public func element(_ key: Key) async throws -> Element? {
        try await store.read { try element(key, in: $0) }
    }

    /// Returns all elements, in the order in which they were first stored.
    ///
    /// An element that cannot be read is kept unchanged, and reported in ``StoredElements/unreadable``.
    ///
    /// - Throws: ``PersistenceError`` if the store cannot be read.
    /// - Complexity: O(*n*). ``forEach(_:)`` does not hold them in memory all at once.
    public func elements() async throws -> StoredElements<Element> {
        try await store.read { try elements(in: $0) }
    }

    /// Returns the elements whose records a filter selects.
    ///
    /// ```swift
    /// let open = try await todos.elements(where: Field("project") == .uuid(boat), sort: [Query.SortKey("due")])
    /// ```
    ///
    /// Filter and sort keys have the attributes of the entity, and paths through its relationships. Elements that are
    /// stored as JSON have none but their key.
    ///
    /// - Parameters:
    ///   - filter: The condition; nil for all elements.
    ///   - sort: The values to sort by, the most important first.
    ///   - limit: How many elements are read at most; nil for all.
    /// - Throws: ``PersistenceError`` for a name that the entity does not have, or a value that an attribute cannot be
    ///   compared with, and if the store cannot be read.
    /// - Complexity: O(number of examined records)
    public func elements(
        where filter: Filter?, sort: [Query.SortKey] = [], limit: Int? = nil
    ) async throws -> StoredElements<Element> {
        try await store.read { try elements(where: filter, sort: sort, limit: limit, in: $0) }
    }

    /// Calls a body with each element, in the order in which they were first stored, until it returns false.
    ///
    /// - Returns: An error for each element up to there that cannot be read, with its key. The element is kept
    ///   unchanged.
    /// - Throws: The error of the body; ``PersistenceError`` if the store cannot be read.
    public func forEach(
        _ body: @escaping @Sendable (Element) throws -> Bool
    ) async throws -> [PersistenceError] {
        try await store.read { try forEach(in: $0, body) }
    }

    /// The number of elements, including those that cannot be read.
    ///
    /// - Throws: ``PersistenceError`` if the store cannot be read.
    public var count: Int {
        get async throws { try await store.read { try $0.count(Query(entity)) } }
    }
}

extension PersistentCollection {
    /// Returns the element with a key; nil if there is none.
    ///
    /// See ``element(_:)``.
    public func element(_ key: Key, in transaction: ReadTransaction) throws -> Element? {
        try transaction.record(coding.id(of: key)).map { try coding.element(of: $0, in: transaction) }
    }

    /// Returns all elements.
    ///
    /// See ``elements()``.
    public func elements(in transaction: ReadTransaction) throws -> StoredElements<Element> {
        try elements(where: nil, in: transaction)
    }

    /// Returns the elements whose records a filter selects.
    ///
    /// See ``elements(where:sort:limit:)``.
    public func elements(
        where filter: Filter?, sort: [Query.SortKey] = [], limit: Int? = nil, in transaction: ReadTransaction
    ) throws -> StoredElements<Element> {
        var elements: [Element] = []
        let unreadable = try reader(in: transaction).forEach(Query(entity, where: filter, sort: sort, limit: limit)) {
            elements.append($0)
            return true
        }
        return StoredElements(elements, unreadable: unreadable)
    }

    /// Calls a body with each element.
    ///
    /// See ``forEach(_:)``.
    public func forEach(
        in transaction: ReadTransaction, _ body: (Element) throws -> Bool
    ) throws -> [PersistenceError] {
        try reader(in: transaction).forEach(Query(entity), body)
    }

    /// Returns a reader of elements within a transaction.
    func reader(in transaction: ReadTransaction) -> ElementReader<Element, Key> {
        ElementReader(coding: coding, transaction: transaction)
    }
}
