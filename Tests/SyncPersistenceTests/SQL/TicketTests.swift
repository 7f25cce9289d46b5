import Dispatch
import SyncPersistence
import Testing

struct TicketTests {
    private struct Stop: Error {}

    /// An executor whose jobs wait until the test calls `run()`.
    ///
    /// Later jobs run without the test.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    private final class ManualExecutor: TaskExecutor {
        /// The jobs that wait for the test; nil once none does.
        private let jobs = Locked<[UnownedJob]?>([])
        private let queue = DispatchQueue(label: "TicketTests")

        func enqueue(_ job: consuming ExecutorJob) {
            let unownedJob = UnownedJob(job)
            let isWaiting = jobs.withLock { jobs in
                jobs?.append(unownedJob)
                return jobs != nil
            }
            if !isWaiting { queue.async { unownedJob.runSynchronously(on: self.asUnownedTaskExecutor()) } }
        }

        /// Runs the tasks until each of them waits or has ended.
        ///
        /// Jobs that follow run by themselves.
        func run() {
            while let job = nextJob() { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }

        /// Returns the next job; if there is none, later ones do not wait.
        private func nextJob() -> UnownedJob? {
            jobs.withLock { jobs in
                guard let job = jobs?.first else {
                    jobs = nil
                    return nil
                }
                jobs?.removeFirst()
                return job
            }
        }
    }

    private let ticket = Ticket<Int>()
    /// How often the work was interrupted.
    private let interruptions = Locked(0)

    private func interrupt() { interruptions.withLock { $0 += 1 } }

    @Test func theOutcomeIsThereWhenItIsAskedFor() async throws {
        ticket.run { 7 }
        ticket.cancel()
        #expect(try await ticket.value == 7)
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func theOutcomeIsWaitedFor() async throws {
        let executor = ManualExecutor()
        let task = Task(executorPreference: executor) { [ticket] in try await ticket.value }
        // From here on the task waits for the outcome.
        executor.run()
        ticket.run { throw Stop() }
        await #expect(throws: Stop.self) { try await task.value }
    }

    @Test func whatIsCancelledBeforeItsTurnDoesNotRun() async {
        ticket.cancel()
        var hasRun = false
        ticket.run {
            hasRun = true
            return 7
        }
        #expect(!hasRun)
        #expect(ticket.isCancelled)
        await #expect(throws: CancellationError.self) { try await ticket.value }
    }

    @Test func whatIsCancelledBeforeItMayBeInterruptedDoesNotBegin() async {
        var hasRun = false
        ticket.run {
            ticket.cancel()
            return try ticket.interruptibly(by: interrupt) {
                hasRun = true
                return 7
            }
        }
        #expect(!hasRun)
        await #expect(throws: CancellationError.self) { try await ticket.value }
    }

    @Test func aCancellationInterruptsItsPart() async {
        ticket.run {
            try ticket.interruptibly(by: interrupt) {
                ticket.cancel()
                #expect(interruptions.current == 1)
                throw Stop()
            }
        }
        await #expect(throws: CancellationError.self) { try await ticket.value }
    }

    @Test func aPartThatEndsDespiteACancellationHasItsResult() async throws {
        ticket.run {
            try ticket.interruptibly(by: interrupt) {
                ticket.cancel()
                return 7
            }
        }
        #expect(try await ticket.value == 7)
    }

    @Test func nothingIsInterruptedAfterThePart() async throws {
        ticket.run {
            _ = try ticket.interruptibly(by: interrupt) { 1 }
            #expect(!ticket.isCancelled)
            ticket.cancel()
            #expect(ticket.isCancelled)
            return 7
        }
        #expect(try await ticket.value == 7)
        #expect(interruptions.current == 0)
    }
}
