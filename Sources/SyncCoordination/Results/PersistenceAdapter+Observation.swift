public import StoreSync
public import SyncPersistence

extension PersistenceAdapter {
    /// Observes the records of a query.
    ///
    /// ```swift
    /// for try await todos in store.results(Query("ToDo", sort: [Query.SortKey("due")], limit: 50)) {
    ///     print(todos.elements.count, todos.changes as Any)
    /// }
    /// ```
    ///
    /// A snapshot follows each commit that changes the results, also by a change of a related record to which a path of
    /// the query leads.
    ///
    /// - Parameter query: The records, their order, and the window of them.
    /// - Returns: The present results, and then each later snapshot of them. See ``StoreObservation``.
    /// - Complexity: A commit costs O(*c*) for *c* changes if no changed record matches the filter. Otherwise it costs
    ///   O(*m*) for *m* records of the window, whatever the offset. The records that enter from beside the window are
    ///   read; an index that begins with the first sort key makes that independent of the number of records. The query
    ///   is evaluated again if it has no sort key, or if equal sort values leave the order open. It is also evaluated
    ///   again if paths lead to other records, or if other commits have followed.
    public func results(_ query: Query) -> StoreObservation<QuerySnapshot<Record>> {
        StoreObservation(of: self) { ResultsState(query, .records(of: query.entity)) }
    }

    /// Observes the elements of an app's own type that a query selects.
    ///
    /// ```swift
    /// let open = Query("ToDo", where: Field("isDone") == false, sort: [Query.SortKey("due")], limit: 50)
    /// for try await todos in store.results(open, as: ToDo.self) {
    ///     show(todos.elements)
    /// }
    /// ```
    ///
    /// The type is one of `collection(of:entity:)`. That call registers a type that is stored as JSON. A type that stores
    /// keys of related records is also updated when these relationships change.
    ///
    /// - Parameters:
    ///   - query: The records, their order, and the window of them.
    ///   - type: The type of the elements.
    /// - Returns: The present results, and then each later snapshot of them. See ``StoreObservation``. An iteration
    ///   throws the errors of `collection(of:entity:)` too.
    /// - Complexity: As ``results(_:)``. Only changed records are decoded.
    public func results<Element: Codable & Identifiable & Equatable & Sendable>(
        _ query: Query, as type: Element.Type
    ) -> StoreObservation<QuerySnapshot<Element>> where Element.ID: Codable & Sendable {
        StoreObservation(of: self) {
            ResultsState(query, try await collection(of: type, entity: query.entity).coding)
        }
    }

    /// Observes the number of a query's records.
    ///
    /// - Parameter query: The records to count.
    /// - Returns: The present number, and then each other number. See ``StoreObservation``.
    /// - Complexity: O(number of changes) for a commit, without offset, limit and paths to other records; otherwise a
    ///   count for each commit that concerns the query
    public func counts(of query: Query) -> StoreObservation<Int> {
        StoreObservation(of: self) { CountState(query) }
    }

    /// Observes a record.
    ///
    /// ```swift
    /// for try await todo in store.versions(of: RecordID("ToDo", 7)) {
    ///     print(todo.map { "\($0)" } ?? "deleted")
    /// }
    /// ```
    ///
    /// - Parameter id: The entity and the key of the record.
    /// - Returns: The present version of the record, and then each later one; nil while there is no record. See
    ///   ``StoreObservation``.
    /// - Complexity: O(number of changes) for a commit
    public func versions(of id: RecordID) -> StoreObservation<Record?> {
        StoreObservation(of: self) { try VersionState(of: id, .records(of: id.entity), in: schema) }
    }

    /// Observes an element of an app's own type.
    ///
    /// - Parameters:
    ///   - id: The entity and the key of the record.
    ///   - type: The type of the element, as for ``results(_:as:)``.
    /// - Returns: The present version of the element, and then each later one; nil while there is no record. See
    ///   ``StoreObservation``. An iteration throws if no element can be read from the record.
    /// - Complexity: O(number of changes) for a commit
    public func versions<Element: Codable & Identifiable & Equatable & Sendable>(
        of id: RecordID, as type: Element.Type
    ) -> StoreObservation<Element?> where Element.ID: Codable & Sendable {
        StoreObservation(of: self) {
            let coding = try await collection(of: type, entity: id.entity).coding
            return try VersionState(of: id, coding, in: schema)
        }
    }
}

extension PersistenceAdapter {
    /// Observes how far the synchronization of records is, such as for the marks beside the rows of a list.
    ///
    /// ```swift
    /// for try await states in store.syncStates(of: todos.map { RecordID("ToDo", .integer(Int64($0.id))) }) {
    ///     show(states)
    /// }
    /// ```
    ///
    /// - Parameter ids: The entities and the keys of the records.
    /// - Returns: The present states of all the records, and then again whenever one of them is another one. See
    ///   ``StoreObservation``.
    /// - Complexity: O(number of records) for a commit; also O(size of the push) while a push has no response
    public func syncStates(of ids: [RecordID]) -> StoreObservation<[RecordID: RecordSyncState]> {
        StoreObservation(of: self) { RereadState { try $0.syncStates(of: ids) } }
    }

    /// Observes what the synchronization has left to people: open conflicts and refused changes.
    ///
    /// ```swift
    /// for try await inbox in store.inbox() {
    ///     badge = inbox.conflicts.count + inbox.refused.count
    /// }
    /// ```
    ///
    /// - Returns: The present inbox, and then each later one. See ``StoreObservation``.
    /// - Complexity: O(number of changed records) for a commit
    public func inbox() -> StoreObservation<StoreInbox> {
        StoreObservation(of: self) { RereadState { try $0.inbox } }
    }
}

extension PersistentCollection {
    /// Observes the elements that a filter selects.
    ///
    /// It is `results(_:as:)` of the store, for a collection with a coding of its own.
    ///
    /// - Parameters:
    ///   - filter: The condition; nil for all elements.
    ///   - sort: The values to sort by, the most important first.
    ///   - offset: How many elements are omitted at the beginning.
    ///   - limit: How many elements are read at most; nil for all.
    /// - Returns: The present results, and then each later snapshot of them. See ``StoreObservation``.
    public func results(
        where filter: Filter? = nil, sort: [Query.SortKey] = [], offset: Int = 0, limit: Int? = nil
    ) -> StoreObservation<QuerySnapshot<Element>> {
        StoreObservation(of: store) { [coding] in
            ResultsState(Query(coding.entity, where: filter, sort: sort, offset: offset, limit: limit), coding)
        }
    }
}
