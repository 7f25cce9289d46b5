public import Observation

/// A value of a store for views, which update themselves when it changes.
///
/// ```swift
/// struct OpenCount: View {
///     @State private var count: ObservedValue<Int>
///
///     init(of store: any PersistenceAdapter) {
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

    /// The error for which the value is not kept up to date; nil if there is none.
    ///
    /// The value before the error is kept.
    public private(set) var error: (any Error)?

    /// The values as a sequence.
    @ObservationIgnored private var observation: StoreObservation<Value>
    /// The state after the last value of the observation, from which a later call goes on.
    @ObservationIgnored private var state: (any ObservedState<Value>)?
    /// The state after the last value, if that is the value of an earlier observation.
    @ObservationIgnored private var former: (any ObservedState<Value>)?

    /// The number of calls of ``load(_:)``.
    @ObservationIgnored private var loadCount = 0
    /// The task of the present call of ``observe()`` that receives values; nil if there is no call.
    @ObservationIgnored private var iteration: Task<Void, Never>?

    /// Creates a value that is not observed yet.
    public init(_ observation: StoreObservation<Value>) {
        self.observation = observation
    }

    /// Observes another value in place of the present one.
    ///
    /// ```swift
    /// count.load(store.counts(of: Query("ToDo")))
    /// ```
    ///
    /// The present value is kept until the other one was read. A running call of ``observe()`` goes on with the other
    /// one; otherwise, the next call of it does, and ``error`` is kept until then. Of several calls that follow each
    /// other, the last one counts.
    ///
    /// If the other value cannot be read, ``error`` is set, and ``observe()`` waits for another ``load(_:)``.
    ///
    /// - Parameter observation: The observation of the other value.
    public func load(_ observation: StoreObservation<Value>) {
        self.observation = observation
        former = state ?? former
        state = nil
        if iteration != nil { error = nil }
        loadCount += 1
        iteration?.cancel()
    }

    /// Keeps the value up to date until the task is cancelled, the store is closed, or the value cannot be read.
    ///
    /// After a call of ``load(_:)``, a value that cannot be read does not end the call, which waits for another
    /// ``load(_:)``.
    ///
    /// A later call resumes with the changes since the last value, and removes ``error``. One call at a time observes.
    public func observe() async {
        error = nil
        var number: Int
        repeat {
            number = loadCount
            let iteration = Task { [number] in await self.receiveValues(ofLoad: number) }
            self.iteration = iteration
            await withTaskCancellationHandler {
                await iteration.value
            } onCancel: {
                iteration.cancel()
            }
            // Another call may have begun, such as that of a view's next task.
            if self.iteration == iteration { self.iteration = nil }
        } while number != loadCount && !Task.isCancelled
    }

    /// Receives the values of the observation until another one is loaded.
    private func receiveValues(ofLoad number: Int) async {
        // Another observation may have been loaded since the start of the task.
        if number != loadCount { return }
        var iterator = observation.makeAsyncIterator(after: state, replacing: former)
        do {
            while let value = try await iterator.next() {
                if number != loadCount { return }
                state = iterator.state
                former = nil
                self.value = value
            }
        } catch {
            if number != loadCount { return }
            self.error = error
            if number == 0 { return }
            // Until the task is cancelled, also by the next call of `load(_:)`.
            let (stream, continuation) = AsyncStream<Void>.makeStream()
            for await _ in stream {}
            continuation.finish()
        }
    }
}
