#if canImport(PostgreSQLPersistence)
    import BenchmarkSupport
    import Foundation
    import PostgreSQLPersistence
    import StoreSync
    import SyncPersistence

    /// A server process that makes pushes in accounts of its own.
    ///
    /// Another benchmark process starts it as `benchmarks push-worker CONNECTION NUMBER`. It prints a line when it is
    /// ready, waits for a line, makes the pushes, and prints the processor time that this has taken.
    enum PushWorker {
        static let accountCount = 4
        static let pushCount = 100

        /// Runs the worker if the arguments say so, and returns whether they do.
        static func run(_ arguments: [String]) -> Bool {
            guard arguments.count == 4, arguments[1] == "push-worker" else { return false }
            let pool = unfailing { try PostgreSQLPool(arguments[2]) }
            let accounts = (0..<accountCount).map {
                ServerAccount(on: pool, "worker \(arguments[3]) \($0)", count: 1_000)
            }
            func prepared() -> [(SyncService, [PushRequest])] {
                accounts.map { account in (account.service, (0..<pushCount).map { _ in account.nextPush() }) }
            }
            var work = prepared()
            write("ready")
            while readLine() != nil {
                let before = processorSeconds()
                let pushes = work
                // One after the other, so that one process and its connection take one core, and two can take two.
                unfailing {
                    try blocking {
                        for (service, requests) in pushes {
                            for request in requests { _ = try await service.push(request) }
                        }
                    }
                }
                write("done \(processorSeconds() - before)")
                work = prepared()
            }
            return true
        }

        private static func write(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

        /// The processor time of this process so far.
        private static func processorSeconds() -> Double {
            var usage = rusage()
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
            return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
        }
    }
#endif
