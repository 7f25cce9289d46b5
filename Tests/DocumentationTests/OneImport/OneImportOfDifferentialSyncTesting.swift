import DifferentialSyncTesting
import Testing

/// The file compiles although it imports nothing else of the package.
struct OneImportOfDifferentialSyncTesting {
    @Test func bringsTheCore() throws {
        var remote = SimulatedRemote<Int, Int>(primaryKey: { $0 })
        var phone = try JournaledCollection([7], primaryKey: { $0 })
        phone.remove(7)
        try remote.synchronize(&phone, pushID: "1", policy: .localWins)
        #expect(phone.isEmpty)
    }
}
