import BenchmarkSupport
import Foundation

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
        let contestants = [
            Contestant(file, .ours, prepare: { turn += 1 }) {
                let changed = withExtendedLifetime(folder) { store.sync(file: files[turn % 2]) }
                precondition(changed == expected)
            },
            Contestant(stream, .peer, prepare: { turn += 1 }) {
                precondition(store.sync(stream: streams[turn % 2]) == expected)
            },
        ]
        return Line(
            suite: name, workload: form.rawValue, count: count, payloadBytes: payloads[0].count,
            rounds: payloads[0].count > 10_000_000 ? 3 : nil,
            // A stream keeps what a file keeps.
            contestants: form == .few ? [contestants[0]] : contestants)
    }

    // The key of each object is kept, and what is noted of it: not its bytes.
    static let streamTargets: [Target] =
        [file, stream].flatMap { contestant -> [Target] in
            [
                .memory(atMost: 512, contestant, in: StreamForm.some.rawValue, count: 100_000),
                .peakMemory(atMost: 0.25, timesPayloadOf: contestant, in: StreamForm.large.rawValue, count: 10_000),
                .peakMemory(
                    atMost: 2, contestant, in: StreamForm.large.rawValue, count: 10_000,
                    timesThatIn: StreamForm.some.rawValue, count: 10_000),
            ]
        } + [.memory(atMost: 512, file, in: StreamForm.few.rawValue, count: 100_000)]
}
