import BenchmarkSupport

/// Services over PostgreSQL, on Linux.
///
/// A private server is started in a temporary folder, without `fsync`. Where the server's programs are not installed, the
/// suite says so.
enum ServerSuite {
    static let name = "server"
    static let push = "push of 10 changes"
    static let throughput = "pushes of 10 changes in accounts apart, one at a time"
    static let pull = "pull of 10 changes of an account's records"
    static let accounts = "pull of 10 changes, by the number of accounts"
    static let download = "first download over loopback HTTP"

    #if canImport(PostgreSQLPersistence)
        static let targets: [Target] = [
            .atMost(2.5, times: "hand-written SQL", "push", in: push, count: 10_000),
            // Twice the pushes, at 1.7 times the throughput.
            .atMost(2 / 1.7, times: "1 process", "2 processes with twice the pushes", in: throughput, count: 400),
            .grows(atMost: 1.5, "pull", in: pull, from: 1_000, to: 1_000_000),
            .grows(atMost: 1.5, "pull", in: accounts, from: 10, to: 10_000),
            .atMost(2, times: "from a folder", "over HTTP", in: download, count: 100_000),
        ]
    #else
        static let targets: [Target] = []

        static func run(_ runner: inout Runner, sizes: [Int]) {}
    #endif
}
