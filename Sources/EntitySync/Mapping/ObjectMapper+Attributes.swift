import SyncPersistence

extension ObjectMapper {
    /// Sets a record's attributes to the values of an object.
    ///
    /// Reports values that cannot be stored, and members with different values for one attribute. Adds the names that
    /// match nothing to the unknown ones.
    func fillAttributes(
        of record: inout Record, from object: ValueObject, _ map: EntityMap, _ plan: Plan, _ place: Place
    ) throws {
        var unused: [(member: Int, attribute: AttributeMap)] = []
        record.values.withUnsafeMutableBufferPointer { values in
            for (member, attribute) in plan.attributes {
                if let value = attribute.converted(object.values[member]), !attribute.isMandatory || !value.isNull {
                    values[attribute.slot] = value
                } else {
                    unused.append((member, attribute))
                }
            }
        }
        for (member, attribute) in unused where !plan.isDeeper(attribute, in: object, map) {
            try reportUnused(
                object.values[member], attribute, of: record, at: place.member(object.names[member]))
        }
        for (member, tree) in plan.paths {
            try fill(
                &record, from: object.values[member], tree, map, depth: 1, at: place.member(object.names[member]))
        }
        for (member, counting) in plan.duplicates where object.values[member] != object.values[counting] {
            try reports.add(
                .duplicateName, at: place.member(object.names[member]), of: record.id,
                expected: "the value of '\(object.names[counting])', which stands for the same attribute",
                found: object.values[member].finding)
        }
        if !plan.unknown.isEmpty, !plan.hasReportedUnknown {
            plan.hasReportedUnknown = true
            reports.addUnknown(plan.unknown.lazy.map { object.names[$0] }, of: map.shape.name)
        }
    }

    /// Reports a value that an attribute cannot store.
    private func reportUnused(
        _ json: Value, _ attribute: AttributeMap, of record: Record, at place: Place
    ) throws {
        let isMissing = attribute.converted(json) != nil
        try reports.add(
            isMissing ? .missingValue : .unconvertible, at: place, of: record.id, attribute.definition.name,
            expected: isMissing ? "a value, as it is mandatory" : attribute.expectation(insteadOf: json),
            found: json.finding)
    }

    /// Sets attributes to values in nested objects; missing values leave them unchanged.
    ///
    /// - Parameter depth: The number of names that lead to the value.
    private func fill(
        _ record: inout Record, from json: Value, _ tree: PathTree<PropertyLeaf>, _ map: EntityMap, depth: Int,
        at place: Place
    ) throws {
        for case .attribute(let attribute) in tree.leaves where !map.keyParts.contains(attribute) {
            let attribute = map.attributes[attribute]
            if let value = attribute.converted(json), !attribute.isMandatory || !value.isNull {
                record.values[attribute.slot] = value
            } else {
                try reportUnused(json, attribute, of: record, at: place)
            }
        }
        if tree.branches.isEmpty { return }
        let leaves = map.hasListPaths ? tree.allLeaves : []
        let lists = leaves.compactMap { map.list($0, depth: depth) }
        if !lists.isEmpty, !json.isArray, !json.isNull {
            try reports.add(
                .wrongShape, at: place, of: record.id, lists.first?.name, expected: "an array, or null",
                found: json.finding)
        }
        switch json {
        case .array where !lists.isEmpty && lists.count == leaves.count: return
        case .object(let object):
            for branch in tree.branches {
                guard let value = object[branch.name] else { continue }
                try fill(&record, from: value, branch.tree, map, depth: depth + 1, at: place.member(branch.name))
            }
        case .null:
            for branch in tree.branches {
                try fill(&record, from: .null, branch.tree, map, depth: depth + 1, at: place.member(branch.name))
            }
        default:
            if !tree.leaves.isEmpty { return }
            try reports.add(
                .wrongShape, at: place, of: record.id,
                expected: "an object with \(tree.branches.map { "'\($0.name)'" }.joined(separator: ", "))",
                found: json.finding)
        }
    }
}

extension EntityMap {
    /// Returns the relationship of a leaf whose path has an array at a depth; nil for other leaves.
    fileprivate func list(_ leaf: PropertyLeaf, depth: Int) -> RelationshipMap? {
        guard case .relationship(let position) = leaf else { return nil }
        let relationship = relationships[position]
        return relationship.path?.listDepth == depth ? relationship : nil
    }
}
