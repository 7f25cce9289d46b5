import Testing

@testable import SQLitePersistence

struct TicketTests {
    private struct Stop: Error {}

    private let connection: Connection
    private let ticket = Ticket<Int>()

    init() throws { connection = try .inMemory() }

    @Test func theOutcomeIsThereWhenItIsAskedFor() async throws {
        ticket.run { 7 }
        ticket.cancel()
        #expect(try await ticket.value == 7)
    }

    @Test func theOutcomeIsWaitedFor() async throws {
        let task = Task { [ticket] in try await ticket.value }
        await Task.yield()
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
        await #expect(throws: CancellationError.self) { try await ticket.value }
    }

    @Test func whatIsCancelledBeforeItMayBeInterruptedDoesNotBegin() async {
        var hasRun = false
        ticket.run {
            ticket.cancel()
            return try ticket.interruptibly(by: connection.interrupter) {
                hasRun = true
                return 7
            }
        }
        #expect(!hasRun)
        await #expect(throws: CancellationError.self) { try await ticket.value }
    }

    @Test func aCancellationInterruptsTheStatementsOfItsPart() async {
        ticket.run {
            try connection.snapshot {
                try ticket.interruptibly(by: connection.interrupter) {
                    ticket.cancel()
                    return Int(try connection.integer("SELECT 7"))
                }
            }
        }
        await #expect(throws: CancellationError.self) { try await ticket.value }
    }

    @Test func nothingIsInterruptedAfterThePart() async throws {
        ticket.run {
            try connection.snapshot {
                _ = try ticket.interruptibly(by: connection.interrupter) { 1 }
                ticket.cancel()
                return Int(try connection.integer("SELECT 7"))
            }
        }
        #expect(try await ticket.value == 7)
    }
}
