/// The result of a processor's run.
package struct ProcessorReport: Hashable, Sendable {
    /// How many records the processor is done with.
    package var count = 0

    /// How many matching records the processor has refused, now or before.
    package var refusedCount = 0

    /// Whether records must be processed again after a while.
    package var isIncomplete = false

    /// The delay in seconds; nil if the processor has not specified one.
    package var retryAfter: Int?

    /// Why the processor could not receive the changes of others, or process the last batch; nil if it could.
    package var failure: RunFailure?

    /// Creates the report of a run that has done nothing.
    package init() {}
}
