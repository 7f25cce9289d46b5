import SyncPersistence

/// The links that wait for records of a later payload.
///
/// For example, a payload of posts names author 7, whom the store does not have. The link waits, and a later payload
/// of users with author 7 makes it.
///
/// A store keeps them beside its payload memories. Each link has the token of the missing record, and the lists of an
/// owner have the token of the owner. A link is only made if the list of its owner still contains it among the missing
/// ones.
final class PendingLinks {
    /// The stored records and the drafts.
    private let records: SyncRecords
    /// The transaction in which the rows of pending links are read and written.
    private let transaction: any PayloadStore
    /// The maps of all entities.
    private let mapping: Mapping

    /// The number of owners with pending links; nil before it was read.
    private var knownOwnerCount: Int64?

    /// The relationships that the current object specifies; nil while no links wait.
    private var specified: Set<String>?

    /// The records of the payload, for which links may wait.
    private var arrivals: [Arrival] = []

    /// A record of the payload, and the relationships that the payload specifies for it.
    private struct Arrival {
        /// The entity of the record.
        let map: EntityMap
        /// The key of the record.
        let key: Value
        /// The names of the specified relationships.
        let specified: Set<String>
    }

    /// A connection with missing records.
    struct Missing {
        /// The relationship, with the keys that the payload lists for it.
        let connection: Connection
        /// The record that is connected.
        let owner: Record
        /// The keys of the missing records.
        let keys: [Value]
    }

    /// The links of one owner in a relationship that have waited for records of the payload.
    private final class Addition {
        /// The owner.
        let owner: Record
        /// The relationship.
        let relationship: RelationshipMap
        /// The numbers of the listed records, in their order.
        let listed: [Value]
        /// The keys of the records that were connected before.
        let known: Set<Value>
        /// The keys of the records to connect.
        var keys: [Value] = []

        init(owner: Record, relationship: RelationshipMap, listed: [Value], known: Set<Value>) {
            (self.owner, self.relationship, self.listed, self.known) = (owner, relationship, listed, known)
        }
    }

    /// The links of all owners, which are made together for each relationship.
    private struct Additions {
        /// The links, in the order of their first records.
        private(set) var all: [Addition] = []
        /// The positions of owners and relationships.
        private var positions: [RecordRelationship: Int] = [:]

        /// Returns the links of an owner in a relationship.
        mutating func find(_ place: RecordRelationship, orInsert new: () throws -> Addition) rethrows -> Addition {
            if let position = positions[place] { return all[position] }
            positions[place] = all.count
            all.append(try new())
            return all[all.count - 1]
        }
    }

    /// Creates a list that reads the stored links when they are first needed.
    init(of records: SyncRecords) {
        self.records = records
        (transaction, mapping) = (records.transaction, records.mapping)
    }
}

extension PendingLinks {
    /// Begins an object of the payload.
    func beginObject() throws { specified = try ownerCount() > 0 ? [] : nil }

    /// Adds a relationship that the current object specifies.
    func specify(_ relationship: String) { specified?.insert(relationship) }

    /// Ends the current object, for whose record links may wait.
    ///
    /// - Parameters:
    ///   - record: The record of the object.
    ///   - key: Its primary key.
    ///   - map: Its entity.
    ///   - inverse: The relationship to the object in which it is nested.
    ///   - isNew: Whether the record is new, so that all of its links are stated again.
    func endObject(_ record: Record, _ key: Value, _ map: EntityMap, inverse: String?, isNew: Bool) throws {
        guard var specified else { return }
        // Nesting specifies the whole to-one relationship to the parent.
        if let inverse, map.shape.relationship(named: inverse)?.definition.isToMany == false {
            specified.insert(inverse)
        }
        try forget(record) { isNew || specified.contains($0) }
        arrivals.append(Arrival(map: map, key: key, specified: specified))
    }

    /// Removes the pending links of a record that is deleted.
    func forget(_ owner: Record) throws {
        if try ownerCount() > 0 { try forget(owner) { _ in true } }
    }

    /// Removes the pending links of an owner in the relationships for which `isStated` returns true.
    private func forget(_ owner: Record, where isStated: (_ relationship: String) -> Bool) throws {
        let lists = try lists(of: owner.key, owner.shape)
        let others = lists.filter { !isStated($0.relationship) }
        if others.count < lists.count { try keep(others, of: owner.key, owner.shape) }
    }

