import DifferentialSyncTesting
import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Skipping unchanged objects changes nothing but the time of a sync.
///
/// The same steps run on stores with and without payload memory, in memory and in files. All results and contents are
/// equal.
struct MemoryProofTests {
    static let rounds: Range<UInt64> = 0..<(isFullScale ? 6 : 1)

    @Test(arguments: ProofSchema.allCases, environmentSeed.map { [$0] } ?? Array(rounds))
    func storesWithAndWithoutPayloadMemoryEndAlike(form: ProofSchema, seed: UInt64) async throws {
        let schema = try form.schema
        let stores = try await [
            ProofStore(.inMemory, usesMemory: false, schema), ProofStore(.inMemory, usesMemory: true, schema),
            ProofStore(.sqlite, usesMemory: false, schema), ProofStore(.sqlite, usesMemory: true, schema),
        ]
        var world = MemoryWorld(form, schema, seed: seed)
        var steps: [String] = []
        for number in 0..<14 {
            let step = world.next()
            steps.append("\(step)")
            var expected: (outcome: [String], contents: [String: Set<String>])?
            for store in stores {
                let outcome = await step.outcome(on: store)
                // Reading the whole store takes longer than a step, and a difference usually remains.
                let isRead = isFullScale || environmentSeed != nil || number % 5 == 3
                let contents = isRead ? try await store.adapter.proofContents() : [:]
                guard let known = expected else {
                    expected = (outcome, contents)
                    continue
                }
                #expect(outcome == known.outcome, "seed \(seed), step \(number), \(store): \(step)")
                let different = Set(contents.keys).union(known.contents.keys).sorted().filter {
                    contents[$0] != known.contents[$0]
                }
                for name in different {
                    let (here, there) = (contents[name] ?? [], known.contents[name] ?? [])
                    Issue.record(
                        """
                        \(name) differs, seed \(seed), step \(number), \(store): \(step)
                        here: \(here.subtracting(there).sorted())
                        there: \(there.subtracting(here).sorted())
                        \(steps.joined(separator: "\n"))
                        """)
                }
                if outcome != known.outcome || !different.isEmpty { return }
            }
        }
        for store in stores { await store.close() }
    }
}

/// A random step for the stores, which follows from a seed.
private struct MemoryWorld {
    private let form: ProofSchema
    private var payload: ProofPayload
    private var objects: [Value] = []
    private var others: [String: [Value]] = [:]
    private var last: MemoryStep?

    init(_ form: ProofSchema, _ schema: Schema, seed: UInt64) {
        self.form = form
        payload = ProofPayload(schema, seed: seed)
    }

    mutating func next() -> MemoryStep {
        if objects.isEmpty {
            objects = payload.objects(of: form.entity)
            return step(.sync(objects, form.entity, SyncOptionsChoice()))
        }
        switch Int.random(in: 0..<20, using: &payload.random) {
        case 0...6:
            objects = payload.edited(objects, of: form.entity)
            return step(.sync(objects, form.entity, SyncOptionsChoice()))
        case 7, 8:
            if let last { return last }
            return .reopen
        case 9...11: return .change(payload.changes())
        case 12: return .reopen
        case 13...15:
            // With other operations, and sometimes with unchanged objects.
            if payload.random.happens(0.5) { objects = payload.edited(objects, of: form.entity) }
            return step(.sync(objects, form.entity, choice()))
        case 16, 17:
            let entity = payload.schema.shapes.map(\.name).randomElement(using: &payload.random) ?? form.entity
            var theirs = others[entity] ?? payload.objects(of: entity, payload.random.happens(0.5) ? 36 : 3)
            theirs = payload.edited(theirs, of: entity)
            others[entity] = theirs
            return step(.sync(theirs, entity, payload.random.happens(0.7) ? SyncOptionsChoice() : choice()))
        default:
            let entity = payload.schema.shapes.map(\.name).randomElement(using: &payload.random) ?? form.entity
            let key = payload.key(of: entity)
            if payload.random.happens(0.4) { return .delete(entity, payload.named(key, entity)) }
            return .insertOrUpdate(payload.object(of: entity, key: key), entity)
        }
    }

    private mutating func step(_ step: MemoryStep) -> MemoryStep {
        last = step
        return step
    }

    private mutating func choice() -> SyncOptionsChoice {
        var choice = SyncOptionsChoice()
        switch Int.random(in: 0..<8, using: &payload.random) {
        case 0: choice.operations = [.insert, .update]
        case 1: choice.operations = SyncOperations(rawValue: .random(in: 0..<64, using: &payload.random))
        case 2: choice.operations.remove(.delete)
        case 3: choice.filter = .comparison(path: "text", .equal, "a")
        case 4: choice.origin = .local
        case 5: choice.origin = .agreed
        case 6: choice.isStrict = true
        default: choice.parent = payload.key(of: form.entity)
        }
        return choice
    }
}

/// The form in which a payload is synced.
private struct SyncOptionsChoice {
    var operations = SyncOperations.all
    var filter: Filter?
    var parent: Int?
    var origin = ChangeSet.Origin.remote
    var isStrict = false
}

/// A step that each store runs.
private enum MemoryStep {
    case sync([Value], String, SyncOptionsChoice)
    case change(ChangeSet)
    case insertOrUpdate(Value, String)
    case delete(String, Value)
    case reopen
}

extension MemoryStep {
    /// Runs the step and returns its outcome.
    func outcome(on store: ProofStore) async -> [String] {
        do {
            switch self {
            case .sync(let objects, let entity, let choice):
                var options = SyncOptions()
                options.usesPayloadMemory = store.usesMemory
                options.origin = choice.origin
                options.isStrict = choice.isStrict
                let parent = choice.parent.flatMap { key -> RecordID? in
                    let destination = store.adapter.schema[entity]?.relationships.first?.definition.destination
                    return destination.map { RecordID($0, .integer(Int64(key))) }
                }
                let bytes = try Value.array(objects).jsonBytes()
                return try await store.adapter.sync(
                    bytes, into: entity, filter: choice.filter, parent: parent, operations: choice.operations,
                    options: options
                ).lines
            case .change(let changes):
                let commit = try await store.adapter.commit(changes)
                return commit.changes.map { "\(($0.new ?? $0.old)?.id.description ?? "")" }.sorted()
            case .insertOrUpdate(let object, let entity):
                return try await store.adapter.insertOrUpdate(object, into: entity).result.lines
            case .delete(let entity, let key): return try await store.adapter.delete(entity, key).lines
            case .reopen:
                try await store.reopen()
                return []
            }
        } catch let error as PersistenceError {
            // Stores may report different ones of several faults.
            if case .change = self { return ["\(error.code)"] }
            Issue.record("\(error), \(store): \(self)")
            return ["\(error)"]
        } catch {
            return ["\(error)"]
        }
    }
}

extension MemoryStep: CustomStringConvertible {
    var description: String {
        switch self {
        case .sync(let objects, let entity, let choice): "sync of \(objects.count) into \(entity), \(choice)"
        case .change(let changes): "changes \(changes.origin) \(changes.operations)"
        case .insertOrUpdate(let object, let entity): "insertOrUpdate \(entity) \(object)"
        case .delete(let entity, let key): "delete \(entity) \(key)"
        case .reopen: "reopen"
        }
    }
}
