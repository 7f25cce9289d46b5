import DifferentialSync
import SyncPersistence

extension LinkReader {
    /// Adds the tasks that connect a record as an object states it for a to-many relationship.
    ///
    /// - Parameters:
    ///   - isUnlinked: Whether the record is new, so that no other record leads to it.
    ///   - isStored: Whether the record is stored, so that others can name it as their owner.
    func connectMany(
        _ link: LinkStatement, of record: Record, _ source: PayloadObject, isUnlinked: Bool, isStored: Bool,
        _ next: inout [SyncTask]
    ) throws {
        let relationship = link.relationship
        var link = link
        var listed: ListedKeys?
        var place = source.place
        if let ids = link.ids, let keys = try keys(ids.json, &link, record, at: ids.place) {
            listed = keys
            place = ids.place
        }
        if let objects = link.objects {
            if listed == nil { place = objects.place }
            let reportCount = reports.count
            let destination = try mapping.destination(of: relationship)
            // Keys beside the objects decide alone, even if an object cannot be read.
            // Null beside an object that cannot be read keeps the links.
            let decides = listed == nil || link.ids?.json.isNull == true
            var statement = link
            let isListOfKeys = !destination.sources.takesElements && objects.json.isListOfKeys
            if isListOfKeys {
                let keys = try keys(objects.json, &statement, record, at: objects.place)
                if let listed, let keys, Set(keys.keys) != Set(listed.keys) {
                    try reports.add(
                        .contradiction, at: objects.place, of: record.id, relationship.name,
                        expected: "the keys that are listed at \(place.path) as well", found: "others")
                }
                if listed == nil { listed = keys }
            }
            let children =
                isListOfKeys
                ? nil
                : try children(
                    objects.json, &statement, of: record, isUnlinked: isUnlinked || !isStored, objects.place)
            if decides { link = statement }
            if let children {
                // An unusable object may be any of the listed ones.
                if let listed, objects.json.isArray, reports.count == reportCount {
                    try reportKeysWithoutObjects(listed, children, relationship, record, at: place)
                }
                var owner: [Value] = []
                if !link.isPartial {
                    owner = try self.owner(source, relationship, record, place) { key in
                        listed?.keys.contains(key) ?? children.contains { $0.key == key }
                    }
                }
                return try connectMany(
                    children, link, of: record, listed: listed, and: owner, isUnlinked: isUnlinked, isStored: isStored,
                    place, &next)
            }
        }
        guard var listed else { return }
        if processor.allows(.deleteRelationships), !link.isPartial { specify(relationship.name, of: record) }
        if !link.isPartial {
            listed.keys += try owner(source, relationship, record, place) { listed.keys.contains($0) }
        }
        if isUnlinked && listed.keys.isEmpty { return }
        let connection = Connection(
            of: record, relationship, to: listed.keys, indices: listed.indices, isByKey: true, processor.operations,
            at: place)
        connection.keeps = link.isPartial
        next.append(.connect(connection))
    }

    /// Reports keys that are listed beside objects, and that no object has.
    private func reportKeysWithoutObjects(
        _ listed: ListedKeys, _ children: [PayloadObject], _ relationship: RelationshipMap, _ record: Record,
        at place: Place
    ) throws {
        let known = Set(children.map(\.key))
        for (key, index) in zip(listed.keys, listed.indices) where !known.contains(key) {
            try reports.add(
                .contradiction, at: place.element(index), of: record.id, relationship.name,
                expected: "the key of one of the objects that are listed as well", found: key.finding)
        }
    }

    /// Returns the key of the object in which this one is nested, if the list of the other side lacks it.
    ///
    /// The link is kept, and that is reported.
    private func owner(
        _ source: PayloadObject, _ relationship: RelationshipMap, _ record: Record, _ place: Place,
        isListed: (Value) -> Bool
    ) throws -> [Value] {
        guard relationship.name == source.inverse, let owner = source.parent?.key, !isListed(owner),
            try mapping.destination(of: relationship).isKeyPrimary
        else { return [] }
        try reports.add(
            .contradiction, at: place, of: record.id, relationship.name,
            expected: "the object in which this one stands, with the key \(owner), among others",
            found: "a list without it")
        return [owner]
    }

