import SyncPersistence

/// A record that the payload speaks of, and the relationships of which it speaks with it.
struct Arrival {
    let map: EntityMap
    let key: Value
    let spoken: Set<String>
}

/// Links that wait for records to come with a later payload, kept beside the notes of payloads: under the token of the
/// record that is missing, and under that of each record that waits, what its relationships list. A link counts as long as
/// the list of its owner has it among the missing.
extension SyncRun {
    /// Whether links are waiting.
    func hasPendingLinks() throws -> Bool { try waitingCount() > 0 }

    private func waitingCount() throws -> Int64 {
        if let waitingOwners { return waitingOwners }
        var count: Int64 = 0
        if case .integer(let known)? = try transaction.pendingValues(PendingList.family, PendingList.count).first {
            count = known
        }
        waitingOwners = count
        return count
    }

    /// Keeps the links that connections lack for the time when their records come; of two that say something of one
    /// relationship, the last counts.
    ///
    /// - Complexity: O(links kept, and those that wait for the same records already)
    func keepPending(_ waiting: [(connection: Connection, owner: Record, missing: [Value])]) throws {
        var arriving: [Int64: [PendingLink]] = [:]
        var last: [Value: Int] = [:]
        for (position, (connection, owner, _)) in waiting.enumerated() {
            last[[.string(owner.shape.root), owner.key, .string(connection.relationship.name)]] = position
        }
        for position in last.values.sorted() {
            let (connection, owner, missing) = waiting[position]
            let relationship = connection.relationship
            let map = try mapping.destination(of: relationship)
            let meanwhile = try connected(owner, relationship)
            for key in missing {
                arriving[number(key, map), default: []].append(
                    PendingLink(
                        entity: owner.entity, owner: owner.key, relationship: relationship.name, key: key,
                        meanwhile: meanwhile))
            }
            var list = PendingList(
                relationship: relationship.name, listed: connection.keys.map { .integer(number($0, map)) },
                missing: Set(missing.map { .integer(number($0, map)) }))
            let lists = try lists(of: owner)
            if relationship.isToMany, connection.keeps || !connection.operations.contains(.deleteRelationships),
                let former = lists.first(where: { $0.relationship == list.relationship })
            {
                list.add(former)
            }
            try keep(lists.filter { $0.relationship != list.relationship } + [list], of: owner)
            outcome.pendingCount += missing.count
        }
        for (missing, new) in arriving.sorted(by: { $0.key < $1.key }) {
            // What waited for the record at the same place before is said anew.
            let places = Set(new.map(place(of:)))
            let others = try pending(missing).filter { !places.contains(place(of: $0)) }
            try keep(others + new, missing)
        }
    }

    private func place(of link: PendingLink) -> Value {
        [.string(mapping.schema[link.entity]?.root ?? link.entity), link.owner, .string(link.relationship)]
    }

    /// Forgets the links of a record that wait, where the payload says anew what a relationship leads to, or the record
    /// itself is new.
    func forgetPending(of owner: Record, where isSaid: (_ relationship: String) -> Bool) throws {
        let lists = try lists(of: owner)
        let others = lists.filter { !isSaid($0.relationship) }
        if others.count < lists.count { try keep(others, of: owner) }
    }

    /// Makes the links that have waited for records that are there now.
    func resolvePending() throws {
        guard try hasPendingLinks() else { return }
        var owners: [RecordID: [PendingList]] = [:]
        for arrival in arrivals {
            let missing = number(arrival.key, arrival.map)
            let links = try pending(missing)
            if links.isEmpty { continue }
            var waiting: [PendingLink] = []
            for link in links where try !settle(link, missing, arrival, &owners) { waiting.append(link) }
            if waiting.count < links.count { try keep(waiting, missing) }
        }
        for (id, lists) in owners.sorted(by: { $0.key.description < $1.key.description }) {
            try keep(lists.filter { !$0.missing.isEmpty }, of: id.key, mapping.map(of: id.entity).shape)
        }
    }

