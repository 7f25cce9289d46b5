import BenchmarkSupport
import DifferentialSync
import DifferentialSyncTesting
import SQLitePersistence
import SyncPersistence

extension PersistenceSuite {
    /// Elements of 100 bytes in a stored collection, against change sets of the records that hold them.
    static func elementWriters(count: Int) -> [Contestant] { elementWriters(StoredElements(count: count)) }

    /// The same elements in an entity with an attribute for each member.
    ///
    /// The second bound also makes the records of the elements, as an app that has no collection of them would.
    static func columnWriters(count: Int) -> [Contestant] {
        let stored = StoredElements(count: count, schema: StoredElements.columns)
        var elements: [Element] = []
        return elementWriters(stored) + [
            Contestant("records made of elements", .bound, prepare: { elements = stored.edited() }) {
                stored.commit(stored.changes(elements))
            }
        ]
    }

    private static func elementWriters(_ stored: StoredElements) -> [Contestant] {
        var elements: [Element] = []
        var changes = ChangeSet()
        return [
            Contestant("change set", .bound, prepare: { changes = stored.editedRecords() }) {
                stored.commit(changes)
            },
            Contestant("upsert(contentsOf:)", .ours, prepare: { elements = stored.edited() }) {
                stored.upsert(elements)
            },
        ]
    }

    /// The first cycle of a collection whose elements were all made here, against storing them.
    static func firstPushes(count: Int) -> [Contestant] {
        var stored = StoredElements(count: 0)
        let elements = StoredElements.elements(count: count)
        return [
            Contestant("upsert(contentsOf:)", .bound, prepare: { stored = StoredElements(count: 0) }) {
                stored.upsert(elements)
            },
            Contestant(
                "durable cycle", .ours,
                prepare: {
                    stored = StoredElements(count: 0)
                    stored.upsert(elements)
                }
            ) { stored.pushAll() },
        ]
    }
}

/// The fields of a ``TextRecord``.
private struct Element: Codable, Identifiable, Equatable, Sendable {
    let id: String
    let payload: String
    var revision: Int

    init(_ record: TextRecord) { (id, payload, revision) = (record.id, record.payload, record.revision) }
}

/// A collection in a file of its own.
private final class StoredElements {
    static let columns = unfailing {
        try Schema {
            Entity("Element") {
                Attribute("id", .string, isPrimaryKey: true)
                Attribute("payload", .string, isOptional: false)
                Attribute("revision", .integer, isOptional: false)
            }
        }
    }

    private let file: StoreFile
    private let collection: PersistentCollection<Element, String>
    private var elements: [Element]

    init(count: Int, schema: Schema = unfailing { try Schema {} }) {
        file = StoreFile(schema: schema)
        elements = StoredElements.elements(count: count)
        let store = file.adapter
        collection = unfailing {
            try blocking { try await store.collection(of: Element.self, entity: "Element") }
        }
        if count > 0 { upsert(elements) }
    }

    static func elements(count: Int) -> [Element] {
        var generator = SeededGenerator(seed: UInt64(count))
        return (0..<count).map { _ in Element(.random(using: &generator)) }
    }

    /// All elements, each of them edited.
    func edited() -> [Element] {
        elements = elements.map { element in
            var element = element
            element.revision += 1
            return element
        }
        return elements
    }

    /// A change set of the records that hold the elements as they will be once more edited.
    func editedRecords() -> ChangeSet {
        upsert(edited())
        let store = file.adapter
        let records = unfailing { try blocking { try await store.read { try $0.records(Query("Element")) } } }
        upsert(edited())
        var changes = ChangeSet()
        for record in records { changes.put(record) }
        return changes
    }

    /// A change set of records made of elements by hand, for a store with the schema ``columns``.
    func changes(_ elements: [Element]) -> ChangeSet {
        let schema = StoredElements.columns
        var changes = ChangeSet()
        for element in elements {
            let record = unfailing {
                try Record(
                    "Element", in: schema,
                    [
                        "id": .string(element.id), "payload": .string(element.payload),
                        "revision": .integer(Int64(element.revision)),
                    ])
            }
            changes.put(record)
        }
        return changes
    }

    func upsert(_ elements: [Element]) {
        let collection = collection
        unfailing { try blocking { try await collection.upsert(contentsOf: elements) } }
    }

    func commit(_ changes: ChangeSet) { file.adapter.commitNow(changes) }

    func pushAll() -> Int {
        let collection = collection
        let remote = AcceptingRemote()
        let outcome = unfailing { try blocking { try await collection.synchronize(with: remote, policy: .localWins) } }
        return outcome.counts.pushed.added
    }
}

/// A remote without elements that accepts each push.
private struct AcceptingRemote: RemoteCollection {
    var account: String { "account" }

    func status(of pushID: String) -> PushStatus<Element> { .notApplied }

    func pull(since version: RemoteVersion?) -> Pull<Element, String> {
        guard let version else { return .everything([], RemoteVersion(epoch: "1", commit: "0")) }
        return .changes(changed: [], deleted: [], version)
    }

    func push(_ push: Push<Element>) -> PushAnswer<Element> {
        .accepted(RemoteVersion(epoch: "1", commit: push.id))
    }
}
