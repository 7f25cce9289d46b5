public import Observation

/// A value of a store for views, which update themselves when it changes.
///
/// ```swift
/// struct OpenCount: View {
///     @State private var count: ObservedValue<Int>
///
///     init(of store: SQLiteAdapter) {
///         let open = Query("ToDo", where: Field("isDone") == false)
///         _count = State(wrappedValue: ObservedValue(store.counts(of: open)))
///     }
///
///     var body: some View {
///         Text("\(count.value ?? 0) open")
///             .task { await count.observe() }
///     }
/// }
/// ```
///
/// ``QueryResults`` is the form for the results of a query.
@MainActor @Observable
public final class ObservedValue<Value: Sendable> {
    /// The latest value; nil before the first one was read.
    public private(set) var value: Value?

    /// The error that ended the last call of ``observe()``; nil if there is none.
    ///
    /// The value before the error is kept.
    public private(set) var error: (any Error)?

    /// The values as a sequence.
    @ObservationIgnored private let observation: StoreObservation<Value>
    /// The state after the last value, from which a later call goes on.
    @ObservationIgnored private var state: (any ObservedState<Value>)?

    /// Creates a value that is not observed yet.
    public init(_ observation: StoreObservation<Value>) {
        self.observation = observation
    }

    /// Keeps the value up to date until the task is cancelled, the store is closed, or the value cannot be read.
    ///
    /// A later call resumes with the changes since the last value, and removes ``error``. One call at a time observes.
    public func observe() async {
        error = nil
        var iterator = observation.makeAsyncIterator(after: state)
        do {
            while let value = try await iterator.next() {
                state = iterator.state
                self.value = value
            }
        } catch {
            self.error = error
        }
    }
}
