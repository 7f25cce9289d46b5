import DifferentialSync

/// What a store knows of the cycles of a collection: the remote's version, and the push that is under way.
///
/// They are metadata by the names `cycle.<entity>.version`, `.account`, `.pendingPush` and `.turn`.
struct CycleState<Element: Equatable & Sendable, Key: Hashable & Sendable> {
    /// How often the state has changed: two cycles that run at once find each other out by it.
    private(set) var turn: Int

    /// The state of the remote that the shadow stands for.
    private(set) var version: RemoteVersion?

    /// The account whose remote it is.
    private(set) var account: String?

    private var pushText: String?
    private let coding: RecordCoding<Element, Key>
    private let schema: Schema
    private let shape: Shape

    init(_ coding: RecordCoding<Element, Key>, in transaction: ReadTransaction) throws {
        self.coding = coding
        schema = transaction.schema
        shape = try transaction.shape(coding.entity)
        let entity = coding.entity
        turn = try transaction.metadata(CycleMetadata.turn(of: entity)).flatMap { Int($0) } ?? 0
        pushText = try transaction.metadata(CycleMetadata.pendingPush(of: entity))
        account = try transaction.metadata(CycleMetadata.account(of: entity))
        if let text = try transaction.metadata(CycleMetadata.version(of: entity)) {
            do {
                version = try jsonValue(RemoteVersion.self, from: text)
            } catch {
                throw PersistenceError(
                    .unreadable,
                    "the remote's version that '\(entity)' knows is not one: was the file changed by another program?")
            }
        }
    }
}

/// The names under which a store keeps what it knows of the cycles of an entity.
enum CycleMetadata {
    static func version(of entity: String) -> String { "cycle.\(entity).version" }
    static func pendingPush(of entity: String) -> String { "cycle.\(entity).pendingPush" }
    static func account(of entity: String) -> String { "cycle.\(entity).account" }
    static func turn(of entity: String) -> String { "cycle.\(entity).turn" }

    /// All of them.
    static func names(of entity: String) -> [String] {
        [version(of: entity), pendingPush(of: entity), account(of: entity), turn(of: entity)]
    }
}

extension CycleState {
    /// The push that was sent and not answered.
    var pendingPush: Push<Element>? {
        get throws {
            guard let pushText else { return nil }
            do {
                return try jsonValue(Push<String>.self, from: pushText).transformed { text in
                    try coding.element(of: Record(journalText: text, schema: schema))
                }
            } catch {
                throw PersistenceError(
                    .unreadable,
                    "the push of '\(coding.entity)' that is in doubt cannot be read: \(CodingReason(error)). It stays "
                        + "stored; run a cycle with the type that it was stored by, or forget it by "
                        + "'forgetPendingPushUnanswered'")
            }
        }
    }

    /// Keeps a push before it is sent.
    mutating func keep(_ push: Push<Element>, in changes: inout ChangeSet) throws {
        let text = try jsonText(
            of: push.transformed { element in try coding.record(of: element, shape: shape).journalText })
        if text != pushText { changes.setMetadata(CycleMetadata.pendingPush(of: coding.entity), text) }
        pushText = text
        takeTurn(&changes)
    }

    /// Forgets the push, if there is one.
    mutating func forgetPush(_ changes: inout ChangeSet) {
        if pushText == nil { return }
        changes.setMetadata(CycleMetadata.pendingPush(of: coding.entity), nil)
        pushText = nil
        takeTurn(&changes)
    }

    /// Takes the changes over that a cycle has come to, and forgets its push; where nothing changes, nothing is
    /// written.
    mutating func agree(
        at version: RemoteVersion?, account: String?, in changes: inout ChangeSet
    ) throws {
        let hadPush = pushText != nil
        forgetPush(&changes)
        if account != self.account {
            changes.setMetadata(CycleMetadata.account(of: coding.entity), account)
            self.account = account
        }
        if version != self.version {
            let text = try version.map { try jsonText(of: $0) }
            changes.setMetadata(CycleMetadata.version(of: coding.entity), text)
            self.version = version
        }
        if !hadPush && !changes.isEmpty { takeTurn(&changes) }
    }

    private mutating func takeTurn(_ changes: inout ChangeSet) {
        turn += 1
        changes.setMetadata(CycleMetadata.turn(of: coding.entity), "\(turn)")
    }

    /// Makes sure that no other cycle has gone on with the collection since.
    func requireTurn(_ known: Int?) throws {
        if let known, known != turn {
            throw PersistenceError(
                .cycleOvertaken,
                "another cycle has gone on with '\(coding.entity)' meanwhile. Nothing is lost: begin a new cycle, which "
                    + "asks what became of a push in doubt")
        }
    }
}

extension PersistenceError.Code {
    /// Another cycle has gone on with a collection while this one was under way.
    public static let cycleOvertaken = PersistenceError.Code("cycleOvertaken")
}
