import DifferentialSync
import SyncPersistence

extension SyncRun {
    /// What an object says of a relationship that leads to many records.
    func connectMany(
        _ link: LinkStatement, of record: Record, _ filling: Filling, isBare: Bool, isStored: Bool,
        _ next: inout [SyncTask]
    ) throws {
        let relationship = link.relationship
        var link = link
        var listed: ListedKeys?
        var place = filling.place
        if let ids = link.ids, let keys = try keys(ids.json, &link, record, at: ids.place) {
            listed = keys
            place = ids.place
        }
        if let objects = link.objects {
            if listed == nil { place = objects.place }
            let reportCount = reports.count
            let destination = try mapping.destination(of: relationship)
            if !destination.sources.takesElements, objects.json.isListOfKeys {
                let keys = try keys(objects.json, &link, record, at: objects.place)
                if let listed, let keys, Set(keys.keys) != Set(listed.keys) {
                    try report(
                        SyncReport(
                            .contradiction, at: objects.place.path, of: record.id, relationship.name,
                            expected: "the keys that are listed at \(place.path) as well", found: "others"))
                }
                listed = listed ?? keys
            } else if let children = try children(
                objects.json, &link, of: record, isBare: isBare || !isStored, objects.place)
            {
                // An object that cannot be used may be any of those that are listed.
                if let listed, objects.json.isArray, reports.count == reportCount {
                    try reportKeysWithoutObjects(listed, children, relationship, record, at: place)
                }
                var owner: [Value] = []
                if !link.isPartial {
                    owner = try self.owner(filling, relationship, record, place) { key in
                        listed?.keys.contains(key) ?? children.contains { $0.key == key }
                    }
                }
                return try connectMany(
                    children, link, of: record, listed: listed, and: owner, isBare: isBare, isStored: isStored,
                    place, &next)
            }
        }
        guard var listed else { return }
        if allows(.deleteRelationships), !link.isPartial { say(relationship.name, of: record) }
        if !link.isPartial {
            listed.keys += try owner(filling, relationship, record, place) { listed.keys.contains($0) }
        }
        if isBare && listed.keys.isEmpty { return }
        let connection = Connection(
            of: record, relationship, to: listed.keys, indices: listed.indices, isByKey: true, at: place)
        connection.keeps = link.isPartial
        next.append(.connect(connection))
    }

    /// Reports keys that are listed beside objects, of which none has them.
    private func reportKeysWithoutObjects(
        _ listed: ListedKeys, _ children: [Filling], _ relationship: RelationshipMap, _ record: Record, at place: Place
    ) throws {
        let known = Set(children.map(\.key))
        for (key, index) in zip(listed.keys, listed.indices) where !known.contains(key) {
            try report(
                SyncReport(
                    .contradiction, at: place.element(index).path, of: record.id, relationship.name,
                    expected: "the key of one of the objects that are listed as well", found: key.finding))
        }
    }

    /// The key of the record in whose object one stands, where a list of the other side leaves it out: the link stays,
    /// and that is reported.
    private func owner(
        _ filling: Filling, _ relationship: RelationshipMap, _ record: Record, _ place: Place,
        isListed: (Value) -> Bool
    ) throws -> [Value] {
        guard relationship.name == filling.inverse, let owner = filling.parent?.key, !isListed(owner),
            try mapping.destination(of: relationship).isKeyPrimary
        else { return [] }
        try report(
            SyncReport(
                .contradiction, at: place.path, of: record.id, relationship.name,
                expected: "the object in which this one stands, with the key \(owner), among others",
                found: "a list without it"))
        return [owner]
    }

    /// The keys that are listed; nil if none of what is listed can be used, which has been reported.
    ///
    /// A list with an element that cannot be read counts as a part of the list.
    private func keys(
        _ json: Value, _ link: inout LinkStatement, _ record: Record, at place: Place
    ) throws -> ListedKeys? {
        if json.isNull { return ListedKeys() }
        let relationship = link.relationship
        let destination = try mapping.destination(of: relationship)
        guard case .array(let elements) = json,
            !elements.contains(where: { $0.isObject || $0.isArray && destination.keyParts.count < 2 })
        else {
            try report(
                SyncReport(
                    .wrongShape, at: place.path, of: record.id, relationship.name,
                    expected: "an array of keys, or null",
                    found: json.finding))
            return nil
        }
        var listed = ListedKeys()
        for (index, element) in elements.enumerated() {
            if let key = try mapper.key(
                element, namedIn: relationship, destination, of: record, at: place.element(index))
            {
                listed.keys.append(key)
                listed.indices.append(index)
            } else if !element.isNull {
                link.isPartial = true
            }
        }
        return listed.keys.isEmpty && !elements.isEmpty ? nil : listed
    }

