import BenchmarkSupport
import Foundation

/// Payloads that are read from files and streams, of which a few objects have changed since the last one.
enum StreamForm: String, CaseIterable {
    case some = "payload with 1 % changed, not in memory"
    case few = "payload with 10 objects changed, not in memory"
    case large = "payload of objects 10 times as large, 1 % changed, not in memory"

    func payload(count: Int, isEdited: Bool) -> Data {
        JSONPayload(
            .nested, count: count, editedEvery: !isEdited ? .max : self == .few ? count / 10 : 100,
            scale: self == .large ? 10 : 1
        ).data
    }
}

extension EntitySuite {
    private static let file = "sync(contentsOfFile:)"
    private static let stream = "sync(stream:)"

    /// What they hold of a payload in memory is in the last column.
    static func streams(_ form: StreamForm, count: Int) -> Line {
        let payloads = [false, true].map { form.payload(count: count, isEdited: $0) }
        let store = EntityStore(payloads[0])
        let folder = TemporaryFolder()
        let files = payloads.indices.map { index in
            let path = "\(folder.path)/\(index).json"
            unfailing { try payloads[index].write(to: URL(fileURLWithPath: path)) }
            return path
        }
        let streams = payloads.map { ByteStream(bytes: Array($0)) }
        var turn = 0
        let expected = form == .few ? 10 : (count + 99) / 100
        return Line(
            suite: name, workload: form.rawValue, count: count, payloadBytes: payloads[0].count,
            contestants: [
                Contestant(file, .ours, prepare: { turn += 1 }) {
                    let changed = withExtendedLifetime(folder) { store.sync(file: files[turn % 2]) }
                    precondition(changed == expected)
                },
                Contestant(stream, .peer, prepare: { turn += 1 }) {
                    precondition(store.sync(stream: streams[turn % 2]) == expected)
                },
            ])
    }

    static let streamTargets: [Target] = [file, stream].flatMap { contestant -> [Target] in
        [
            .peakMemory(atMost: 0.25, timesPayloadOf: contestant, in: StreamForm.some.rawValue, count: 100_000),
            .peakMemory(
                atMost: 2, contestant, in: StreamForm.few.rawValue, count: 100_000,
                timesThatIn: StreamForm.few.rawValue, count: 1_000),
            .peakMemory(
                atMost: 2, contestant, in: StreamForm.large.rawValue, count: 10_000,
                timesThatIn: StreamForm.some.rawValue, count: 10_000),
        ]
    }
}

/// Bytes that come one by one.
private struct ByteStream: AsyncSequence, Sendable {
    let bytes: [UInt8]

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var rest: IndexingIterator<[UInt8]>

        mutating func next() async -> UInt8? { rest.next() }
    }

    func makeAsyncIterator() -> Iterator { Iterator(rest: bytes.makeIterator()) }
}