    /// Makes a link, if it still counts; answers whether it need not wait any more.
    private func settle(
        _ link: PendingLink, _ missing: Int64, _ arrival: Arrival, _ owners: inout [RecordID: [PendingList]]
    ) throws -> Bool {
        // A schema may have changed.
        guard let shape = mapping.schema[link.entity] else { return true }
        let id = RecordID(shape.root, link.owner)
        if owners[id] == nil { owners[id] = try lists(of: link.owner, shape) }
        guard let position = owners[id]?.firstIndex(where: { $0.relationship == link.relationship }),
            owners[id]?[position].missing.contains(.integer(missing)) == true,
            let listed = owners[id]?[position].listed
        else { return true }
        guard try make(link, arrival, listed) else { return false }
        owners[id]?[position].missing.remove(.integer(missing))
        return true
    }

    /// Makes a link; answers whether it need not wait any more.
    private func make(_ link: PendingLink, _ arrival: Arrival, _ listed: [Value]) throws -> Bool {
        let map = try mapping.map(of: link.entity)
        guard let relationship = map.relationships.first(where: { $0.name == link.relationship }),
            // It may have gone.
            let owner = try record(map, link.owner), owner.shape.inherits(map.shape.name), !isDraft(owner)
        else { return true }
        // The relationship may lead to other records since a migration.
        let destination = try mapping.destination(of: relationship)
        guard destination.shape.root == arrival.map.shape.root else { return true }
        // It may be of another entity that has the key, and not be stored after all.
        guard let key = try named(link.key, destination) else { return false }
        let id = RecordID(owner.entity, owner.key)
        let present = try related(id, relationship.name)
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
                ? try self.place(of: key, among: present.filter { $0 != key }, as: listed, relationship) : nil
            changes.link(id, relationship.name, to: key, at: place)
        } else {
            changes.setLinks(id, relationship.name, to: [key])
        }
        try transaction.apply(changes)
        return true
    }

    /// The place of a record among those that are connected already, in the order in which they were listed.
    private func place(
        of key: Value, among present: [Value], as listed: [Value], _ relationship: RelationshipMap
    ) throws -> Int {
        let map = try mapping.destination(of: relationship)
        let later = Set(listed.drop { $0 != .integer(number(key, map)) })
        return present.firstIndex { later.contains(.integer(number($0, map))) } ?? present.count
    }

    /// What a relationship to one record leads to, as far as the origin of the payload knows; null for one to many.
    private func connected(_ owner: Record, _ relationship: RelationshipMap) throws -> Value {
        if relationship.isToMany { return .null }
        if case .reference(let slot, _, _) = relationship.storage { return owner[slot] }
        return try related(owner.id, relationship.name).first ?? .null
    }
}

extension SyncRun {
    private func number(_ key: Value, _ map: EntityMap) -> Int64 { Int64(bitPattern: map.token(of: key)) }

    private func lists(of owner: Record) throws -> [PendingList] { try lists(of: owner.key, owner.shape) }

    private func lists(of owner: Value, _ shape: Shape) throws -> [PendingList] {
        try transaction.pendingValues(PendingList.family, number(owner, mapping.map(of: shape.name))).compactMap {
            PendingList($0)
        }
    }

    private func keep(_ lists: [PendingList], of owner: Record) throws { try keep(lists, of: owner.key, owner.shape) }

    private func keep(_ lists: [PendingList], of owner: Value, _ shape: Shape) throws {
        let number = try number(owner, mapping.map(of: shape.name))
        let wasWaiting = try transaction.payloadNote(PendingList.family, number) != nil
        try transaction.setPendingValues(lists.map(\.value), PendingList.family, number)
        if wasWaiting == lists.isEmpty {
            let count = try waitingCount() + (wasWaiting ? -1 : 1)
            waitingOwners = count
            try transaction.setPendingValues(
                count > 0 ? [.integer(count)] : [], PendingList.family, PendingList.count)
            if count == 0 { try forgetLinks() }
        }
    }

    /// Takes all links away: nothing waits for what they lead to.
    private func forgetLinks() throws {
        var numbers: [Int64] = []
        try transaction.forEachPayloadNote(of: PendingLink.family) { number, _ in
            numbers.append(number)
            return true
        }
        for number in numbers { try keep([PendingLink](), number) }
    }

    private func pending(_ number: Int64) throws -> [PendingLink] {
        try transaction.pendingValues(PendingLink.family, number).compactMap { PendingLink($0) }
    }

    private func keep(_ links: [PendingLink], _ number: Int64) throws {
        try transaction.setPendingValues(links.map(\.value), PendingLink.family, number)
    }
}