    /// The objects that are listed, each key once; nil if none of what is listed can be used, which has been reported.
    ///
    /// A list with an element that is neither an object nor null counts as a part of the list, as any record may be meant.
    ///
    /// - Parameter isBare: Whether the record leads to no others yet.
    private func children(
        _ json: Value, _ link: inout LinkStatement, of record: Record, isBare: Bool, _ place: Place
    ) throws -> [Filling]? {
        if json.isNull { return [] }
        let relationship = link.relationship
        let destination = try mapping.destination(of: relationship)
        guard let (elements, names) = destination.objects(in: json) else {
            let map = destination.sources.mapKey == nil ? "" : ", or an object of objects"
            try report(
                SyncReport(
                    .wrongShape, at: place.path, of: record.id, relationship.name,
                    expected: "an array of objects, or of keys\(map), or null", found: json.finding))
            return nil
        }
        if !destination.hasKey, relationship.isShared, elements.contains(where: { !$0.isNull }) {
            try report(
                SyncReport(
                    .wrongShape, at: place.path, of: record.id, relationship.name,
                    expected:
                        "no objects, as '\(destination.shape.name)' has no primary key to tell them apart and may "
                        + "belong to several records",
                    found: json.finding))
            return nil
        }
        var children: [Filling] = []
        var hasDeleted = false
        children.reserveCapacity(elements.count)
        var positions = KeyPositions()
        let parent = record.id
        for (index, element) in elements.enumerated() {
            let place = names.map { place.member($0[index]) } ?? place.element(index)
            guard let (object, json) = destination.object(for: element, inMap: names != nil) else {
                try reports.addNoObject(element, among: elements, at: place)
                if !element.isNull { link.isPartial = true }
                continue
            }
            let map = try mapping.map(of: object, declaredAs: destination) ?? destination
            let surroundings = map.surroundings(mapKey: names?[index], json, in: record, relationship)
            if map.saysDeleted(object) {
                try addDeletion(of: object, destination, surroundings, at: place, isNested: true)
                hasDeleted = true
                continue
            }
            if !map.hasKey {
                let part = Filling(
                    object: object, map: destination, key: .null, place: place, isNested: true,
                    inverse: relationship.definition.inverse, parent: parent)
                part.surroundings = surroundings
                part.isWhole = true
                children.append(part)
                continue
            }
            switch try mapper.key(of: object, map, surroundings, at: place) {
            case .invalid: continue
            case .absent: try reports.addMissingKey(map, at: place)
            case .key(let key):
                let child = Filling(
                    object: object, map: destination, key: key, place: place, isNested: true,
                    inverse: relationship.definition.inverse, parent: parent)
                child.surroundings = surroundings
                if !map.isKeyPrimary { child.storedKey = try implicitKeys.storedKey(map, key) }
                if let position = positions.find(key, orInsert: children) {
                    try reports.addDuplicate(key, map, at: children[position].place, counting: place)
                    children[position] = child
                } else {
                    children.append(child)
                }
            }
        }
        if !elements.isEmpty && !hasDeleted, try !hasUsable(children, destination) { return nil }
        if !destination.hasKey {
            try objectParts.assignKeys(to: children, link, destination, of: record, isBare: isBare)
        }
        return children
    }

    /// Whether any of the objects that are listed can be used; if not, that is reported.
    private func hasUsable(_ children: [Filling], _ destination: EntityMap) throws -> Bool {
        if destination.discriminator == nil && !destination.shape.isAbstract { return !children.isEmpty }
        func isUsable(_ child: Filling) throws -> Bool {
            guard let map = try mapping.map(of: child.object, declaredAs: destination) else { return false }
            if !map.shape.isAbstract { return true }
            return try mapping.isSilent(child.object, declaredAs: destination)
                && record(destination, child.storedKey ?? child.key) != nil
        }
        if try children.contains(where: isUsable) { return true }
        for child in children { _ = try entity(of: child, record(destination, child.storedKey ?? child.key)) }
        return false
    }

