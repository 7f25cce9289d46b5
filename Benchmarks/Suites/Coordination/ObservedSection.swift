import BenchmarkSupport
import SyncCoordination
import SyncPersistence

/// The first 50 rows of a store, which a task observes.
final class ObservedSection {
    /// The file of the store; nil for a store in memory.
    private let file: StoreFile?
    private let store: any PersistenceAdapter
    private let values: AsyncStream<Int>
    private let observer: Task<Void, Never>
    private var owedCount = 1
    private var round = 0

    convenience init(_ file: StoreFile, count: Int) { self.init(file.adapter, count: count, file) }

    init(_ store: any PersistenceAdapter, count: Int, _ file: StoreFile? = nil) {
        (self.store, self.file) = (store, file)
        store.commitNow(BenchmarkRow.insertions(count: count))
        let (values, continuation) = AsyncStream<Int>.makeStream()
        self.values = values
        observer = Task.detached {
            let query = Query("Row", sort: [Query.SortKey("place")], limit: 50)
            do {
                for try await rows in store.results(query) { continuation.yield(rows.elements.count) }
            } catch {
                fatalError("\(error)")
            }
        }
        drain()
    }

    deinit { observer.cancel() }

    /// Changes a row of the section, which stays where it is.
    func editWithin() {
        round += 1
        update(["text": .string("round \(round)")])
    }

    /// Moves a row behind all others, or back into the section.
    func move(isIncluded: Bool) { update(["place": .integer(isIncluded ? 10 : 1_000_000_000)]) }

    private func update(_ values: [String: Value]) {
        var changes = ChangeSet()
        changes.update(RecordID("Row", 10), values)
        store.commitNow(changes)
        owedCount += 1
    }

    /// Waits for the values that follow the commits so far.
    func drain() {
        let values = values
        while owedCount > 0 {
            owedCount -= 1
            let count = unfailing {
                try blocking {
                    for await count in values { return count }
                    return 0
                }
            }
            precondition(count == 50)
        }
    }
}
