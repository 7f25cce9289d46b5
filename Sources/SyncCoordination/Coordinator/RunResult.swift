package import StoreSync

/// The end of a run: one cycle, or the batches of a processor.
package enum RunResult: Sendable {
    /// A cycle has ended.
    case cycle(StoreOutcome)
    /// A processor has nothing to do now.
    case processor(ProcessorReport)
    /// An error has ended the run.
    case failed(RunFailure)
    /// The run was cancelled.
    case cancelled
}
