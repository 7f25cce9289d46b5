/// How often keys were read and hashed and elements compared.
final class Count: Sendable {
    // because: a count belongs to one measurement, which runs on one thread.
    nonisolated(unsafe) var total = 0
}

/// A key whose hashes are counted.
struct CountedKey: Hashable, Sendable {
    let id: Int
    let count: Count

    static func == (left: CountedKey, right: CountedKey) -> Bool { left.id == right.id }

    func hash(into hasher: inout Hasher) {
        count.total += 1
        hasher.combine(id)
    }
}

/// A record whose comparisons are counted, and the reads of its key.
struct CountedRecord: Equatable {
    let id: Int
    var value = 0
    let count: Count

    var key: CountedKey {
        count.total += 1
        return CountedKey(id: id, count: count)
    }

    static func == (left: CountedRecord, right: CountedRecord) -> Bool {
        left.count.total += 1
        return left.id == right.id && left.value == right.value
    }
}
