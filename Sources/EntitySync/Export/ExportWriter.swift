import Dispatch
import SyncPersistence

/// Writes a document part by part on a second thread, while the next part is read and arranged.
// because: the queue alone touches what can change, or whoever has waited for it.
final class ExportWriter<Sink: ExportSink>: @unchecked Sendable {
    private var sink: Sink
    private var failure: (any Error)?
    private let thread = DispatchQueue(label: "DifferentialSync.ExportWriter")

    /// What is being written: the thread that has made it lets go of it, as two that allocate and free the same memory
    /// wait for each other.
    private var part: Part?

    /// A writer into a sink, in which an array is open.
    init(_ sink: Sink) { self.sink = sink }

    /// Begins to write the first nodes of a part as elements of the array.
    ///
    /// - Throws: Why the part before could not be written.
    func write(_ part: ExportGraph, count: Int) throws {
        try wait()
        let part = Part(graph: part.arranged)
        self.part = part
        thread.async {
            do {
                for position in 0..<count {
                    self.sink.element()
                    try part.graph.write(position, to: &self.sink)
                }
            } catch {
                self.failure = error
            }
        }
    }

    /// What has been written, with the array closed.
    func finish() throws -> Sink {
        try wait()
        sink.endArray()
        return sink
    }

    /// Waits until nothing is being written any more.
    func stop() { thread.sync {} }

    private func wait() throws {
        stop()
        part = nil
        if let failure { throw failure }
    }

    // because: nobody changes it any more, and the transaction in it is not asked.
    private struct Part: @unchecked Sendable {
        let graph: ExportGraph
    }
}
