import SyncPersistence

/// A link that waits for a record to come.
private struct PendingLink: Equatable {
    let entity: String
    let owner: Value
    let relationship: String
    let key: Value
    /// Where the record stands among those that were listed.
    let place: Int

    var value: Value { [.string(entity), owner, .string(relationship), key, .integer(Int64(place))] }

    init(entity: String, owner: Value, relationship: String, key: Value, place: Int) {
        self.entity = entity
        self.owner = owner
        self.relationship = relationship
        self.key = key
        self.place = place
    }

    init?(_ value: Value) {
        guard case .array(let parts) = value, parts.count == 5, case .string(let entity) = parts[0],
            case .string(let relationship) = parts[2], case .integer(let place) = parts[4]
        else { return nil }
        self.init(entity: entity, owner: parts[1], relationship: relationship, key: parts[3], place: Int(place))
    }
}

/// Links that wait for records to come with a later payload, kept beside the notes of payloads: under the token of the
/// record that is missing, and for each record that waits, under a token of its relationship, the tokens of the missing.
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
    func keepPending(_ key: Value, at place: Int, of owner: Record, _ connection: Connection) throws {
        let map = try mapping.destination(of: connection.relationship)
        let link = PendingLink(
            entity: owner.entity, owner: owner.key, relationship: connection.relationship.name, key: key, place: place)
        let (missing, waiting) = (number(key, map), number(owner, connection.relationship))
        let links = try pending(missing)
        if !links.contains(link) { try keep(links + [link], missing) }
        let numbers = try list(Self.owners, waiting)
        let number = Value.integer(missing)
        if !numbers.contains(number) { try keep(numbers + [number], Self.owners, waiting) }
        if try !hasPendingLinks() {
            try transaction.setPayloadNote(Self.owners, Self.existence, [1])
            knownPending = true
        }
        outcome.pendingCount += 1
    }

    /// Forgets the links of a relationship that wait: the payload says anew what it leads to.
    func forgetPending(of owner: Record, _ relationship: RelationshipMap) throws {
        guard try hasPendingLinks() else { return }
        let waiting = number(owner, relationship)
        let numbers = try list(Self.owners, waiting)
        if numbers.isEmpty { return }
        for case .integer(let missing) in numbers {
            let links = try pending(missing)
            try keep(
                links.filter {
                    $0.owner != owner.key || $0.relationship != relationship.name || $0.entity != owner.entity
                },
                missing)
        }
        try keep([Value](), Self.owners, waiting)
    }

    /// Makes the links that have waited for records that are there now.
    func resolvePending() throws {
        guard try hasPendingLinks() else { return }
        for (map, key) in arrivals {
            let missing = number(key, map)
            let links = try pending(missing)
            if links.isEmpty { continue }
            try keep([PendingLink](), missing)
            for link in links.sorted(by: { $0.place < $1.place }) { try make(link, to: key, map) }
        }
    }

    private func make(_ link: PendingLink, to key: Value, _ destination: EntityMap) throws {
        // The owner may have gone, and a schema may have changed.
        guard mapping.schema[link.entity] != nil else { return }
        let map = try mapping.map(of: link.entity)
        guard let relationship = map.relationships.first(where: { $0.name == link.relationship }),
            let owner = try record(map, link.owner), owner.shape.inherits(map.shape.name), !isDraft(owner)
        else { return }
        let id = RecordID(owner.entity, owner.key)
        if try transaction.related(id, relationship.name).contains(key) { return }
        var changes = ChangeSet(origin: origin)
        if relationship.isToMany {
            changes.link(id, relationship.name, to: key, at: relationship.isOrdered ? link.place : nil)
        } else {
            changes.setLinks(id, relationship.name, to: [key])
        }
        try transaction.apply(changes)
    }
}

extension SyncRun {
    private func number(_ key: Value, _ map: EntityMap) -> Int64 { Int64(bitPattern: map.token(of: key)) }

    private func number(_ owner: Record, _ relationship: RelationshipMap) -> Int64 {
        Int64(bitPattern: owner.key.digest(seed: RecordToken.seed(owner.shape.root, slot: relationship.name)))
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
