import SyncPersistence

/// A link that waits for a record to come.
private struct PendingLink: Equatable {
    let entity: String
    let owner: Value
    let relationship: String
    let key: Value
    /// What a relationship to one record leads to meanwhile.
    let meanwhile: Value

    var value: Value { [.string(entity), owner, .string(relationship), key, meanwhile] }

    init(entity: String, owner: Value, relationship: String, key: Value, meanwhile: Value) {
        self.entity = entity
        self.owner = owner
        self.relationship = relationship
        self.key = key
        self.meanwhile = meanwhile
    }

    init?(_ value: Value) {
        guard case .array(let parts) = value, parts.count == 5, case .string(let entity) = parts[0],
            case .string(let relationship) = parts[2]
        else { return nil }
        self.init(entity: entity, owner: parts[1], relationship: relationship, key: parts[3], meanwhile: parts[4])
    }
}

/// The relationship of a record that waits, and the tokens of all that is listed, in its order.
private struct PendingList {
    let relationship: String
    var listed: [Value]

    var value: Value { .array([.string(relationship)] + listed) }

    init(relationship: String, listed: [Value]) {
        self.relationship = relationship
        self.listed = listed
    }

    init?(_ value: Value) {
        guard case .array(let parts) = value, case .string(let relationship)? = parts.first else { return nil }
        self.init(relationship: relationship, listed: Array(parts.dropFirst()))
    }
}

/// A record that is new, or of another entity than before, and the relationships of which the payload speaks with it.
struct Arrival {
    let map: EntityMap
    let key: Value
    let spoken: Set<String>
}

/// Links that wait for records to come with a later payload, kept beside the notes of payloads: under the token of the
/// record that is missing, and under that of each record that waits, the tokens of what its relationships list.
extension SyncRun {
    private static let links = "sync.pendingLinks"
    private static let owners = "sync.pendingOwners"
    private static let existence: Int64 = 0

    /// Whether links may be waiting.
    func hasPendingLinks() throws -> Bool {
        if let knownPending { return knownPending }
        let answer = try transaction.payloadNote(Self.owners, Self.existence) != nil
        knownPending = answer
        return answer
    }

    /// Keeps a link for the time when its record comes.
    func keepPending(_ key: Value, of owner: Record, _ connection: Connection) throws {
        let map = try mapping.destination(of: connection.relationship)
        let link = PendingLink(
            entity: owner.entity, owner: owner.key, relationship: connection.relationship.name, key: key,
            meanwhile: try connected(owner, connection.relationship))
        let links = try pending(number(key, map))
        if !links.contains(link) { try keep(links + [link], number(key, map)) }
        var lists = try lists(of: owner)
        let listed = connection.keys.map { Value.integer(number($0, map)) }
        if let position = lists.firstIndex(where: { $0.relationship == link.relationship }) {
            let known = Set(lists[position].listed)
            lists[position].listed += listed.filter { !known.contains($0) }
        } else {
            lists.append(PendingList(relationship: link.relationship, listed: listed))
        }
        try keep(lists, of: owner)
        if try !hasPendingLinks() {
            try transaction.setPayloadNote(Self.owners, Self.existence, [1])
            knownPending = true
        }
        outcome.pendingCount += 1
    }

    /// Forgets the links of a record that wait, where the payload says anew what a relationship leads to, or the record
    /// itself is new.
    func forgetPending(of owner: Record, where isSaid: (_ relationship: String) -> Bool) throws {
        guard try hasPendingLinks() else { return }
        let lists = try lists(of: owner)
        let gone = lists.filter { isSaid($0.relationship) }
        if gone.isEmpty { return }
        for list in gone {
            for case .integer(let missing) in list.listed {
                let links = try pending(missing)
                let others = links.filter {
                    $0.owner != owner.key || $0.relationship != list.relationship
                        || mapping.schema[$0.entity]?.root != owner.shape.root
                }
                if others.count < links.count { try keep(others, missing) }
            }
        }
        try keep(lists.filter { !isSaid($0.relationship) }, of: owner)
    }