    /// Stores the links to missing records.
    ///
    /// The last of several connections of one relationship counts.
    ///
    /// - Returns: The number of stored links.
    /// - Complexity: O(number of links, and of stored links for the same records)
    func keep(_ missing: [Missing]) throws -> Int {
        var count = 0
        var arriving: [Int64: [PendingLink]] = [:]
        var last: [RecordRelationship: Int] = [:]
        for (position, item) in missing.enumerated() {
            last[RecordRelationship(id: item.connection.id, name: item.connection.relationship.name)] = position
        }
        for position in last.values.sorted() {
            let (connection, owner) = (missing[position].connection, missing[position].owner)
            let relationship = connection.relationship
            let map = try mapping.destination(of: relationship)
            let meanwhile = try target(owner, relationship)
            for key in missing[position].keys {
                arriving[number(key, map), default: []].append(
                    PendingLink(
                        entity: owner.entity, owner: owner.key, relationship: relationship.name, key: key,
                        meanwhile: meanwhile))
            }
            var list = PendingList(
                relationship: relationship.name, listed: connection.keys.map { .integer(number($0, map)) },
                missing: Set(missing[position].keys.map { .integer(number($0, map)) }))
            let lists = try lists(of: owner.key, owner.shape)
            if relationship.isToMany, connection.keeps || !connection.operations.contains(.deleteRelationships),
                let former = lists.first(where: { $0.relationship == list.relationship })
            {
                list.add(former)
            }
            try keep(lists.filter { $0.relationship != list.relationship } + [list], of: owner.key, owner.shape)
            count += missing[position].keys.count
        }
        for (number, new) in arriving.sorted(by: { $0.key < $1.key }) {
            // Earlier links of the same relationship are replaced.
            let places = Set(new.map(place(of:)))
            let others = try pending(number).filter { !places.contains(place(of: $0)) }
            try keep(others + new, number)
        }
        return count
    }

    /// Returns the relationship of a link.
    private func place(of link: PendingLink) -> RecordRelationship {
        RecordRelationship(
            id: RecordID(link.entity, link.owner).rooted(in: mapping.schema), name: link.relationship)
    }

    /// Makes the links that have waited for records of the payload.
    func resolve() throws {
        guard try ownerCount() > 0 else { return }
        var owners: [RecordID: [PendingList]] = [:]
        var additions = Additions()
        for arrival in arrivals {
            let missing = number(arrival.key, arrival.map)
            let links = try pending(missing)
            if links.isEmpty { continue }
            var waiting: [PendingLink] = []
            for link in links where try !resolve(link, missing, arrival, &owners, &additions) { waiting.append(link) }
            if waiting.count < links.count { try keep(waiting, missing) }
        }
        for addition in additions.all { try add(addition) }
        for (id, lists) in owners.sorted(by: { $0.key.description < $1.key.description }) {
            try keep(lists.filter { !$0.missing.isEmpty }, of: id.key, mapping.map(of: id.entity).shape)
        }
    }

    /// Makes a link if it still counts; returns whether it no longer waits.
    private func resolve(
        _ link: PendingLink, _ missing: Int64, _ arrival: Arrival, _ owners: inout [RecordID: [PendingList]],
        _ additions: inout Additions
    ) throws -> Bool {
        // A migration may have removed the entity.
        guard let shape = mapping.schema[link.entity] else { return true }
        let id = RecordID(shape.root, link.owner)
        if owners[id] == nil { owners[id] = try lists(of: link.owner, shape) }
        guard let position = owners[id]?.firstIndex(where: { $0.relationship == link.relationship }),
            owners[id]?[position].missing.contains(.integer(missing)) == true,
            let listed = owners[id]?[position].listed
        else { return true }
        guard try make(link, arrival, listed, &additions) else { return false }
        owners[id]?[position].missing.remove(.integer(missing))
        return true
    }

    /// Makes a link, or adds it to those that are made at the end; returns whether it no longer waits.
    private func make(
        _ link: PendingLink, _ arrival: Arrival, _ listed: [Value], _ additions: inout Additions
    ) throws -> Bool {
        let map = try mapping.map(of: link.entity)
        guard let relationship = map.relationships.first(where: { $0.name == link.relationship }),
            // The owner may have been deleted.
            let owner = try records.record(map, link.owner), owner.shape.inherits(map.shape.name),
            !records.isDraft(owner)
        else { return true }
        // A migration may have changed the destination.
        let destination = try mapping.destination(of: relationship)
        guard destination.shape.root == arrival.map.shape.root else { return true }
        // The record may be of another entity, or not be stored after all.
        guard let key = try records.storedKey(destination, namedBy: link.key, for: relationship) else { return false }
        let addition = try additions.find(place(of: link)) {
            Addition(
                owner: owner, relationship: relationship, listed: listed,
                known: Set(try records.related(owner.id, relationship.name)))
        }
        if !addition.known.contains(key) {
            // The payload with the record is newer than the link. Another target of the owner is newer as well.
            if let inverse = relationship.definition.inverse, arrival.specified.contains(inverse) { return true }
            guard try target(owner, relationship) == link.meanwhile else { return true }
        } else if !relationship.isOrdered {
            return true
        }
        addition.keys.append(key)
        return true
    }

