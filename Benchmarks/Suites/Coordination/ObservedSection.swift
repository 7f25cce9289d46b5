import BenchmarkSupport
import SyncCoordination
import SyncPersistence

/// The first 50 rows of a store, which a task observes.
final class ObservedSection {
    /// The file of the store; nil for a store in memory.
    private let file: StoreFile?
    private let store: any PersistenceAdapter
    private let texts: AsyncStream<Value?>
    private let observer: Task<Void, Never>
    private var round = 0

    /// The text of the row that changes, as the section shows it after the last commit; nil if the row is not in it.
    private var expected: Value? = .string("row 10")

    /// Whether the section has shown it.
    private var isShown = false

    convenience init(_ file: StoreFile, count: Int) { self.init(file.adapter, count: count, file) }

    init(_ store: any PersistenceAdapter, count: Int, _ file: StoreFile? = nil) {
        (self.store, self.file) = (store, file)
        store.commitNow(BenchmarkRow.insertions(count: count))
        let (texts, continuation) = AsyncStream<Value?>.makeStream()
        self.texts = texts
        observer = Task.detached {
            let query = Query("Row", sort: [Query.SortKey("place")], limit: 50)
            do {
                for try await rows in store.results(query) {
                    precondition(rows.elements.count == 50)
                    continuation.yield(rows.elements.first { $0.key == 10 }?["text"])
                }
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
        expected = .string("round \(round)")
    }

    /// Moves a row behind all others, or back into the section.
    func move(isIncluded: Bool) {
        round += 1
        let text = Value.string("round \(round)")
        update(["place": .integer(isIncluded ? 10 : 1_000_000_000), "text": text])
        expected = isIncluded ? .some(text) : .none
    }

    private func update(_ values: [String: Value]) {
        var changes = ChangeSet()
        changes.update(RecordID("Row", 10), values)
        store.commitNow(changes)
        isShown = false
    }

    /// Waits for the value that shows the last commit, which may be one for several commits.
    func drain() {
        if isShown { return }
        isShown = true
        let (texts, expected) = (texts, expected)
        unfailing {
            try blocking {
                for await text in texts where text == expected { return }
                preconditionFailure("the observation has ended")
            }
        }
    }
}
