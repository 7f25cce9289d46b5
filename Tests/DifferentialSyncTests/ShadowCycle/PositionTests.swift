import TestSupport
import DifferentialSync
import DifferentialSyncTesting
import Testing

/// Positions in a collection with many gaps.
struct PositionTests {
    /// Quadratic removal would take minutes here.
    @Test(.timeLimit(.minutes(5)))
    func emptyingItFromEitherEndIsLinear() throws {
        let count = 80_000
        var items = try JournaledCollection((0..<count).map { Item($0) })
        while let last = items.last { items.remove(last.id) }
        #expect(items.isEmpty && items.startIndex == items.endIndex)
        #expect(items.localDiff?.counts.deleted == count)
        items.revert()
        #expect(items.count == count && items.last == Item(count - 1))
        while let first = items.first { items.remove(first.id) }
        #expect(items.isEmpty)
    }

    /// An element that stands behind a great gap, and comes and goes.
    @Test(.timeLimit(.minutes(5)))
    func steppingOverAGapDoesNotDependOnItsLength() throws {
        let count = 100_000
        var items = try JournaledCollection((0..<count).map { Item($0) })
        for id in 1..<count - 1 { items.remove(id) }
        for _ in 0..<20_000 {
            items.remove(count - 1)
            #expect(items.last == Item(0))
            try items.insert(Item(count - 1))
            #expect(items.index(after: items.startIndex) == items.index(before: items.endIndex))
        }
    }

    /// To go to each position from the start would take minutes here.
    @Test(.timeLimit(.minutes(5)))
    func goingToAPositionDoesNotDependOnItsDistance() throws {
        let count = 100_000
        var items = try JournaledCollection((0..<count).map { Item($0) })
        for id in stride(from: 0, to: count, by: 2) { items.remove(id) }
        for offset in 0..<items.count {
            #expect(items[items.index(items.startIndex, offsetBy: offset)].id == 2 * offset + 1)
        }
    }

    @Test func positionsAreThoseOfAnArrayInBothDirections() throws {
        let seed = SeededGenerator.testSeed(3)
        var generator = SeededGenerator(seed: seed)
        for count in [0, 1, 63, 64, 65, 127, 4_095, 4_096, 4_097, 9_000] {
            var items = try JournaledCollection((0..<count).map { Item($0) })
            for density in [0.5, 0.02, 0.0] {
                for id in 0..<count where !generator.happens(density) { items.remove(id) }
                let expected = Array(items)
                #expect(items.reversed() == expected.reversed(), "seed \(seed), \(count)")
                #expect(expected.count == items.count)
                let indices = Array(items.indices) + [items.endIndex]
                for _ in 0..<20 {
                    let (from, to) = (
                        Int.random(in: 0...items.count, using: &generator),
                        Int.random(in: 0...items.count, using: &generator)
                    )
                    #expect(items.distance(from: indices[from], to: indices[to]) == to - from, "seed \(seed), \(count)")
                    #expect(items.index(indices[from], offsetBy: to - from) == indices[to], "seed \(seed), \(count)")
                    let limit = Int.random(in: 0...items.count, using: &generator)
                    let limited = items.index(indices[from], offsetBy: to - from, limitedBy: indices[limit])
                    let expectedOffset = expected.index(from, offsetBy: to - from, limitedBy: limit)
                    #expect(limited == expectedOffset.map { indices[$0] }, "seed \(seed), \(count)")
                }
                #expect(expected.map(\.id) == expected.map(\.id).sorted())
                for _ in 0..<min(count, 20) { try items.upsert(Item(Int.random(in: 0..<count, using: &generator))) }
                #expect(Array(items.reversed()) == Array(items).reversed(), "seed \(seed), \(count)")
            }
        }
    }
}
