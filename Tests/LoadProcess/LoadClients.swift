import DifferentialSyncTesting
import Foundation
import HTTPSync
import PostgreSQLTestSupport
import StoreSync
import SyncPersistence

/// Devices that edit and synchronize at the same time, each with any of the servers.
struct LoadClients: Sendable {
    let ports: [UInt16]
    let devices: Range<Int>
    let accountCount: Int
    let seed: UInt64
    let clock: any Clock<Duration>

    /// Runs all devices through their phases.
    func run(_ input: LoadInput) async throws {
        let devices = try devices.map { try device($0) }
        try await forEach(devices) { device in
            while !input.hasLine { try await device.work() }
            try await device.settle()
        }
        writeLine("pushed")
        await input.wait(forLines: 2)
        try await forEach(devices) { device in
            try await device.settle()
            writeLine(try await device.report)
        }
        writeLine("done")
    }

    private func device(_ number: Int) throws -> LoadDevice {
        let plan = LoadPlan(device: number, accountCount: accountCount)
        let remotes = try ports.map { port in
            guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw URLError(.badURL) }
            return HTTPRemote(url, token: { _ in "\(plan.account)" }, timeout: .seconds(10), clock: clock)
        }
        return LoadDevice(plan, remotes, SeededGenerator(seed: seed &+ UInt64(number)), clock)
    }

    private func forEach(
        _ devices: [LoadDevice], _ body: @escaping @Sendable (LoadDevice) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for device in devices { group.addTask { try await body(device) } }
            try await group.waitForAll()
        }
    }
}

/// A device that edits its store and synchronizes it.
private actor LoadDevice {
    private let plan: LoadPlan
    private let remotes: [HTTPRemote]
    private let clock: any Clock<Duration>
    private let store = InMemoryAdapter(schema: LoadPlan.schema)
    private var generator: SeededGenerator
    private var editCount = 0
    private var nameCount = 0

    init(_ plan: LoadPlan, _ remotes: [HTTPRemote], _ generator: SeededGenerator, _ clock: any Clock<Duration>) {
        (self.plan, self.remotes, self.generator, self.clock) = (plan, remotes, generator, clock)
    }

    /// Makes some edits, and runs a cycle.
    func work() async throws {
        let isFirst = editCount == 0
        if isFirst { try await settle() }
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            editCount += 1
            _ = try await store.write { [plan, editCount] in try plan.make(editCount, in: $0) }
        }
        let outcome = try await synchronize()
        writeLine(outcome.isSynced ? "cycle" : "failed")
        if outcome.failure != nil { try await pause() }
    }

    /// Synchronizes until both ends have everything of each other.
    func settle() async throws {
        while true {
            let outcome = try await synchronize()
            if outcome.isSynced, outcome.pulledCount == 0, outcome.pushedCount == 0 { return }
            if outcome.failure != nil { try await pause() }
        }
    }

    private func synchronize() async throws -> StoreOutcome {
        let remote = remotes[Int.random(in: remotes.indices, using: &generator)]
        nameCount += 1
        let (names, prefix) = (Locked(0), "\(plan.device).\(nameCount)")
        let makeName: @Sendable () -> String = {
            names.withLock { count in
                count += 1
                return "\(prefix).\(count)"
            }
        }
        let outcome = try await store.synchronize(with: remote, makeName: makeName)
        if let problem = outcome.problem { writeLine("problem of device \(plan.device): \(problem)") }
        return outcome
    }

    private func pause() async throws {
        try await clock.sleep(for: .milliseconds(Int.random(in: 10...150, using: &generator)))
    }

    /// The device's number, its number of edits, and the fingerprint of its store.
    var report: String {
        get async throws {
            let print = try await store.read { try $0.fingerprint() } ?? StoreFingerprint()
            return "device \(plan.device) \(editCount) \(print.count) \(print.high) \(print.low)"
        }
    }
}

extension StoreOutcome {
    /// What never happens in a test: the fields of devices differ, and all edits are allowed.
    fileprivate var problem: String? {
        if isVerified == false { return "the fingerprints differ" }
        let lists: [(String, any Collection)] = [
            ("conflicts", conflicts.filter(\.isOpen)), ("refused", refused), ("waiting", waiting),
            ("unreadable", unreadable),
        ]
        for (name, list) in lists where !list.isEmpty { return "\(name) \(list)" }
        return if case .later? = failure { nil } else { failure.map { "\($0)" } }
    }
}
