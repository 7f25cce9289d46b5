#if canImport(PostgreSQLPersistence)
    import BenchmarkSupport
    import Foundation
    import HTTPSync
    import PostgreSQLPersistence
    import PostgreSQLTestSupport
    import SocketServing
    import StoreSync
    import SyncPersistence

    extension ServerSuite {
        static func run(_ runner: inout Runner, sizes: [Int]) {
            let wanted = [push, throughput, pull, accounts, download].filter {
                runner.wants(suite: name, workload: $0)
            }
            if wanted.isEmpty { return }
            guard TestCluster.isInstalled else { return print("\(name) · not measured: \(TestCluster.remedy)") }
            let cluster = unfailing { try TestCluster() }
            let pool = unfailing { try PostgreSQLPool(cluster.connection) }
            for count in sizes {
                if wanted.contains(push), count == 10_000 { runPushes(&runner, cluster, pool, count) }
                if wanted.contains(pull) { runPulls(&runner, pool, count) }
                if wanted.contains(download), count <= 100_000 { runDownloads(&runner, pool, count) }
            }
            if wanted.contains(throughput) { runProcesses(&runner, cluster) }
            if wanted.contains(accounts) { runAccounts(&runner, pool) }
            unfailing { try blocking { await pool.close() } }
        }

        private static func runPushes(
            _ runner: inout Runner, _ cluster: TestCluster, _ pool: PostgreSQLPool, _ count: Int
        ) {
            let account = ServerAccount(on: pool, "pushed", count: count)
            let raw = RawServer(cluster.connection, count: count)
            // Both sides' tables are new, and without statistics the planner reads them wholly.
            unfailing { _ = try cluster.sql("ANALYZE") }
            // Any answer to a push of this size has the same length.
            var request = account.nextPush()
            let answer = String(decoding: account.push(request).data, as: UTF8.self)
            var keys: [Int64] = []
            var value: Int64 = 0
            var trips = 0
            runner.run(
                Line(
                    suite: name, workload: push, count: count, divisor: 1,
                    contestants: [
                        Contestant(
                            "hand-written SQL", .bound,
                            prepare: {
                                value += 1
                                keys = account.pick(10)
                            }
                        ) { raw.push(keys, keys.map { $0 + value }, answer: answer) },
                        Contestant(
                            "push", .ours,
                            prepare: {
                                request = account.nextPush()
                                trips = pool.roundTripCount
                            }
                        ) {
                            account.push(request)
                            trips = pool.roundTripCount - trips
                        },
                    ]))
            print("  round trips of a push: \(trips); of the hand-written SQL: 9")
        }

        private static func runPulls(_ runner: inout Runner, _ pool: PostgreSQLPool, _ count: Int) {
            let account = ServerAccount(on: pool, "pulled \(count)", count: count)
            var end = account.end()
            runner.run(
                Line(
                    suite: name, workload: pull, count: count, divisor: 1,
                    contestants: [
                        Contestant(
                            "pull", .ours,
                            prepare: {
                                end = account.end()
                                account.push(account.nextPush())
                            }
                        ) { precondition(account.pull(after: end) == 10) }
                    ]))
        }

        /// The accounts of a server in shared tables, one of which is pulled after another.
        private static func runAccounts(_ runner: inout Runner, _ pool: PostgreSQLPool) {
            let tables = unfailing {
                try blocking {
                    try await PostgreSQLAccounts.open(on: pool, namespace: "shared", schema: ServerAccount.schema)
                }
            }
            var accounts: [ServerAccount] = []
            for count in [10, 10_000] {
                while accounts.count < count {
                    let name = "account \(accounts.count)"
                    accounts.append(ServerAccount(unfailing { try tables.store(of: name) }, name, count: 20))
                }
                var (next, end) = (0, accounts[0].end())
                runner.run(
                    Line(
                        suite: name, workload: self.accounts, count: count, divisor: 1,
                        contestants: [
                            Contestant(
                                "pull", .ours,
                                prepare: {
                                    next = (next + 1) % count
                                    end = accounts[next].end()
                                    accounts[next].push(accounts[next].nextPush())
                                }
                            ) { precondition(accounts[next].pull(after: end) == 10) }
                        ]))
            }
        }

        private static func runProcesses(_ runner: inout Runner, _ cluster: TestCluster) {
            let one = PushProcesses(1, cluster.connection, firstNumber: 0)
            let two = PushProcesses(2, cluster.connection, firstNumber: 1)
            let clock = ContinuousClock()
            var share: [Double] = []
            runner.run(
                Line(
                    suite: name, workload: throughput, count: PushWorker.accountCount * PushWorker.pushCount,
                    rounds: 5,
                    contestants: [
                        Contestant("1 process", .peer) {
                            let start = clock.now
                            one.run()
                            share.append(one.processorSeconds / ((clock.now - start) / .seconds(1)))
                        },
                        Contestant("2 processes with twice the pushes", .ours) { two.run() },
                    ]))
            let cores = ProcessInfo.processInfo.activeProcessorCount
            let percent = Int(100 * share.sorted()[share.count / 2])
            print("  processor time of one process: \(percent) % of the elapsed time; cores: \(cores)")
        }
    }

    extension ServerSuite {
        private static func runDownloads(_ runner: inout Runner, _ pool: PostgreSQLPool, _ count: Int) {
            let account = ServerAccount(on: pool, "downloaded \(count)", count: count)
            let folder = TemporaryFolder()
            let objects = unfailing {
                ObjectRemote(try FolderObjects(path: folder.path + "/objects"), account: "account")
            }
            let service = account.service
            let source = EmptyDevice()
            precondition(source.download(from: service) == count)
            // The folder receives the same records from a device that has them.
            let author = EmptyDevice()
            unfailing {
                try blocking { [store = account.store, device = author.file.adapter] in
                    let records = try await store.read { try $0.records(Query("Item")) }
                    var changes = ChangeSet()
                    for record in records { changes.put(record) }
                    try await device.commit(changes)
                    let outcome = try await device.synchronize(with: objects)
                    precondition(outcome.isSynced && outcome.pushedCount == records.count)
                }
            }
            let server = unfailing { try SocketServer(HTTPService { _ in service }) }
            let remote = HTTPRemote(server.url!)
            var device = EmptyDevice()
            runner.run(
                Line(
                    suite: name, workload: download, count: count, rounds: 3,
                    contestants: [
                        Contestant("from a folder", .peer, prepare: { device = EmptyDevice() }) {
                            precondition(device.download(from: objects) == count)
                        },
                        Contestant("over HTTP", .ours, prepare: { device = EmptyDevice() }) {
                            precondition(device.download(from: remote) == count)
                        },
                    ]))
            withExtendedLifetime((server, folder)) {}
        }
    }

    /// A device over an SQLite file, without records.
    private struct EmptyDevice {
        let file = StoreFile(schema: ServerAccount.schema)

        /// Downloads everything, and returns the number of records.
        func download(from remote: some Remote) -> Int {
            let adapter = file.adapter
            let outcome = unfailing { try blocking { try await adapter.synchronize(with: remote) } }
            precondition(outcome.isSynced)
            return outcome.pulledCount
        }
    }
#endif
