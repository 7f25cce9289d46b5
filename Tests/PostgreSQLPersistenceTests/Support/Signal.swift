/// Something that happens once, on any thread, and that a task waits for.
final class Signal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    /// It happened.
    func send() { continuation.finish() }

    /// Returns when it has happened.
    func wait() async { for await _ in stream {} }
}
