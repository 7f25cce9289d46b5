import DifferentialSyncTesting
import Foundation
import Testing

/// Coordinators synchronize several devices under every fault, in virtual time.
///
/// `DIFFSYNC_COORDINATIONS` is the number of runs, and `DIFFSYNC_SEED` the seed of a single one.
struct CoordinatorSimulatorTests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    private static let parts: UInt64 = 4

    /// Returns what the run of a seed has broken, with the trace; nil if it has broken nothing.
    private func failure(of seed: UInt64, planted: PlantedFault? = nil) async throws -> String? {
        var world = try CoordinatedWorld(seed: seed, planted: planted)
        await world.run()
        if world.world.report.faults.isEmpty { return nil }
        var traced = try CoordinatedWorld(seed: seed, planted: planted, isTraced: true)
        await traced.run()
        return "seed \(seed)\n" + traced.world.report.faults.map { "\($0)\n" }.joined()
            + (traced.world.report.trace ?? []).joined(separator: "\n")
    }

    @Test(arguments: 0..<parts) func devicesAgreeAndLoseNothingAndComeToRest(part: UInt64) async throws {
        if let seed = Self.number("DIFFSYNC_SEED") {
            if part == 0 { #expect(try await failure(of: seed) == nil) }
            return
        }
        let count = Self.number("DIFFSYNC_COORDINATIONS") ?? 500
        for seed in (part * count / Self.parts)..<((part + 1) * count / Self.parts) {
            if let failure = try await failure(of: seed) {
                Issue.record("\(failure)")
                return
            }
        }
    }

    @Test func oneSeedGivesOneTrace() async throws {
        for seed in 0..<10 as Range<UInt64> {
            var worlds = [
                try CoordinatedWorld(seed: seed, isTraced: true), try CoordinatedWorld(seed: seed, isTraced: true),
            ]
            for position in worlds.indices { await worlds[position].run() }
            #expect(worlds[0].world.report.trace == worlds[1].world.report.trace)
        }
    }

    @Test(arguments: PlantedFault.allCases) func aPlantedFaultIsFound(fault: PlantedFault) async throws {
        for seed in 0..<200 as Range<UInt64> {
            if try await failure(of: seed, planted: fault) != nil { return }
        }
        Issue.record("no run has found \(fault)")
    }

    @Test func theRunsBringEveryFaultAbout() async throws {
        var missing: Set = [
            "lost:", "no answer", "fails", "throttled", "unauthorized", "is abandoned", "is cancelled", "begins",
            "authorization", "unavailable", "refused", "conflict", "another cycle", "busy",
        ]
        for seed in 0..<200 as Range<UInt64> where !missing.isEmpty {
            var world = try CoordinatedWorld(seed: seed, isTraced: true)
            await world.run()
            for line in world.world.report.trace ?? [] { missing = missing.filter { !line.contains($0) } }
        }
        #expect(missing.isEmpty)
    }
}