    /// Makes the links that have waited for records that are there now.
    func resolvePending() throws {
        guard try hasPendingLinks() else { return }
        for arrival in arrivals {
            let missing = number(arrival.key, arrival.map)
            let links = try pending(missing)
            if links.isEmpty { continue }
            let waiting = try links.filter { try !make($0, arrival) }
            if waiting.count < links.count { try keep(waiting, missing) }
        }
    }

    /// Makes a link; answers whether it need not wait any more.
    private func make(_ link: PendingLink, _ arrival: Arrival) throws -> Bool {
        // The owner may have gone, and a schema may have changed.
        guard mapping.schema[link.entity] != nil else { return true }
        let map = try mapping.map(of: link.entity)
        guard let relationship = map.relationships.first(where: { $0.name == link.relationship }),
            let owner = try record(map, link.owner), owner.shape.inherits(map.shape.name), !isDraft(owner)
        else { return true }
        // It may be of another entity that has the key, and not be stored after all.
        guard let key = try named(link.key, mapping.destination(of: relationship)) else { return false }
        let id = RecordID(owner.entity, owner.key)
        let present = try transaction.related(id, relationship.name)
        if !present.contains(key) {
            // What the payload says with the record is newer, and so is what the owner leads to since.
            if let inverse = relationship.definition.inverse, arrival.spoken.contains(inverse) { return true }
            guard try connected(owner, relationship) == link.meanwhile else { return true }
        } else if !relationship.isOrdered {
            return true
        }
        var changes = ChangeSet(origin: origin)
        if relationship.isToMany {
            let place =
                relationship.isOrdered
                ? try self.place(of: key, among: present.filter { $0 != key }, of: owner, relationship) : nil
            changes.link(id, relationship.name, to: key, at: place)
        } else {
            changes.setLinks(id, relationship.name, to: [key])
        }
        try transaction.apply(changes)
        return true
    }

    /// The place of a record among those that are connected already, in the order in which they were listed.
    private func place(
        of key: Value, among present: [Value], of owner: Record, _ relationship: RelationshipMap
    ) throws -> Int {
        let map = try mapping.destination(of: relationship)
        let listed = try lists(of: owner).first { $0.relationship == relationship.name }?.listed ?? []
        let later = Set(listed.drop { $0 != .integer(number(key, map)) })
        return present.firstIndex { later.contains(.integer(number($0, map))) } ?? present.count
    }

    /// What a relationship to one record leads to, as far as the origin of the payload knows; null for one to many.
    private func connected(_ owner: Record, _ relationship: RelationshipMap) throws -> Value {
        if relationship.isToMany { return .null }
        if case .reference(let slot, _, _) = relationship.storage { return owner[slot] }
        return try transaction.related(owner.id, relationship.name).first ?? .null
    }
}

extension SyncRun {
    private func number(_ key: Value, _ map: EntityMap) -> Int64 { Int64(bitPattern: map.token(of: key)) }

    private func lists(of owner: Record) throws -> [PendingList] {
        try list(Self.owners, number(owner.key, mapping.map(of: owner.entity))).compactMap { PendingList($0) }
    }

    private func keep(_ lists: [PendingList], of owner: Record) throws {
        try keep(lists.map(\.value), Self.owners, number(owner.key, mapping.map(of: owner.entity)))
    }

    private func pending(_ number: Int64) throws -> [PendingLink] {
        try list(Self.links, number).compactMap { PendingLink($0) }
    }

    private func keep(_ links: [PendingLink], _ number: Int64) throws {
        try keep(links.map(\.value), Self.links, number)
    }

    private func list(_ family: String, _ number: Int64) throws -> [Value] {
        guard let content = try transaction.payloadNote(family, number),
            case .array(let values)? = try? Value(taggedJSON: String(decoding: content, as: UTF8.self))
        else { return [] }
        return values
    }

    private func keep(_ values: [Value], _ family: String, _ number: Int64) throws {
        let content = values.isEmpty ? nil : Array(Value.array(values).taggedJSON.utf8)
        try transaction.setPayloadNote(family, number, content)
    }
}
