import DifferentialSync

/// The state of a collection's cycles, which a store keeps as metadata named `cycle.<entity>.…`.
///
/// It has these parts:
/// - the version and the account of the remote
/// - the push in doubt, without its records, which are ``SentRecord``s
/// - the names of earlier pushes
/// - the members that the type read at the last agreement with the remote
/// - the keys of elements that could not be read
/// - those of them that are pulled again once another collection has sent its changes
/// - unsent links that were deleted
struct CycleState {
    /// The number of changes of the state, by which two simultaneous cycles detect each other.
    private(set) var turn: Int

    /// The version of the remote that the shadow represents.
    private(set) var version: RemoteVersion?

    /// The account that the collection belongs to.
    private(set) var account: String?

    /// The account under which the records of a collection without an account were made, if it is known.
    private(set) var inheritedAccount: String?

    /// The push that was sent and not answered.
    private(set) var push: SentPush?

    /// The names of the latest pushes.
    private(set) var pushNames: PushNames

    /// The text of ``MemberSurvey`` at the last agreement; empty if there were no elements.
    private(set) var members: String?

    /// The keys of the remote's elements that could not be read when they were pulled.
    private(set) var unreadable: [Value] = []

    /// How often the collection was opened and synchronized since the keys of such elements last changed.
    private var openings = 0
    /// The number of openings that the store has, so that an equal one is not written again.
    private var storedOpenings = 0

    /// Those of the unreadable keys whose elements were left out because of a local change of another entity's record.
    ///
    /// Everything is pulled again once one of them no longer waits for that.
    private(set) var leftOut: [Value] = []

    /// The unsent links that the remote's deletions have taken along, and that no outcome has listed yet.
    private(set) var deletedLinks: [RecordID] = []

    /// The entity whose records the collection has.
    let entity: String

    /// A push without its records.
    struct SentPush: Codable, Equatable {
        /// The name of the push, by which the remote reports its status.
        let id: String
        /// The version that the remote must have to accept the push.
        let expected: RemoteVersion?
    }

    /// Reads the state of a collection from the metadata of its store.
    ///
    /// - Throws: ``PersistenceError`` for metadata that cannot be read.
    init(of entity: String, in transaction: ReadTransaction) throws {
        self.entity = entity
        func decoded<Value: Decodable>(_ type: Value.Type, _ name: String, what: String) throws -> Value? {
            guard let text = try transaction.metadata(name) else { return nil }
            do {
                return try jsonValue(type, from: text)
            } catch {
                throw PersistenceError(
                    .unreadable, "\(what) that '\(entity)' knows is not one: was the file changed by another program?")
            }
        }
        turn = try transaction.metadata(CycleMetadata.turn(of: entity)).flatMap { Int($0) } ?? 0
        account = try transaction.metadata(CycleMetadata.account(of: entity))
        inheritedAccount = try transaction.metadata(CycleMetadata.inheritedAccount(of: entity))
        members = try transaction.metadata(CycleMetadata.members(of: entity))
        version = try decoded(
            RemoteVersion.self, CycleMetadata.version(of: entity), what: "the remote's version")
        push = try decoded(SentPush.self, CycleMetadata.push(of: entity), what: "the push in doubt")
        pushNames =
            try decoded(PushNames.self, CycleMetadata.pushNames(of: entity), what: "the list of push names")
            ?? PushNames()
        unreadable =
            try decoded([Value].self, CycleMetadata.unreadable(of: entity), what: "what was not readable") ?? []
        openings = try transaction.metadata(CycleMetadata.openings(of: entity)).flatMap { Int($0) } ?? 0
        storedOpenings = openings
        leftOut = try decoded([Value].self, CycleMetadata.leftOut(of: entity), what: "what was left out") ?? []
        deletedLinks =
            try decoded(
                [RecordID].self, CycleMetadata.deletedLinks(of: entity), what: "the list of deleted links") ?? []
    }
}

