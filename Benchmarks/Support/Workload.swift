import DifferentialSyncTesting

/// Two collections to be compared, and how their elements pair up.
package struct Workload<Record: BenchmarkRecord> {
    /// How the winning collection comes from the losing one.
    package enum Shape: String, CaseIterable, Sendable {
        case identical = "identical"
        case kept = "order kept, 1 % changed"
        case half = "order kept, 50 % changed"
        case shifted = "shifted, 1 % changed"
        case shuffled = "shuffled, 1 % changed"
        case sorted = "sorted by key, 1 % changed"
    }

    package let shape: Shape
    package let wins: [Record]
    package let loses: [Record]

    /// The positions of elements with one key, for the lower bound.
    package let pairs: [(win: Int, lose: Int)]

    /// The larger side's number of elements.
    package var count: Int { max(wins.count, loses.count) }

    /// A workload of about `count` elements a side.
    ///
    /// Of 1 % changed, as many again are added and removed.
    package init(_ shape: Shape, count: Int) {
        var generator = SeededGenerator(seed: UInt64(count))
        var loses = (0..<count).map { _ in Record.random(using: &generator) }
        var wins: [Record] = []
        wins.reserveCapacity(count + count / 50)
        switch shape {
        case .identical:
            wins = loses.map { $0.copied() }
        case .half:
            for record in loses { wins.append(generator.next() & 1 == 0 ? record.edited() : record.copied()) }
        case .kept, .shifted, .shuffled, .sorted:
            for record in loses {
                switch Int.random(in: 0..<100, using: &generator) {
                case 0: continue
                case 1: wins.append(record.edited())
                case 2:
                    wins.append(.random(using: &generator))
                    wins.append(record.copied())
                default: wins.append(record.copied())
                }
            }
        }
        switch shape {
        case .shifted: wins = Array(wins[(count / 10)...] + wins[..<(count / 10)])
        case .shuffled: wins.shuffle(using: &generator)
        case .sorted:
            wins.sort { $0.id < $1.id }
            loses.sort { $0.id < $1.id }
        case .identical, .kept, .half: break
        }
        self.shape = shape
        self.wins = wins
        self.loses = loses
        let positions = Dictionary(uniqueKeysWithValues: loses.indices.map { (loses[$0].id, $0) })
        pairs = wins.indices.compactMap { win in positions[wins[win].id].map { (win: win, lose: $0) } }
    }
}
