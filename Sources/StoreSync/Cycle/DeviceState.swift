import SyncPersistence

/// What a device stores of its synchronization, besides the journal and the records in flight.
struct DeviceState: Hashable, Sendable {
    /// The identifier of the device.
    var device: String

    /// The scope of the last handshake; nil for all records.
    var scope: String?

    /// A number that grows with each stored step.
    ///
    /// A cycle compares it with the number that it stored last. If they differ, another cycle has worked on the store
    /// in between, and this one throws.
    var turn: Int64 = 0

    /// The position in the remote's history at the end of the last stored page; nil before the first contact.
    var cursor: SyncCursor?

    /// The last push that was begun; nil before the first.
    var lastPush: PushName?

    /// The base of the push that has no response yet; nil if there is none.
    var base: SyncCursor?

    /// The comparison in progress; nil if the next pull continues at the cursor.
    ///
    /// No other push begins before its end, because the cursor is no base yet. A handshake in the middle of a cycle may
    /// begin it while a push is under way.
    var comparison: Comparison?

    /// The scope that the device has left, until the comparison in another one is finished; nil if there is none.
    var former: FormerScope?

    /// The names of slots by entity, for which this store has the values of all records, or pulls them in the comparison
    /// in progress.
    ///
    /// A slot that an update of the app adds is missing here. Then everything is pulled again, because earlier pages
    /// were stored without its values.
    var entities: [String: [String]] = [:]

    /// What the schema of the remote lacked at the last handshake: the names of slots by entity.
    var missing: [String: [String]] = [:]

    /// The slots that the remote has lacked and has now, by entity, until the comparison in progress is finished.
    ///
    /// A value in one of them is sent again if the remote has the default there.
    var regained: [String: [String]] = [:]

    /// The number in the remote's history after which a further difference of contents starts another comparison.
    ///
    /// Nil if the contents were equal at the last fingerprint, or if none was compared.
    var comparesAfter: Int64?

    /// A scope that the device has left.
    struct FormerScope: Hashable, Sendable {
        /// Its name; nil for all records.
        var name: String?
    }

    /// A pull of everything that the remote has.
    struct Comparison: Hashable, Sendable {
        /// The effect of a comparison on a record that the store has and the remote lacks.
        enum Absence: String, Hashable, Sendable {
            /// No effect, because the pages list deletions as well, or because the store was empty at the beginning.
            case meansNothing
            /// The record is sent to the remote again, as if it were new.
            case isSentAgain
            /// The record is deleted here, unless it has a local change: the remote once had it and has deleted it.
            case isDeletion
        }

        /// The number after which the comparison needs the remote's deletions.
        ///
        /// It begins again if the remote has forgotten some of them.
        var deletionsAfter: Int64

        /// What follows for a record that the remote lacks.
        var absence: Absence

        /// Whether the store has records from before it met this account and history of the remote.
        ///
        /// Equal counted keys do not mean the same record then.
        var isOtherHistory = false
    }
}

extension DeviceState {
    /// The name of the metadata with the state.
    private static let name = "sync.store.state"

    /// Reads the state of a store; nil before the first cycle.
    ///
    /// - Throws: `PersistenceError` if it cannot be read.
    init?(in transaction: ReadTransaction) throws {
        guard let text = try transaction.metadata(Self.name) else { return nil }
        do {
            try self.init(MessageReader(Value(json: text)))
        } catch {
            throw PersistenceError(
                .unreadable, "the state of the synchronization cannot be read: \(error). Restore the file from a copy",
                id: RecordID("sync.metadata", .string(Self.name)), property: "value")
        }
    }

    /// Stores the state.
    func store(in transaction: WriteTransaction) throws {
        try transaction.setLibraryMetadata(try json.json, for: Self.name)
    }

    private var json: Value {
        var object = MessageWriter()
        object.set("device", device)
        object.set("scope", ifAny: scope, Value.string)
        object.set("turn", turn)
        object.set("cursor", ifAny: cursor, \.json)
        object.set("lastPush", ifAny: lastPush, \.json)
        object.set("base", ifAny: base, \.json)
        object.set("comparison", ifAny: comparison) { comparison in
            var object = MessageWriter()
            object.set("deletionsAfter", comparison.deletionsAfter)
            object.set("absence", comparison.absence.rawValue)
            if comparison.isOtherHistory { object.set("isOtherHistory", .bool(true)) }
            return object.json
        }
        object.set("former", ifAny: former) { former in
            var object = MessageWriter()
            object.set("scope", ifAny: former.name, Value.string)
            return object.json
        }
        object.set("entities", names: entities)
        if !missing.isEmpty { object.set("missing", names: missing) }
        if !regained.isEmpty { object.set("regained", names: regained) }
        object.set("comparesAfter", ifAny: comparesAfter, Value.integer)
        return object.json
    }

    private init(_ message: MessageReader) throws(MessageError) {
        func scope(_ message: MessageReader) throws(MessageError) -> String? {
            message.has("scope") ? try message.text("scope") : nil
        }
        self.init(
            device: try message.text("device"),
            scope: try scope(message),
            turn: try message.number("turn"),
            cursor: message.has("cursor") ? try SyncCursor(message.object("cursor")) : nil,
            lastPush: message.has("lastPush") ? try PushName(message.object("lastPush")) : nil,
            base: message.has("base") ? try SyncCursor(message.object("base")) : nil,
            comparison: message.has("comparison") ? try Comparison(message.object("comparison")) : nil,
            former: message.has("former") ? try FormerScope(name: scope(message.object("former"))) : nil,
            entities: try message.names("entities"),
            missing: message.has("missing") ? try message.names("missing") : [:],
            regained: message.has("regained") ? try message.names("regained") : [:],
            comparesAfter: message.has("comparesAfter") ? try message.number("comparesAfter") : nil)
    }
}

extension DeviceState.Comparison {
    fileprivate init(_ message: MessageReader) throws(MessageError) {
        guard let absence = Absence(rawValue: try message.text("absence")) else {
            throw message.error("absence", "it is unknown to this version")
        }
        self.init(
            deletionsAfter: try message.number("deletionsAfter"), absence: absence,
            isOtherHistory: message.has("isOtherHistory") ? try message.bool("isOtherHistory") : false)
    }
}
