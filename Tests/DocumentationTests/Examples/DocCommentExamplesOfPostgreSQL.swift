#if canImport(PostgreSQLPersistence)
    import PostgreSQLPersistence

    /// The examples in the comments of `Sources/PostgreSQLPersistence`.
    ///
    /// They need a server, so they are compiled alone.
    struct DocCommentExamplesOfPostgreSQL {
        enum Status {
            case serviceUnavailable, ok
        }

        func readiness(of pool: PostgreSQLPool) async -> Status {
            do { try await pool.ping(within: .seconds(2)) } catch { return .serviceUnavailable }
            return .ok
        }
    }
#endif
