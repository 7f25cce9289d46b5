import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

struct FIFOTests {
    @Test func elementsLeaveInTheOrderInWhichTheyCame() {
        let seed = SeededGenerator.testSeed(5)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            var fifo = FIFO<Int>()
            var model: [Int] = []
            for number in 0..<200 {
                if generator.happens(0.5) {
                    fifo.append(number)
                    model.append(number)
                } else {
                    #expect(fifo.popFirst() == (model.isEmpty ? nil : model.removeFirst()), "seed \(seed)")
                }
            }
        }
    }
}
