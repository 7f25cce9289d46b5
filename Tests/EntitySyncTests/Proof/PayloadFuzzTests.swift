import DifferentialSyncTesting
import Foundation
import SyncPersistence
import TestSupport
import Testing

@testable import EntitySync

/// Damaged JSON text: the store accepts all of it or nothing, in each form of the text.
///
/// The result of bytes, and of a file behind a small window, equals the result of the value that the text stands for.
///
/// If there is no such value, all forms report the same place. `DIFFSYNC_FUZZ=100000` makes that many texts.
struct PayloadFuzzTests {
    static let count = fuzzCount(isFullScale ? 3_000 : 200)

    /// The forms that a text has before it is damaged.
    enum Form: CaseIterable { case array, indented, lines, object, many }

    private func text(_ objects: [Value], _ form: Form) throws -> [UInt8] {
        switch form {
        case .array, .many: try Value.array(objects).jsonBytes()
        case .indented: try Value.array(objects).jsonBytes([.indented])
        case .object: try objects[0].jsonBytes([.indented])
        case .lines:
            Array(try objects.map { try $0.jsonBytes() }.joined(separator: [UInt8(ascii: "\n")]))
        }
    }

    /// The number of texts of a form.
    ///
    /// There are fewer texts of many objects, because each takes longer.
    private static func count(_ form: Form) -> Int { max(4, count / Form.allCases.count / (form == .many ? 10 : 1)) }

    @Test(arguments: Form.allCases)
    func damagedPayloadsEndAlikeAsBytesFilesAndValues(form: Form) async throws {
        let schema = try ProofSchema.office.schema
        let folder = TemporaryFolder()
        let seed = environmentSeed ?? UInt64(Form.allCases.firstIndex(of: form) ?? 0)
        var payload = ProofPayload(schema, seed: seed)
        var mutated = MutatedPayload(random: SeededGenerator(seed: seed))
        var outcomes = [0, 0]
        for number in 0..<Self.count(form) {
            let objects = payload.objects(of: "User", form == .many ? 33 : 4)
            let whole = try text(objects, form)
            let damaged = mutated.mutated(whole)
            let origin: Comment = "seed \(seed), text \(number): \(String(decoding: damaged, as: UTF8.self))"
            let bytes = try await outcome(schema, whole, of: damaged) { try await $0.sync(damaged, into: "User") }
            let size = Int.random(in: 1...80, using: &payload.random)
            folder.write(Data(damaged), to: "payload")
            let file = try await outcome(schema, whole, of: damaged) {
                try await $0.sync(file: folder.file("payload"), into: "User", window: size)
            }
            #expect(file == bytes, "window \(size), \(origin)")
            outcomes[bytes.error == nil ? 0 : 1] += 1
            guard let value = meaning(of: damaged, bytes) else { continue }
            let plain = try await outcome(schema, whole, of: damaged) { store in
                try await store.sync(value.get(), into: "User")
            }
            #expect(bytes.error == plain.error, origin)
            // A value has each name once.
            #expect(bytes.lines.filter { !$0.hasSuffix("found the name twice") } == plain.lines, origin)
            #expect(bytes.contents == plain.contents, origin)
        }
        // Both cases occur, so that the comparison is not empty.
        #expect(outcomes.allSatisfy { $0 * 20 > Self.count(form) })
    }

    /// The value of the text, or its error; nil for objects on lines, which are no single value.
    private func meaning(of text: [UInt8], _ bytes: Outcome) -> Result<Value, any Error>? {
        var options = JSONOptions()
        (options.readsHugeNumbers, options.readsLargeIntegers) = (true, true)
        let first = text.first { !" \n\r\t".utf8.contains($0) }
        if first != UInt8(ascii: "[") {
            // Each line by itself, if all lines are values.
            let lines = text.split(separator: UInt8(ascii: "\n")).filter { line in
                !line.allSatisfy { " \r\t".utf8.contains($0) }
            }
            let values = lines.compactMap { try? Value(json: Array($0), options: options) }
            if values.count == lines.count && !lines.isEmpty { return .success(.array(values)) }
            guard let value = try? Value(json: text, options: options) else { return nil }
            return .success(.array([value]))
        }
        return Result { try Value(json: text, options: options) }
    }

    /// The outcome of a sync.
    private struct Outcome: Equatable {
        var error: String?
        var lines: [String] = []
        var contents: [String: Set<String>] = [:]
    }

    /// Returns the outcome of a sync into a store that holds the undamaged text.
    private func outcome(
        _ schema: Schema, _ whole: [UInt8], of damaged: [UInt8],
        _ sync: (InMemoryAdapter) async throws -> SyncResult
    ) async throws -> Outcome {
        let store = InMemoryAdapter(schema: schema)
        try await store.sync(whole, into: "User")
        let before = try await StoreDump(of: store)
        var outcome = Outcome()
        do {
            outcome.lines = try await sync(store).lines
        } catch let error as JSONError {
            outcome.error = "\(error.code) at \(error.offset), \(error.line):\(error.column)"
        } catch {
            outcome.error = "\(error)"
        }
        if outcome.error != nil {
            #expect(try await StoreDump(of: store) == before, "\(String(decoding: damaged, as: UTF8.self))")
        }
        outcome.contents = try await store.proofContents()
        return outcome
    }
}

extension PersistenceAdapter {
    /// Syncs a file through a window of the given number of bytes.
    fileprivate func sync(file path: String, into entity: String, window size: Int) async throws -> SyncResult {
        let written = try await write { transaction in
            let root = SyncRoot(entity)
            let run = SyncRun(SyncOptions(), in: transaction, Cancellation())
            let seed = MappingSignature.of(transaction.schema, root, run.options)
            let window = try ByteWindow(PayloadFile(path: path), size: size)
            let payload = PayloadOfBytes(window, options: run.reader.jsonOptions, seed: seed)
            let list = PayloadContents.ObjectList(root: root, payload: payload, isPartial: false)
            try run.sync(PayloadContents(lists: [list]))
            return run.result()
        }
        return SyncResult(written.commit, written.result, in: schema)
    }
}
