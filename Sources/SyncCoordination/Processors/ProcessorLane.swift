import StoreSync
import SyncPersistence

/// A processor with its state.
actor ProcessorLane {
    /// The processor that the app has given to the coordinator.
    nonisolated let processor: any ChangeProcessor

    /// What the processor may use: store and remote.
    private let context: ProcessorContext
    /// How many records are processed together.
    private let batchSize: Int
    /// The records in progress, and those that were postponed or refused.
    private var tracker = WorkTracker()
    /// Whether the processor has prepared itself since the start.
    private var isSetUp = false
    /// Whether the store was empty when the processor had prepared itself, and the load has not succeeded yet.
    private var mustLoad = false
    /// The longest delay in seconds that the processor has specified since the last report; nil for none.
    private var retryAfter: Int?

    /// The number of the last run; an earlier one that still goes on has no effect.
    private var run = 0

    /// The changes of others that the processor has not received yet, by commits.
    private var unreceived: [Reception] = []
    /// How many changes there are in them.
    private var unreceivedCount = 0
    /// How many changes were dropped since the last report of that.
    private var droppedCount = 0
    /// How many commits had changes of others.
    private var receptionCount = 0

    /// The most changes that wait, unless a single commit has more.
    private static let unreceivedLimit = 10_000

    /// The changes of a commit for the processor.
    private struct Reception: Sendable {
        /// The number by which it is found again.
        let number: Int
        let changes: [Commit.RecordChange]
    }

    /// The outcomes whose changes could not be stored yet.
    private var unsaved: [Completion] = []

    /// A record with the outcome of its processing.
    private struct Completion: Sendable {
        /// The record as it was processed.
        let record: Record
        /// What the processor has made of it.
        let outcome: ProcessorOutcome
    }

    /// Creates the lane of a processor that has not run.
    init(_ processor: any ChangeProcessor, in context: ProcessorContext, batchSize: Int) {
        self.processor = processor
        self.context = context
        self.batchSize = max(batchSize, 1)
    }

    /// Adds changes of others, which are passed to the processor when it processes no records.
    ///
    /// Beyond a limit, those of the oldest commits are dropped.
    func add(_ changes: [Commit.RecordChange]) {
        receptionCount += 1
        unreceived.append(Reception(number: receptionCount, changes: changes))
        unreceivedCount += changes.count
        while unreceivedCount > Self.unreceivedLimit, unreceived.count > 1 { droppedCount += removeFirstReception() }
    }

    /// Removes the changes of the earliest commit that wait; returns how many there were.
    @discardableResult
    private func removeFirstReception() -> Int {
        let count = unreceived.removeFirst().changes.count
        unreceivedCount -= count
        return count
    }

    /// Passes the changes of others to the processor, and matching records until there are none.
    ///
    /// If the processor cannot receive the changes, it still gets the records. If a batch fails, the report has the
    /// failure, and what the earlier batches have done and postponed.
    ///
    /// - Parameters:
    ///   - isRetry: Whether postponed records are passed again.
    ///   - report: Called after each batch.
    func run(isRetry: Bool, report: @Sendable (SyncEvent) async -> Void) async throws -> ProcessorReport {
        run += 1
        let number = run
        try await setUp()
        var result = ProcessorReport()
        await passReceived(in: number, &result, report)
        do {
            try await process(isRetry: isRetry, in: number, &result, report)
        } catch {
            if Task.isCancelled || run != number { throw error }
            result.failure = RunFailure(error)
        }
        guard run == number else { throw CancellationError() }
        result.isIncomplete = tracker.count(of: .postponed) + tracker.count(of: .delayed) > 0
        result.refusedCount = tracker.count(of: .refused)
        (result.retryAfter, retryAfter) = (retryAfter, nil)
        return result
    }

    /// Passes the changes of others to the processor, commit by commit, unless that has failed in the run.
    private func passReceived(
        in number: Int, _ result: inout ProcessorReport, _ report: @Sendable (SyncEvent) async -> Void
    ) async {
        if droppedCount > 0 {
            let count = droppedCount
            droppedCount = 0
            await report(.dropped(processor: processor.name, count: count))
        }
        do {
            while run == number, result.failure == nil, let reception = unreceived.first {
                try await processor.receive(reception.changes, in: context)
                guard run == number else { throw CancellationError() }
                // It may have been dropped meanwhile.
                if unreceived.first?.number == reception.number { removeFirstReception() }
            }
        } catch {
            result.failure = RunFailure(error)
        }
    }

    /// Processes matching records in batches until none is left, and passes the changes of others between them.
    private func process(
        isRetry: Bool, in number: Int, _ result: inout ProcessorReport, _ report: @Sendable (SyncEvent) async -> Void
    ) async throws {
        guard let work = processor.work, run == number else { return }
        tracker.release(postponed: isRetry)
        try await save(work, report)
        while true {
            try Task.checkCancellation()
            let limit = batchSize + tracker.count
            let records = try await context.store.read { try $0.records(work.query(limit: limit)) }
            guard run == number else { throw CancellationError() }
            let batch = tracker.take(records, limit: batchSize)
            if batch.isEmpty {
                tracker.keep(only: records)
                break
            }
            let outcomes = try await processor.process(batch, in: context)
            guard run == number else { throw CancellationError() }
            try await finish(batch, outcomes, work, &result, report)
            await passReceived(in: number, &result, report)
        }
    }

    /// Lets the processor prepare itself, and load records into an empty store.
    private func setUp() async throws {
        if isSetUp { return }
        try await processor.setUp(in: context)
        // After an error, the store may have a part of the records, or those of a cycle.
        if !mustLoad {
            mustLoad = try await context.store.read { transaction in
                try transaction.schema.shapes.allSatisfy { try transaction.count(Query($0.name, limit: 1)) == 0 }
            }
        }
        if mustLoad { try await processor.load(in: context) }
        (isSetUp, mustLoad) = (true, false)
    }
}

