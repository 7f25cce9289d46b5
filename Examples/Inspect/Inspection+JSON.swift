import StoreSync
import SyncCoordination
import SyncPersistence
import SyncValues

extension Inspection {
    /// All parts as an indented JSON object.
    var json: String {
        get throws {
            let document = object([
                ("path", .string(path)), ("isSettled", .bool(state.isSettled)),
                ("reasons", .array(reasons.map(Value.string))), ("device", text(state.device)),
                ("account", text(state.account)), ("scope", text(state.scope)),
                (
                    "cursor",
                    state.cursor.map { object([("epoch", .string($0.epoch)), ("sequence", .integer($0.sequence))]) }
                        ?? .null
                ),
                ("pushNumber", .integer(state.pushNumber)), ("isComparing", .bool(state.isComparing)),
                ("commit", .integer(commit)),
                (
                    "history",
                    history.map { object([("sequence", .integer($0.sequence)), ("horizon", .integer($0.horizon))]) }
                        ?? .null
                ),
                ("entities", counts(entities)),
                ("pending", counts(state.pendingCounts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })),
                ("inFlight", .array(state.inFlight.map { object(id($0)) })),
                (
                    "conflicts",
                    .array(
                        state.openConflicts.map {
                            object(id($0.id) + [("fields", .array($0.fields.map(Value.string)))])
                        })
                ),
                (
                    "refused",
                    .array(
                        state.refused.map {
                            object(id($0.id) + [("code", .string($0.code)), ("reason", .string($0.reason))])
                        })
                ),
                ("waiting", .array(state.waiting.map { object(id($0)) })),
                ("unreadable", .array(state.unreadable.map { object(id($0.id) + [("reason", .string($0.reason))]) })),
                (
                    "events",
                    .array(events.map { object([("date", .string($0.time)), ("text", .string($0.text))]) })
                ),
                ("bytes", object([("file", .integer(Int64(size.file))), ("log", .integer(Int64(size.log)))])),
                ("tables", counts(tables)),
            ])
            return try document.json([.indented])
        }
    }

    private func object(_ members: [(String, Value)]) -> Value {
        .object(ValueObject(members.map { ValueObject.Member(name: $0.0, value: $0.1) }))
    }

    private func id(_ id: RecordID) -> [(String, Value)] { [("entity", .string(id.entity)), ("key", id.key)] }

    private func text(_ text: String?) -> Value { text.map(Value.string) ?? .null }

    private func counts(_ counts: [(name: String, count: Int)]) -> Value {
        object(counts.map { ($0.name, .integer(Int64($0.count))) })
    }
}
