#if canImport(PostgreSQLPersistence)
    import BenchmarkSupport
    import DifferentialSyncTesting
    import PostgreSQLPersistence
    import StoreSync
    import SyncPersistence

    /// An account of items in PostgreSQL, with a device that pushes changes of them.
    final class ServerAccount {
        let store: PostgreSQLAdapter
        let service: SyncService
        /// The number of items.
        let count: Int
        private let base: SyncCursor
        private var number: Int64 = 0
        private var generator = SeededGenerator(seed: 3)

        static let schema: Schema = unfailing {
            try Schema {
                Entity("Item") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("title", .string)
                    Attribute("count", .integer)
                }
            }
        }

        /// Fills a store with tables of its own, and introduces two devices, `phone` and `tablet`.
        convenience init(on pool: PostgreSQLPool, _ namespace: String, count: Int) {
            let store = unfailing {
                try blocking {
                    try await PostgreSQLAdapter.open(on: pool, namespace: namespace, schema: ServerAccount.schema)
                }
            }
            self.init(store, namespace, count: count)
        }

        /// Fills a store, and introduces two devices, `phone` and `tablet`.
        init(_ store: PostgreSQLAdapter, _ namespace: String, count: Int) {
            unfailing {
                try blocking {
                    // The history begins with the first handshake.
                    let service = SyncService(store, account: namespace)
                    _ = try await service.handshake(ServerAccount.handshake("phone"))
                    let item = ServerAccount.schema["Item"]!
                    for start in stride(from: 0, to: count, by: 10_000) {
                        var changes = ChangeSet(origin: .agreed)
                        for number in start..<min(count, start + 10_000) {
                            let key = Value.integer(Int64(number))
                            changes.put(Record(item, ["id": key, "title": .string("item \(number)"), "count": key]))
                        }
                        try await store.commit(changes)
                    }
                }
            }
            let service = SyncService(store, account: namespace)
            (self.store, self.service, self.count) = (store, service, count)
            let greeting = unfailing {
                try blocking {
                    _ = try await service.handshake(ServerAccount.handshake("tablet"))
                    return try await service.handshake(ServerAccount.handshake("phone"))
                }
            }
            base = SyncCursor(epoch: greeting.epoch, sequence: greeting.sequence)
        }

        private static func handshake(_ device: String) -> HandshakeRequest {
            HandshakeRequest(
                device: device, cursor: nil, lastPush: nil, entities: ["Item": ["count", "id", "title"]])
        }

        /// Returns different items.
        func pick(_ count: Int) -> [Int64] {
            var picked = Set<Int64>()
            while picked.count < count { picked.insert(.random(in: 0..<Int64(self.count), using: &generator)) }
            return picked.sorted()
        }

        /// Returns the device's next push, of ten changes.
        func nextPush() -> PushRequest {
            number += 1
            let values = ValueObject([ValueObject.Member(name: "count", value: .integer(number * 1_000))])
            return PushRequest(
                device: "phone", name: PushName(number: number, name: "push \(number)"), base: base,
                mutations: pick(10).map { Mutation(RecordID("Item", .integer($0)), .update(values)) })
        }

        /// Makes a push, all of whose changes are accepted.
        @discardableResult
        func push(_ request: PushRequest) -> PushResponse {
            let service = service
            let response = unfailing { try blocking { try await service.push(request) } }
            precondition(response.outcomes.allSatisfy { if case .accepted = $0 { true } else { false } })
            return response
        }

        /// The position of a device that has pulled everything.
        func end() -> SyncCursor {
            let store = store
            let sequence = unfailing { try blocking { try await store.read { try $0.historySequence } } }
            return SyncCursor(epoch: base.epoch, sequence: sequence)
        }

        /// Pulls what is new for the other device.
        func pull(after cursor: SyncCursor) -> Int {
            let service = service
            let request = PullRequest(device: "tablet", cursor: cursor)
            return unfailing { try blocking { try await service.pull(request) } }.entries.count
        }
    }
#endif
