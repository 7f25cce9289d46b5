import Foundation
import SyncPersistence

/// The lines of the standard input, which a test sends to its processes.
struct LoadInput: Sendable {
    private let stream: AsyncStream<Void>

    /// The number of lines so far.
    private let count: Locked<Int>

    /// Begins to read the lines.
    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let count = Locked(0)
        Thread.detachNewThread {
            while readLine() != nil {
                count.withLock { $0 += 1 }
                continuation.yield()
            }
            // The test has ended.
            exit(1)
        }
        (self.stream, self.count) = (stream, count)
    }

    /// Whether the input has had a line.
    var hasLine: Bool { count.current > 0 }

    /// Waits for a number of lines.
    func wait(forLines wanted: Int) async {
        if count.current >= wanted { return }
        for await _ in stream where count.current >= wanted { return }
    }
}

/// Writes a line to the standard output at once.
func writeLine(_ text: String) {
    // A test that has ended reads no more.
    do { try FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8)) } catch { exit(1) }
}
