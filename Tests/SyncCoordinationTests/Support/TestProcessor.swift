import SyncCoordination
import SyncPersistence

/// A processor that records its calls, and does as a test wants.
final class TestProcessor: ChangeProcessor {
    typealias Body = @Sendable (_ records: [Record], _ call: Int) async throws -> [RecordID: ProcessorOutcome]

    let name: String
    let work: ProcessorWork?
    private let body: Body
    private let onReceive: @Sendable () async -> Void
    private let calls = Locked<[[RecordID]]>([])
    private let duties = Locked<[String]>([])
    private let received = Locked<[RecordID]>([])
    private let failures = Locked<[any Error]>([])

    init(
        _ name: String = "upload", _ work: ProcessorWork?, _ body: @escaping Body = { _, _ in [:] },
        onReceive: @escaping @Sendable () async -> Void = {}
    ) {
        (self.name, self.work, self.body, self.onReceive) = (name, work, body, onReceive)
    }

    /// The records of each call so far.
    var batches: [[RecordID]] { calls.current }

    /// The other calls so far.
    var otherCalls: [String] { duties.current }

    /// The changes that were received without an error.
    var receivedIDs: [RecordID] { received.current }

    /// Lets the next calls other than for records fail.
    func fail(_ errors: any Error...) { failures.withLock { $0 += errors } }

    private func begin(_ duty: String) throws {
        duties.withLock { $0.append(duty) }
        let failure = failures.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if let failure { throw failure }
    }

    func setUp(in context: ProcessorContext) async throws { try begin("setUp") }

    func load(in context: ProcessorContext) async throws { try begin("load") }

    func process(_ records: [Record], in context: ProcessorContext) async throws -> [RecordID: ProcessorOutcome] {
        let call = calls.withLock { calls in
            calls.append(records.map(\.id))
            return calls.count
        }
        return try await body(records, call)
    }

    func receive(_ changes: [Commit.RecordChange], in context: ProcessorContext) async throws {
        try begin("receive")
        await onReceive()
        received.withLock { $0 += changes.compactMap(\.id) }
    }
}

extension ProcessorWork {
    /// Photos without an address.
    static let newPhotos = ProcessorWork("Photo", where: Field("address").isNull)

    /// Photos without an address, which are sent only once they have one.
    static let unsentPhotos = ProcessorWork("Photo", where: Field("address").isNull, precedesSync: true)
}

extension [RecordID: ProcessorOutcome] {
    /// Gives each record an address.
    static func addresses(_ records: [Record]) -> Self {
        Dictionary(uniqueKeysWithValues: records.map { ($0.id, .update(["address": .string("file \($0.key)")])) })
    }
}
