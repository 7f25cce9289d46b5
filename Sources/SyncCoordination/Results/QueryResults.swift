public import DifferentialSync
public import Observation
public import SyncPersistence

/// The results of a query for views, which update themselves when the results change.
///
/// ```swift
/// struct ToDoList: View {
///     @State private var todos: QueryResults<ToDo>
///
///     init(of store: any PersistenceAdapter) {
///         let open = Query("ToDo", where: Field("isDone") == false, sort: [Query.SortKey("due")])
///         _todos = State(wrappedValue: QueryResults(store.results(open, as: ToDo.self)))
///     }
///
///     var body: some View {
///         List(todos.elements) { Text($0.title) }
///             .overlay { if let error = todos.error { Text(verbatim: "\(error)") } }
///             .task { await todos.observe() }
///     }
/// }
/// ```
@MainActor @Observable
public final class QueryResults<Element: Sendable> {
    /// The elements with the changes since the last ones.
    @ObservationIgnored private let snapshot: ObservedValue<QuerySnapshot<Element>>

    /// Creates results that are not observed yet.
    ///
    /// - Parameter results: The observation of the query, such as `store.results(query, as: ToDo.self)`.
    public init(_ results: StoreObservation<QuerySnapshot<Element>>) {
        snapshot = ObservedValue(results)
    }

    /// The latest elements, and the errors of those that cannot be read; empty before the first reading.
    public var elements: StoredElements<Element> { snapshot.value?.elements ?? [] }

    /// The changes that led to ``elements`` from the elements before; see ``QuerySnapshot/changes``.
    public var changes: Diff<Element>? { snapshot.value?.changes }

    /// Whether the elements have been read at least once.
    public var isLoaded: Bool { snapshot.value != nil }

    /// The error for which the results are not kept up to date; nil if there is none.
    ///
    /// The elements before the error are kept.
    public var error: (any Error)? { snapshot.error }

    /// Shows the results of another query in place of the present ones.
    ///
    /// ```swift
    /// let all = Query("ToDo", sort: [Query.SortKey("title")])
    /// todos.load(store.results(all, as: ToDo.self))
    /// ```
    ///
    /// The present ``elements`` are kept until those of the other query were read, and ``changes`` is then the difference
    /// between both. A running call of ``observe()`` goes on with the other query; otherwise, the next call of it does.
    /// Of several calls that follow each other, the last one counts.
    ///
    /// If the other query cannot be read, ``error`` is set, and ``observe()`` waits for another ``load(_:)``.
    ///
    /// - Parameter results: The observation of the other query, such as `store.results(query, as: ToDo.self)`.
    /// - Complexity: As the first reading of the other query. All its elements are decoded.
    public func load(_ results: StoreObservation<QuerySnapshot<Element>>) { snapshot.load(results) }

    /// Keeps the results up to date until the task is cancelled, the store is closed, or they cannot be read.
    ///
    /// After a call of ``load(_:)``, results that cannot be read do not end the call, which waits for another
    /// ``load(_:)``.
    ///
    /// A later call resumes with the changes since the last results, and removes ``error``. One call at a time observes.
    public func observe() async { await snapshot.observe() }
}
