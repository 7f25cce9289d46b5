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