    /// Returns the listed keys; nil if no element can be used, which was reported.
    ///
    /// A list with an invalid element is a partial list.
    private func keys(
        _ json: Value, _ link: inout LinkStatement, _ record: Record, at place: Place
    ) throws -> ListedKeys? {
        if json.isNull { return ListedKeys() }
        let relationship = link.relationship
        let destination = try mapping.destination(of: relationship)
        guard case .array(let elements) = json,
            !elements.contains(where: { $0.isObject || $0.isArray && destination.keyParts.count < 2 })
        else {
            try reports.add(
                .wrongShape, at: place, of: record.id, relationship.name, expected: "an array of keys, or null",
                found: json.finding)
            try processor.specifyRecords(in: json, relationship)
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

    /// Returns the listed objects, each key once; nil if no element can be used, which was reported.
    ///
    /// A list with an element that is neither an object nor null, or an object whose key cannot be read, is a partial
    /// list, because any record may be meant.
    ///
    /// - Parameter isUnlinked: Whether the record is new, so that it has no targets.
    private func children(
        _ json: Value, _ link: inout LinkStatement, of record: Record, isUnlinked: Bool, _ place: Place
    ) throws -> [PayloadObject]? {
        if json.isNull { return [] }
        let relationship = link.relationship
        let destination = try mapping.destination(of: relationship)
        guard let (elements, names) = destination.objects(in: json) else {
            let map = destination.sources.mapKey == nil ? "" : ", or an object of objects"
            try reports.add(
                .wrongShape, at: place, of: record.id, relationship.name,
                expected: "an array of objects, or of keys\(map), or null", found: json.finding)
            try processor.specifyRecords(in: json, relationship)
            return nil
        }
        if !destination.hasKey, relationship.isShared, elements.contains(where: { !$0.isNull }) {
            try reports.add(
                .wrongShape, at: place, of: record.id, relationship.name,
                expected:
                    "no objects, as '\(destination.shape.name)' has no primary key to tell them apart and may "
                    + "belong to several records",
                found: json.finding)
            try processor.specifyRecords(in: json, relationship)
            return nil
        }
        var children: [PayloadObject] = []
        var hasDeleted = false
        children.reserveCapacity(elements.count)
        var positions = KeyPositions()
        let parent = record.id
        for (index, element) in elements.enumerated() {
            let place = names.map { place.member($0[index]) } ?? place.element(index)
            guard let (object, json) = destination.object(for: element, inMap: names != nil) else {
                try reports.addNoObject(element, among: elements, at: place)
                if element.isNull { continue }
                link.isPartial = true
                try processor.specifyRecords(in: element, relationship)
                continue
            }
            let map = try mapping.map(of: object, declaredAs: destination) ?? destination
            let surroundings = map.surroundings(mapKey: names?[index], json, in: record, relationship)
            if map.saysDeleted(object) {
                try processor.addDeletion(of: object, destination, surroundings, at: place, isNested: true)
                hasDeleted = true
                continue
            }
            if !map.hasKey {
                let part = PayloadObject(
                    object: object, map: destination, key: .null, place: place, isNested: true,
                    inverse: relationship.definition.inverse, parent: parent)
                part.surroundings = surroundings
                part.isWhole = true
                children.append(part)
                continue
            }
            switch try mapper.key(of: object, map, surroundings, at: place) {
            case .invalid:
                link.isPartial = true
                try processor.specifyRecords(nestedIn: object, destination)
            case .absent:
                try reports.addMissingKey(map, at: place)
                try processor.specifyRecords(nestedIn: object, destination)
            case .key(let key):
                let child = PayloadObject(
                    object: object, map: destination, key: key, place: place, isNested: true,
                    inverse: relationship.definition.inverse, parent: parent)
                child.surroundings = surroundings
                if !map.isKeyPrimary { child.storedKey = try records.implicitKeys.storedKey(map, key) }
                if let position = positions.find(key, orInsert: children) {
                    try reports.addDuplicate(key, map, at: children[position].place, counting: place)
                    children[position] = child
                } else {
                    children.append(child)
                }
            }
        }
        if !elements.isEmpty && !hasDeleted, try !hasUsable(children, destination) {
            for child in children { try processor.specifyRecords(of: child) }
            return nil
        }
        if !destination.hasKey {
            try processor.objectParts.assignKeys(to: children, link, destination, of: record, isUnlinked: isUnlinked)
        }
        return children
    }

    /// Whether any of the listed objects can be used; otherwise they are reported.
    private func hasUsable(_ children: [PayloadObject], _ destination: EntityMap) throws -> Bool {
        if destination.discriminator == nil && !destination.shape.isAbstract { return !children.isEmpty }
        func isUsable(_ child: PayloadObject) throws -> Bool {
            guard let map = try mapping.map(of: child.object, declaredAs: destination) else { return false }
            if !map.shape.isAbstract { return true }
            return try mapping.isSilent(child.object, declaredAs: destination)
                && records.record(destination, child.storedKey ?? child.key) != nil
        }
        if try children.contains(where: isUsable) { return true }
        for child in children {
            let isStored = try records.record(destination, child.storedKey ?? child.key) != nil
            _ = try mapper.entity(of: child.object, declaredAs: child.map, isStored: isStored, at: child.place)
        }
        return false
    }

    /// Adds the tasks that store listed objects and connect a record with them alone.
    private func connectMany(
        _ children: [PayloadObject], _ link: LinkStatement, of record: Record, listed: ListedKeys?,
        and owner: [Value], isUnlinked: Bool, isStored: Bool, _ place: Place, _ next: inout [SyncTask]
    ) throws {
        let relationship = link.relationship
        if processor.allows(.deleteRelationships), !link.isPartial { specify(relationship.name, of: record) }
        var children = children
        if let listed {
            // Only the objects whose keys are listed belong to the record.
            let known = Set(listed.keys)
            for child in children where !known.contains(child.key) {
                try reports.add(
                    .contradiction, at: child.place, of: record.id, relationship.name,
                    expected: "one of the keys that are listed as well", found: child.key.finding)
                try processor.specifyRecords(of: child)
            }
            children.removeAll { !known.contains($0.key) }
        }
        // Several owners may list the same texts and numbers.
        let separates = try listed == nil && (relationship.unlisted == .separate || areNames(children, relationship))
        let areParts = try !relationship.isShared && !mapping.destination(of: relationship).hasKey
        let owns = listed == nil && !separates && (relationship.isOwning || areParts)
        let inverse = isStored && listed == nil ? relationship.inverse : nil
        let key = record.key
        next.reserveCapacity(next.count + children.count + 1)
        for (position, child) in children.enumerated() {
            child.owner = inverse.map {
                PayloadObject.Owner(
                    slot: $0.slot, key: key, positionSlot: $0.position, place: isUnlinked ? position : nil)
            }
            next.append(.fill(child))
        }
        let keys = (listed?.keys ?? children.map { $0.storedKey ?? $0.key }) + owner
        if owns && isStored && !isUnlinked && !link.isPartial && !separates {
            try removeUnlisted(of: record, relationship, keys, place)
        }
        if isUnlinked && children.isEmpty && listed == nil { return }
        if inverse != nil && (isUnlinked || !relationship.isOrdered && !separates) { return }
        let connection = Connection(
            of: record, relationship, to: keys, indices: listed?.indices ?? [], isByKey: listed != nil,
            processor.operations,
            at: place)
        (connection.keeps, connection.separates) = (link.isPartial, separates)
        next.append(.connect(connection))
    }

    /// Whether all children were listed as texts or numbers that identify their records.
    ///
    /// Such a child is disconnected when it is unlisted, and deleted only if the delete rule is `cascade`.
    private func areNames(_ children: [PayloadObject], _ relationship: RelationshipMap) throws -> Bool {
        let destination = try mapping.destination(of: relationship)
        guard let element = destination.sources.element, destination.keyParts.contains(element),
            relationship.definition.deleteRule != .cascade
        else { return false }
        return children.allSatisfy { $0.surroundings?.element != nil }
    }

    /// Removes the children of an owner that are no longer listed.
    private func removeUnlisted(
        of record: Record, _ relationship: RelationshipMap, _ listed: [Value], _ place: Place
    ) throws {
        let present =
            try records.related(record.id, relationship.name) + records.deletedRemotely(relationship, of: record)
        let gone = try diff(wins: listed, loses: present, primaryKey: { $0 })
        for key in gone?.deletions ?? [] {
            try removeChild(key, of: record, relationship, isByKey: false, place)
        }
    }
}

/// The keys in a list, and their indices.
private struct ListedKeys {
    /// The keys of the elements that name a record.
    var keys: [Value] = []
    /// The positions of these elements in the list, for reports.
    var indices: [Int] = []
}

/// The positions of a list's objects by their keys.
///
/// The search is linear for fewer than 8 objects.
private struct KeyPositions {
    /// The position of each key, after the first lookup.
    private var positions: [Value: Int] = [:]

    /// Returns the position of the object with a key; nil if there is none, and stores the key for the next object.
    mutating func find(_ key: Value, orInsert children: [PayloadObject]) -> Int? {
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
    /// Whether it is an array of keys and nulls, with at least one key.
    fileprivate var isListOfKeys: Bool {
        guard case .array(let elements) = self else { return false }
        return !elements.contains(where: \.isObject) && elements.contains { !$0.isNull }
    }
}
