/// Returns the result of a body, or nil if a duration passes first.
///
/// The body is cancelled then, and must end soon after.
func withTimeout<Result: Sendable>(
    _ duration: Duration, _ clock: any Clock<Duration>, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result? {
    try await withThrowingTaskGroup(of: Result?.self) { group in
        defer { group.cancelAll() }
        group.addTask { try await body() }
        group.addTask {
            try await clock.sleep(for: duration)
            return nil
        }
        return try await group.next() ?? nil
    }
}
