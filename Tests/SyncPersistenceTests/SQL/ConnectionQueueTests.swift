import Dispatch
import SyncPersistence
import Testing

struct ConnectionQueueTests {
    private struct Closed: Error {}

    /// A connection that records its work, and when it was closed.
    private final class Recorder: QueuedConnection {
        let name: Int
        let lines: Locked<[String]>

        init(_ name: Int, _ lines: Locked<[String]>) { (self.name, self.lines) = (name, lines) }

        func close() { record("closed") }

        func record(_ text: String) { lines.withLock { $0.append("\(name) \(text)") } }
    }

    private let lines = Locked<[String]>([])

    private func makeQueue(of count: Int) -> ConnectionQueue<Recorder> {
        let lines = lines
        return ConnectionQueue((0..<count).map { Recorder($0, lines) }, closedError: Closed())
    }

    @Test func oneConnectionRunsWorkInTheOrderOfSubmission() async throws {
        let queue = makeQueue(of: 1)
        for number in 0..<50 { try queue.submit { $0.record("\(number)") } }
        await queue.close()
        #expect(lines.current == (0..<50).map { "0 \($0)" } + ["0 closed"])
    }

    @Test func eachConnectionHasAThreadOfItsOwn() async throws {
        let queue = makeQueue(of: 3)
        let begun = DispatchGroup()
        // Each work waits until all three have begun.
        for _ in 0..<3 { begun.enter() }
        for _ in 0..<3 {
            try queue.submit { connection in
                begun.leave()
                begun.wait()
                connection.record("ran")
            }
        }
        await queue.close()
        #expect(lines.current.prefix(3).sorted() == ["0 ran", "1 ran", "2 ran"])
    }

    @Test func aClosedQueueThrowsItsErrorAndClosesItsConnectionsAfterAllWork() async throws {
        let queue = makeQueue(of: 3)
        for number in 0..<20 { try queue.submit { $0.record("\(number)") } }
        async let first: Void = queue.close()
        async let second: Void = queue.close()
        _ = await (first, second)
        #expect(throws: Closed.self) { try queue.submit { $0.record("late") } }
        let all = lines.current
        #expect(all.prefix(20).allSatisfy { !$0.hasSuffix("closed") })
        // Each call closes them; another close has no effect.
        #expect(Set(all.dropFirst(20)) == ["0 closed", "1 closed", "2 closed"])
    }

    @Test func aQueueThatRefusesWorkFinishesWhatWasSubmitted() async throws {
        let queue = makeQueue(of: 1)
        let gate = DispatchSemaphore(value: 0)
        try queue.submit { connection in
            gate.wait()
            connection.record("first")
        }
        try queue.submit { $0.record("second") }
        queue.refuseWork()
        #expect(throws: Closed.self) { try queue.submit { $0.record("late") } }
        gate.signal()
        await queue.close()
        #expect(lines.current == ["0 first", "0 second", "0 closed"])
    }

    @Test func aSuspendedQueueRunsItsWorkAfterTheResumption() async throws {
        let queue = makeQueue(of: 1)
        queue.suspend()
        for number in 0..<3 { try queue.submit { $0.record("\(number)") } }
        await queue.waitForSuspension()
        lines.withLock { $0.append("resumed") }
        queue.resume()
        await queue.close()
        #expect(lines.current == ["resumed", "0 0", "0 1", "0 2", "0 closed"])
    }

    @Test func aResumedQueueUsesAllItsConnections() async throws {
        let queue = makeQueue(of: 2)
        queue.suspend()
        let begun = DispatchGroup()
        // Each work waits until both have begun.
        for _ in 0..<2 { begun.enter() }
        for _ in 0..<2 {
            try queue.submit { connection in
                begun.leave()
                begun.wait()
                connection.record("ran")
            }
        }
        queue.resume()
        await queue.close()
        #expect(lines.current.prefix(2).sorted() == ["0 ran", "1 ran"])
    }

    @Test func suspensionLastsUntilTheRunningWorkHasEnded() async throws {
        let queue = makeQueue(of: 1)
        let gate = DispatchSemaphore(value: 0)
        try queue.submit { connection in
            gate.wait()
            connection.record("first")
        }
        queue.suspend()
        try queue.submit { $0.record("second") }
        let waiting = Task { [lines] in
            await queue.waitForSuspension()
            lines.withLock { $0.append("suspended") }
        }
        gate.signal()
        await waiting.value
        #expect(lines.current == ["0 first", "suspended"])
        queue.resume()
        await queue.close()
        #expect(lines.current == ["0 first", "suspended", "0 second", "0 closed"])
    }

    @Test func aSuspendedQueueThatIsClosedRunsItsWorkOnAClosedConnection() async throws {
        let queue = makeQueue(of: 1)
        queue.suspend()
        try queue.submit { $0.record("late") }
        await queue.close()
        #expect(lines.current == ["0 closed", "0 late"])
        queue.resume()
        await queue.close()
        #expect(lines.current == ["0 closed", "0 late", "0 closed"])
    }
}
