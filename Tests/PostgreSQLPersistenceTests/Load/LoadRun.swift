import DifferentialSyncTesting
import Foundation
import PostgreSQLPersistence
import PostgreSQLTestSupport
import SyncPersistence
import TestSupport
import Testing

/// The size of a run under load.
struct LoadSize: Sendable {
    var servers: Int
    var clients: Int
    var devices: Int
    var accounts: Int
    /// The shortest time of the work.
    var seconds: Int
    /// The fewest kills of servers.
    var kills: Int
    /// The most cycles between two faults.
    var cyclesPerFault: Int

    /// The size for the environment of the tests.
    static func chosen(in environment: [String: String] = ProcessInfo.processInfo.environment) -> LoadSize {
        let seconds = environment["DIFFSYNC_LOAD_SECONDS"].flatMap { Int($0) }
        guard environment["DIFFSYNC_FULL_SCALE"] == "1" || seconds != nil else {
            return LoadSize(
                servers: 2, clients: 2, devices: 12, accounts: 3, seconds: 0, kills: 3, cyclesPerFault: 30)
        }
        return LoadSize(
            servers: 4, clients: 4, devices: 200, accounts: 20, seconds: seconds ?? 60, kills: 10,
            cyclesPerFault: 60)
    }
}

/// Server processes, processes of devices and a database, with faults.
final class LoadRun {
    private let size: LoadSize
    private let seed: UInt64
    private let clock = ContinuousClock()
    private let cluster: TestCluster
    private var generator: SeededGenerator
    private var servers: [ChildProcess] = []
    private var ports: [UInt16] = []
    private var clients: [(process: ChildProcess, input: FileHandle)] = []
    private let program: String
    /// The inputs of the servers, which end when the run ends.
    private var inputs: [FileHandle] = []

    /// The events of all processes of devices, in the order of their arrival.
    private let (events, continuation) = AsyncStream.makeStream(of: String.self)

    /// How often each thing has happened.
    private(set) var counts = Counts()

    struct Counts {
        var cycles = 0
        var failures = 0
        var kills = 0
        var cuts = 0
        var restarts = 0
        var edits = 0
    }

    init(_ size: LoadSize, seed: UInt64) throws {
        (self.size, self.seed) = (size, seed)
        generator = SeededGenerator(seed: seed)
        cluster = try TestCluster()
        program = try ChildProcess.path(of: "load-process")
    }

    /// Runs everything, and checks the stores.
    func run() async throws {
        for account in 0..<size.accounts {
            let store = try await store(of: account)
            try await store.write { try LoadPlan.insertBoards($0) }
            await store.close()
        }
        for number in 0..<size.servers { servers.append(try startServer(number, port: 0)) }
        try startClients()
        var events = events.makeAsyncIterator()
        try await makeFaults(&events)
        try tellClients()
        try await collect("pushed", &events) { _ in }
        try tellClients()
        var reports: [[Substring]] = []
        try await collect("done", &events) { line in
            if line.hasPrefix("device ") { reports.append(line.split(separator: " ")) }
        }
        try await check(reports)
        for client in clients { client.process.wait() }
        for server in servers {
            server.end()
            server.wait()
        }
    }

    private func store(of account: Int) async throws -> PostgreSQLAdapter {
        try await cluster.store(LoadPlan.schema, in: LoadPlan.namespace(ofAccount: account))
    }
}

extension LoadRun {
    /// Starts a server, and waits until it listens.
    private func startServer(_ number: Int, port: UInt16) throws -> ChildProcess {
        let (input, output) = (Pipe(), Pipe())
        for end in [input.fileHandleForWriting, output.fileHandleForReading] {
            _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        let process = try ChildProcess(
            program,
            [
                "serve", "\(cluster.connection) application_name=server\(number)", "\(size.accounts)", "\(port)",
                "\(generator.next() >> 1)",
            ], pipes: (input.fileHandleForReading, output.fileHandleForWriting))
        try output.fileHandleForWriting.close()
        inputs.append(input.fileHandleForWriting)
        var line = Data()
        while !line.contains(UInt8(ascii: "\n")) {
            let part = output.fileHandleForReading.availableData
            if part.isEmpty { break }
            line += part
        }
        let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        let chosen = try #require(words.count == 2 ? UInt16(words[1]) : nil, "seed \(seed)")
        if port == 0 { ports.append(chosen) }
        return process
    }

    /// Starts the processes of devices, and begins to read what they print.
    private func startClients() throws {
        let count = size.devices / size.clients
        for number in 0..<size.clients {
            let (input, output) = (Pipe(), Pipe())
            for end in [input.fileHandleForWriting, output.fileHandleForReading] {
                _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
            }
            let process = try ChildProcess(
                program,
                [
                    "drive", ports.map { "\($0)" }.joined(separator: ","), "\(number * count)", "\(count)",
                    "\(size.accounts)", "\(seed % 1_000_000)",
                ], pipes: (input.fileHandleForReading, output.fileHandleForWriting))
            try output.fileHandleForWriting.close()
            clients.append((process, input.fileHandleForWriting))
            let (lines, continuation) = (output.fileHandleForReading, continuation)
            Thread.detachNewThread {
                var rest = Data()
                while case let part = lines.availableData, !part.isEmpty {
                    rest += part
                    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                        continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                        rest = Data(rest[rest.index(after: end)...])
                    }
                }
                continuation.yield("ended")
            }
        }
    }

