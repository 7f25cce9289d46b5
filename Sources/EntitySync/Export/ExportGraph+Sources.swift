import SyncPersistence

/// Maps of records, and values that replace objects.
extension ExportGraph {
    /// Finds the nodes that a value can replace, because the value and the rest of the document specify the whole
    /// record.
    mutating func findElements() {
        guard style == .array else { return }
        for owner in nodes.indices where nodes[owner].form == .whole {
            let plan = nodes[owner].plan
            for (position, relationship) in plan.relationships.enumerated() where relationship.mayBeElements {
                let definition = relationship.relationship.definition
                for target in ranges[nodes[owner].firstRange + position] ?? 0..<0 {
                    let sources = nodes[target].plan.sources
                    let isElement = sources.isElement(
                        nodes[target].values, in: nodes[owner].record, by: definition.inverse)
                    if isElement, areTold(target, but: definition.inverse) { markElement(target) }
                }
            }
        }
    }

    /// Whether each link of a record is also written at its other end.
    private func areTold(_ node: Int, but inverse: String?) -> Bool {
        guard nodes[node].form == .whole else { return true }
        return nodes[node].plan.relationships.enumerated().allSatisfy { position, relationship in
            guard let range = ranges[nodes[node].firstRange + position], !range.isEmpty else { return true }
            guard relationship.relationship.definition.name == inverse else { return false }
            return range.allSatisfy { nodes[$0].form == .key || nodes[$0].form == .attributes && isPlaced($0) }
        }
    }

    /// Returns the names of nodes in a map, in the order of writing; nil if the nodes are written as an array.
    func mapNames(
        _ range: Range<Int>, of relationship: ExportedRelationship
    ) -> [(name: String, node: Int)]? {
        guard relationship.mayBeMap, style == .array, !(isSorted && relationship.relationship.definition.isOrdered)
        else { return nil }
        var members: [(name: String, node: Int)] = []
        for node in range {
            guard nodes[node].form != .key, let name = mapName(nodes[node].values, nodes[node].plan) else { return nil }
            members.append((name, node))
        }
        guard !members.isEmpty, Set(members.map { Value.string($0.name) }).count == members.count else { return nil }
        return isSorted ? members.sorted { Value.areInIncreasingOrder(.string($0.name), .string($1.name)) } : members
    }

    /// Returns the name of a record in a map; nil if it has none.
    private func mapName(_ values: [Value], _ plan: ExportPlan) -> String? {
        if case .custom = dates, plan.sources.mapKey?.type == .date { return nil }
        return plan.sources.mapName(values)
    }

    /// Returns records and their names in a map, in the order of writing.
    ///
    /// - Throws: `PersistenceError` if a record has no name, or the name of another record.
    func mapMembers(_ records: [Record]) throws -> (records: [Record], names: [ExportPlan.Key]) {
        var members: [(name: String, record: Record)] = []
        var known: Set<Value> = []
        for record in records {
            guard let name = mapName(record.values, try plan(of: record.shape)) else {
                throw PersistenceError.noMapName(record)
            }
            if !known.insert(.string(name)).inserted { throw PersistenceError.sameMapName(record, name) }
            members.append((name, record))
        }
        if isSorted { members.sort { Value.areInIncreasingOrder(.string($0.name), .string($1.name)) } }
        return (members.map(\.record), members.map { ExportPlan.Key($0.name, format) })
    }
}