    /// Makes the links of an owner in a relationship.
    private func add(_ addition: Addition) throws {
        let (owner, relationship, new) = (addition.owner, addition.relationship, addition.keys)
        if new.isEmpty { return }
        let present = try records.related(owner.id, relationship.name)
        var final = Array(new.suffix(1))
        if relationship.isOrdered {
            final = try merged(present, new, as: addition.listed, mapping.destination(of: relationship))
        } else if relationship.isToMany {
            let known = Set(present)
            final = present + new.filter { !known.contains($0) }
        }
        try transaction.setLinks(owner.id, relationship.name, from: present, to: final, origin: records.origin)
    }

    /// Returns connected keys with new ones, each before the first one that was listed after it.
    private func merged(_ present: [Value], _ new: [Value], as listed: [Value], _ map: EntityMap) -> [Value] {
        let ranks = Dictionary(zip(listed, listed.indices)) { first, _ in first }
        func rank(_ key: Value) -> Int { ranks[.integer(number(key, map))] ?? -1 }
        let added = Set(new)
        var rest = new.sorted { rank($0) < rank($1) }[...]
        var merged: [Value] = []
        for key in present where !added.contains(key) {
            while let first = rest.first, rank(first) < rank(key) { merged.append(rest.removeFirst()) }
            merged.append(key)
        }
        return merged + rest
    }

    /// Returns the target of a to-one relationship; null for other relationships.
    private func target(_ owner: Record, _ relationship: RelationshipMap) throws -> Value {
        relationship.isToMany ? .null : try records.target(of: relationship, of: owner)
    }
}

/// The rows of the store.
extension PendingLinks {
    /// Returns the number of owners with pending links.
    private func ownerCount() throws -> Int64 {
        if let knownOwnerCount { return knownOwnerCount }
        var count: Int64 = 0
        if case .integer(let known)? = try transaction.payloadRows.values(PendingList.family, PendingList.count).first {
            count = known
        }
        knownOwnerCount = count
        return count
    }

    /// Returns the number under which the store keeps the entries of a record.
    private func number(_ key: Value, _ map: EntityMap) -> Int64 { Int64(bitPattern: map.token(of: key)) }

    /// Returns the lists of an owner that contain missing records.
    private func lists(of owner: Value, _ shape: Shape) throws -> [PendingList] {
        try transaction.payloadRows.values(PendingList.family, number(owner, mapping.map(of: shape.name))).compactMap {
            PendingList($0)
        }
    }

    /// Stores the lists of an owner, and updates the number of owners.
    private func keep(_ lists: [PendingList], of owner: Value, _ shape: Shape) throws {
        let number = try number(owner, mapping.map(of: shape.name))
        let wasWaiting = try transaction.payloadRows.content(PendingList.family, number) != nil
        try transaction.payloadRows.setValues(lists.map(\.value), PendingList.family, number)
        if wasWaiting == lists.isEmpty {
            let count = try ownerCount() + (wasWaiting ? -1 : 1)
            knownOwnerCount = count
            try transaction.payloadRows.setValues(
                count > 0 ? [.integer(count)] : [], PendingList.family, PendingList.count)
            if count == 0 { try forgetAll() }
        }
    }

    /// Removes all links, because no owner has any.
    private func forgetAll() throws {
        for number in try transaction.payloadRows.numbers(of: PendingLink.family) {
            try keep([PendingLink](), number)
        }
    }

    /// Returns the links that wait for a record.
    private func pending(_ number: Int64) throws -> [PendingLink] {
        try transaction.payloadRows.values(PendingLink.family, number).compactMap { PendingLink($0) }
    }

    /// Stores the links that wait for a record.
    private func keep(_ links: [PendingLink], _ number: Int64) throws {
        try transaction.payloadRows.setValues(links.map(\.value), PendingLink.family, number)
    }
}
