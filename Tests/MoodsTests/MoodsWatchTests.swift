import DifferentialSyncTesting
import TestSupport
import Testing

@testable import moods

/// A terminal that synchronizes by itself.
struct MoodsWatchTests {
    private let moods = MoodsRun()

    @Test func editsOfEachTerminalReachTheOtherDeviceByThemselves() async throws {
        let (ticks, tick) = AsyncStream<Void>.makeStream()
        let (lines, line) = AsyncStream<String>.makeStream()
        var iterator = lines.makeAsyncIterator()
        let phone = try await MoodDevice("phone", in: MoodFolder(moods.folder.path), makeName: { "phone" })
        let watch = Task { await phone.watch(quiet: .zero, ticks: ticks, clock: VirtualClock()) { line.yield($0) } }
        // Another terminal of the phone.
        try await moods.on("phone", "add", "IS", "calm")
        tick.yield()
        #expect(await iterator.next() == "   phone: 3 sent")
        try await moods.on("laptop", "sync")
        try await moods.on("laptop", "add", "KE", "happy")
        try await moods.on("laptop", "sync")
        try await moods.on("phone", "add", "JP", "bored")
        tick.yield()
        #expect(await iterator.next() == "   phone: 3 sent, 3 received")
        watch.cancel()
        await watch.value
        await phone.close()
        try await moods.on("laptop", "sync")
        #expect(try await moods.on("phone", "list") == moods.on("laptop", "list"))
    }
}
