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

    /// A writer into a sink, in which an array is open, or an object.
    init(_ sink: Sink) { self.sink = sink }

    /// Begins to write the first nodes of a part as elements of the array, or under names in the object.
    ///
    /// - Throws: Why the part before could not be written.
    func write(_ part: ExportGraph, count: Int, names: ArraySlice<ExportKey>? = nil) throws {
        try wait()
        let part = Part(graph: part.arranged)
        self.part = part
        thread.async {
            do {
                for position in 0..<count {
                    if let names { self.sink.key(names[names.startIndex + position]) } else { self.sink.element() }
                    try part.graph.write(position, isNamed: names != nil, to: &self.sink)
                }
            } catch {
                self.failure = error
            }
        }
    }

    /// What has been written, with the array or object closed.
    func finish(isMap: Bool = false) throws -> Sink {
        try wait()
        if isMap { sink.endObject() } else { sink.endArray() }
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