extension ProcessorLane {
    /// Takes the outcomes of a batch.
    private func finish(
        _ batch: [Record], _ outcomes: [RecordID: ProcessorOutcome], _ work: ProcessorWork,
        _ result: inout ProcessorReport, _ report: @Sendable (SyncEvent) async -> Void
    ) async throws {
        var isUnauthorized = false
        for record in batch {
            switch outcomes[record.id] {
            case .done, .update, .delete:
                unsaved.append(Completion(record: record, outcome: outcomes[record.id] ?? .done))
            case .refused(let code, let reason):
                tracker.finish(record, .refused)
                await report(.refused(processor: processor.name, record.id, code: code, reason: reason))
            case .later(let seconds):
                tracker.finish(record, seconds == nil ? .postponed : .delayed)
                retryAfter = [retryAfter, seconds].compactMap { $0 }.max()
            case .blocked, nil: tracker.finish(record, .postponed)
            case .unauthorized:
                isUnauthorized = true
                tracker.finish(record)
            }
        }
        let count = unsaved.count
        try await save(work, report)
        result.count += count
        await report(.processed(processor: processor.name, count: count))
        if isUnauthorized { throw RemoteError.unauthorized }
    }

    /// Stores the changes of completed records in one transaction.
    ///
    /// If the store fails, they are kept for the next run. If it does not allow a change, the others are stored alone.
    private func save(_ work: ProcessorWork, _ report: @Sendable (SyncEvent) async -> Void) async throws {
        if unsaved.isEmpty { return }
        do {
            try await save(unsaved, work)
        } catch let error as PersistenceError where !error.isOfStore {
            for completion in unsaved {
                do {
                    try await save([completion], work)
                } catch let error as PersistenceError where !error.isOfStore {
                    tracker.finish(completion.record, .postponed)
                    await report(.unsaved(processor: processor.name, completion.record.id, error))
                }
            }
        }
        unsaved = []
    }

    /// Stores the changes of completed records in one transaction.
    ///
    /// A record that was edited meanwhile is left alone, and processed again.
    private func save(_ completions: [Completion], _ work: ProcessorWork) async throws {
        let postponed = try await context.store.write { transaction in
            let isCurrent = try completions.map { try transaction.record($0.record.id) == $0.record }
            for (completion, isCurrent) in zip(completions, isCurrent) where isCurrent {
                var changes = ChangeSet()
                switch completion.outcome {
                case .update(let values): changes.update(completion.record.id, values)
                case .delete: changes.delete(completion.record.id)
                default: continue
                }
                try transaction.apply(changes)
            }
            return try zip(completions, isCurrent).map { completion, isCurrent -> Record? in
                // An edited record is processed again at once, and one that still matches after a delay.
                guard isCurrent, let record = try transaction.record(completion.record.id),
                    try work.matches(record, in: transaction)
                else { return nil }
                return record
            }
        }.result
        for (completion, record) in zip(completions, postponed) {
            tracker.finish(record ?? completion.record, record == nil ? nil : .postponed)
        }
    }
}

extension PersistenceError {
    /// Whether the store has failed, so that the same change may succeed later.
    fileprivate var isOfStore: Bool {
        [.locked, .full, .readOnly, .ioFailure, .movedFile, .closed].contains(code)
    }
}