extension CycleState {
    /// Stores the push that is sent next, or removes it for nil.
    mutating func set(push: SentPush?, in changes: inout ChangeSet) throws {
        if push == self.push { return }
        self.push = push
        changes.setMetadata(CycleMetadata.push(of: entity), try push.map { try jsonText(of: $0) })
    }

    /// Stores the version and the account that the collection now agrees with.
    mutating func set(_ version: RemoteVersion?, _ account: String?, in changes: inout ChangeSet) throws {
        if version != self.version {
            self.version = version
            changes.setMetadata(CycleMetadata.version(of: entity), try version.map { try jsonText(of: $0) })
        }
        if account != self.account {
            self.account = account
            changes.setMetadata(CycleMetadata.account(of: entity), account)
            if inheritedAccount != nil {
                inheritedAccount = nil
                changes.setMetadata(CycleMetadata.inheritedAccount(of: entity), nil)
            }
        }
    }

    /// Stores the names of the latest pushes.
    mutating func set(_ pushNames: PushNames, in changes: inout ChangeSet) throws {
        if pushNames == self.pushNames { return }
        self.pushNames = pushNames
        changes.setMetadata(CycleMetadata.pushNames(of: entity), try jsonText(of: pushNames))
    }

    /// Stores the members that the type reads at this agreement.
    mutating func set(members: String?, in changes: inout ChangeSet) {
        if members == self.members { return }
        self.members = members
        changes.setMetadata(CycleMetadata.members(of: entity), members)
    }

    /// Stores the keys of the remote's elements that could not be read.
    mutating func set(unreadable keys: Set<Value>, in changes: inout ChangeSet) throws {
        let keys = keys.sorted(by: Value.areInIncreasingOrder)
        if keys != unreadable {
            unreadable = keys
            openings = 0
            changes.setMetadata(CycleMetadata.unreadable(of: entity), keys.isEmpty ? nil : try jsonText(of: keys))
        }
        if openings == storedOpenings { return }
        storedOpenings = openings
        changes.setMetadata(CycleMetadata.openings(of: entity), openings == 0 ? nil : "\(openings)")
    }

    /// Stores the keys of elements that were left out because of a local change of another entity's record.
    mutating func set(leftOut keys: Set<Value>, in changes: inout ChangeSet) throws {
        let keys = keys.sorted(by: Value.areInIncreasingOrder)
        if keys == leftOut { return }
        leftOut = keys
        changes.setMetadata(CycleMetadata.leftOut(of: entity), keys.isEmpty ? nil : try jsonText(of: keys))
    }

    /// Counts that the collection was opened and synchronized, if there are elements that could not be read.
    mutating func countOpening() { if !unreadable.isEmpty { openings += 1 } }

    /// Whether elements that could not be read are worth another look, although the type looks the same: what decodes them
    /// may have changed without that.
    ///
    /// It is so at the 8th opening, the 16th, the 32nd and so on.
    var isRetryDue: Bool { openings >= 7 && (openings + 1).nonzeroBitCount == 1 }

    /// Notes which unsent links no outcome has listed yet.
    mutating func set(deletedLinks links: [RecordID], in changes: inout ChangeSet) throws {
        if links == deletedLinks { return }
        deletedLinks = links
        changes.setMetadata(CycleMetadata.deletedLinks(of: entity), links.isEmpty ? nil : try jsonText(of: links))
    }

    /// Increments the turn, so that other cycles detect the progress of this one.
    mutating func takeTurn(_ changes: inout ChangeSet) {
        turn += 1
        changes.setMetadata(CycleMetadata.turn(of: entity), "\(turn)")
    }

    /// Throws if another cycle has continued since the known turn.
    func requireTurn(_ known: Int?) throws {
        if let known, known != turn {
            throw PersistenceError(
                .cycleOvertaken,
                "another cycle has gone on with '\(entity)' meanwhile. Nothing is lost: begin a new cycle, which asks "
                    + "what became of a push in doubt")
        }
    }
}

extension PersistenceError.Code {
    /// Another cycle of the collection has continued while this one was in progress.
    public static let cycleOvertaken = PersistenceError.Code("cycleOvertaken")
}