    private func tellClients() throws {
        for client in clients { try client.input.write(contentsOf: Data("\n".utf8)) }
    }
}

extension LoadRun {
    /// Reads events and makes faults among them, until there have been enough of both.
    private func makeFaults(_ events: inout AsyncStream<String>.Iterator) async throws {
        let end = clock.now.advanced(by: .seconds(size.seconds))
        var next = counts.cycles + pause()
        while counts.kills < size.kills || counts.restarts < 1 || clock.now < end {
            let line = try #require(await events.next())
            try count(line)
            if counts.cycles + counts.failures < next { continue }
            next = counts.cycles + counts.failures + pause()
            try makeFault()
        }
    }

    /// Returns after how many cycles the next fault is made.
    private func pause() -> Int { Int.random(in: size.cyclesPerFault / 2...size.cyclesPerFault, using: &generator) }

    private func makeFault() throws {
        // Once, after about half of the shortest run.
        if counts.restarts == 0, counts.kills > size.kills / 2 {
            counts.restarts += 1
            try cluster.stop()
            try cluster.start()
            return
        }
        let number = Int.random(in: servers.indices, using: &generator)
        if Int.random(in: 0..<4, using: &generator) == 0 {
            counts.cuts += 1
            try cluster.sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'server\(number)'")
        } else {
            counts.kills += 1
            servers[number].end()
            servers[number].wait()
            servers[number] = try startServer(number, port: ports[number])
        }
    }

    private func count(_ line: String) throws {
        switch line {
        case "cycle": counts.cycles += 1
        case "failed": counts.failures += 1
        default:
            #expect(!line.hasPrefix("problem"), "seed \(seed): \(line)")
            try #require(line != "ended", "a process of devices has ended, seed \(seed)")
        }
    }

    /// Reads events until each process of devices has sent a last one.
    private func collect(
        _ last: String, _ events: inout AsyncStream<String>.Iterator, _ body: (String) -> Void
    ) async throws {
        var (finished, ended) = (0, 0)
        while finished < clients.count, let line = await events.next() {
            if line == last { finished += 1 }
            // A process ends after it has sent its last event of all.
            if line == "ended" { ended += 1 }
            if line != "ended" || last != "done" || ended > finished { try count(line) }
            body(line)
        }
    }
}

extension LoadRun {
    /// Checks that all stores have each edit once, and nothing else.
    private func check(_ reports: [[Substring]]) async throws {
        #expect(reports.count == size.devices, "seed \(seed)")
        var expected = [LoadPlan.Content](repeating: LoadPlan.Content(), count: size.accounts)
        var fingerprints = [Set<[Substring]>](repeating: [], count: size.accounts)
        for report in reports where report.count == 6 {
            let plan = LoadPlan(device: try #require(Int(report[1])), accountCount: size.accounts)
            let edits = try #require(Int(report[2]))
            counts.edits += edits
            plan.add(edits: edits, to: &expected[plan.account])
            fingerprints[plan.account].insert(Array(report[3...]))
        }
        for account in 0..<size.accounts {
            let store = try await store(of: account)
            let (content, stored) = try await store.read { (try LoadPlan.Content(of: $0), try $0.fingerprint()) }
            #expect(content == expected[account], "seed \(seed), account \(account)")
            let print = try #require(stored)
            let words = ["\(print.count)", "\(print.high)", "\(print.low)"].map { $0[...] }
            #expect(fingerprints[account] == [words], "seed \(seed), account \(account)")
            await store.close()
        }
    }
}