    /// Stores the objects that are listed, and connects a record with them and no others.
    private func connectMany(
        _ children: [Filling], _ link: LinkStatement, of record: Record, listed: ListedKeys?,
        and owner: [Value], isBare: Bool, isStored: Bool, _ place: Place, _ next: inout [SyncTask]
    ) throws {
        let relationship = link.relationship
        if allows(.deleteRelationships), !link.isPartial { say(relationship.name, of: record) }
        var children = children
        if let listed {
            // Keys that are listed beside the objects say which of them belong here.
            let known = Set(listed.keys)
            for child in children where !known.contains(child.key) {
                try report(
                    SyncReport(
                        .contradiction, at: child.place.path, of: record.id, relationship.name,
                        expected: "one of the keys that are listed as well", found: child.key.finding))
            }
            children.removeAll { !known.contains($0.key) }
        }
        // Texts and numbers name records that others may name too.
        let separates = try listed == nil && (relationship.unlisted == .separate || areNames(children, relationship))
        let areParts = try !relationship.isShared && !mapping.destination(of: relationship).hasKey
        let owns = listed == nil && !separates && (relationship.isOwning || areParts)
        let inverse = isStored && listed == nil ? relationship.inverse : nil
        let key = record.key
        next.reserveCapacity(next.count + children.count + 1)
        for (position, child) in children.enumerated() {
            child.owner = inverse.map {
                Filling.Owner(slot: $0.slot, key: key, positionSlot: $0.position, place: isBare ? position : nil)
            }
            next.append(.fill(child))
        }
        let keys = (listed?.keys ?? children.map { $0.storedKey ?? $0.key }) + owner
        if owns && isStored && !isBare && !link.isPartial && !separates {
            try noteDepartures(from: record, relationship, keys, place)
        }
        if isBare && children.isEmpty && listed == nil { return }
        if inverse != nil && (isBare || !relationship.isOrdered && !separates) { return }
        let connection = Connection(
            of: record, relationship, to: keys, indices: listed?.indices ?? [], isByKey: listed != nil, at: place)
        (connection.keeps, connection.separates) = (link.isPartial, separates)
        next.append(.connect(connection))
    }

    /// Whether children were given as the texts or numbers that tell their records apart, so that one that is named no
    /// more is separated from its owner, and kept unless the delete rule says otherwise.
    private func areNames(_ children: [Filling], _ relationship: RelationshipMap) throws -> Bool {
        let destination = try mapping.destination(of: relationship)
        guard let element = destination.sources.element, destination.keyParts.contains(element),
            relationship.definition.deleteRule != .cascade
        else { return false }
        return children.allSatisfy { $0.surroundings?.element != nil }
    }

    /// Notes the records that belonged to an owner and are no longer listed: they go with the link.
    private func noteDepartures(
        from record: Record, _ relationship: RelationshipMap, _ listed: [Value], _ place: Place
    ) throws {
        let present = try related(record.id, relationship.name) + withdrawn(relationship, of: record)
        let gone = try diff(
            wins: listed, loses: present, primaryKey: { $0 })
        for key in gone?.deletions ?? [] {
            try noteDeparture(of: key, from: record, relationship, isByKey: false, place)
        }
    }

    /// Notes that a record is no longer listed by its owner, if it is deleted for that: as a part, or as one that belongs
    /// to the owner and has not left a list of keys.
    func noteDeparture(
        of key: Value, from owner: Record, _ relationship: RelationshipMap, isByKey: Bool, _ place: Place
    ) throws {
        guard allows(.deleteRelationships), !key.isNull,
            key.isPartKey
                || !isByKey && relationship.unlisted != .separate && (relationship.isOwning || relationship.isCascading)
        else { return }
        let map = try mapping.destination(of: relationship)
        let slot =
            switch relationship.storage {
            case .inverse(let slot, _): slot
            case .reference(let slot, _, _): slot
            case .links: relationship.name
            }
        let departure = Departure(id: RecordID(map.shape.root, key), slot: slot, owner: owner.key)
        departures[departure] = Leaving(
            number: departureCount, map: map, entity: owner.entity, relationship: relationship, place: place)
        departureCount += 1
        // A later object may name the owner and be skipped.
        footprint.write(map.token(of: key))
    }

    /// A record has an owner by what was said last, whatever was listed without it before.
    func stay(_ record: Record, at slot: String, with owner: Value) {
        if !departures.isEmpty { stay(RecordID(record.shape.root, record.key), at: slot, with: owner) }
    }

    /// A record, by the root of its hierarchy, has an owner by what was said last.
    func stay(_ id: RecordID, at slot: String, with owner: Value) {
        departures[Departure(id: id, slot: slot, owner: owner)] = nil
    }
}

/// Keys that are listed, and where they stand in their list.
private struct ListedKeys {
    var keys: [Value] = []
    var indices: [Int] = []
}

/// Where the objects of a list stand by their keys; of few, that is seen at a glance.
private struct KeyPositions {
    private var positions: [Value: Int] = [:]

    /// The position of the object that has a key; nil if there is none, and the next one has it.
    mutating func find(_ key: Value, orInsert children: [Filling]) -> Int? {
        if children.count < 8 { return children.firstIndex { $0.key == key } }
        if positions.isEmpty {
            for (position, child) in children.enumerated() { positions[child.key] = position }
        }
        if let position = positions[key] { return position }
        positions[key] = children.count
        return nil
    }
}

extension Value {
    /// Whether it is an array of keys, with at least one; null may stand among them.
    fileprivate var isListOfKeys: Bool {
        guard case .array(let elements) = self else { return false }
        return !elements.contains(where: \.isObject) && elements.contains { !$0.isNull }
    }
}
