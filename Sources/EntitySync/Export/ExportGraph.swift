import SyncPersistence

/// The records of a part of an export, arranged as they are nested in the document.
///
/// Each record is written with its relationships once in a document. A record of the query is written so at the top.
/// Any other record is written so where it is nearest to the top. Everywhere else, a record is written with its
/// attributes alone, and within itself with its key alone. So the size of the document is that of its records and
/// links, not of the paths between them. An import reads all of it, because it leaves unspecified properties unchanged.
struct ExportGraph {
    /// The records level by level, each after the one that contains it.
    private(set) var nodes: [Node] = []
    /// The targets of the nodes' relationships: ranges of nodes, or of `ids` if keys replace records.
    private(set) var ranges: [Range<Int>?] = []
    /// The keys that replace records.
    private(set) var ids: [Value] = []

    /// The source of the plans.
    private let planner: ExportPlanner
    /// The reader of relationships.
    private let related: RelatedRecords
    /// The number of the node that writes a record with its relationships, by hierarchy and key.
    ///
    /// It counts all nodes of the export, and is -1 if the node is not known yet.
    private var places: [String: [Value: Int]] = [:]
    /// The number of nodes in earlier parts of the export.
    private var base = 0

    /// A place in the document at which a record is written.
    struct Node {
        /// The values of the record, whose shape is that of the plan.
        let values: [Value]
        // because: the planner of the graph keeps it alive, and two threads would contend for its reference count.
        unowned(unsafe) let plan: ExportPlan
        /// How much of the record is written at its place.
        var form: Form
        /// The relationship back to the containing record, which is omitted.
        var implied: Int?
        /// The node that contains this one; -1 at the top.
        var parent: Int
        /// The number of relationships that lead to the node from the top.
        var level = 0
        /// The number of objects and arrays that are open within the node, including its own.
        var depth: Int
        /// The index in `ranges` of its first relationship.
        var firstRange = 0
        /// Whether its object would be empty.
        var isEmpty = false
        /// Whether a value replaces its object.
        var isElement = false

        /// The record, made again from its values.
        var record: Record { Record(plan.shape, slots: values) }
    }

    /// The extent to which a record is written.
    enum Form {
        /// The record with its relationships; its attributes alone; or the members of its key alone.
        case whole, attributes, key
    }

    /// Creates an empty graph for the records of a transaction.
    init(_ transaction: ReadTransaction, _ planner: ExportPlanner) {
        self.planner = planner
        related = RelatedRecords(transaction: transaction)
    }

    /// A copy of the arranged records, without the places of records in the whole export.
    var arranged: ExportGraph {
        var graph = self
        graph.places = [:]
        return graph
    }

    /// How related records are written: nested, by key, or not at all.
    var style: ExportOptions.RelationshipStyle { planner.options.relationships }
    /// The form of dates in the document.
    var dates: ExportOptions.DateStyle { planner.options.dates }
    /// The layout of the JSON.
    var format: JSONFormat { planner.format }
    /// Whether members are sorted by name, so that equal records have equal text.
    var isSorted: Bool { planner.format.contains(.sortedNames) }
}

extension ExportGraph {
    /// Whether a to-one relationship without a found record is written as null: not if it has the key of a record.
    func writesNull(_ relationship: ShapeRelationship, of node: Node) -> Bool {
        if style == .nested { return false }
        let options = planner.options
        guard case .reference(let slot, _, _) = relationship.storage else { return options.writesNullTargets }
        guard node.record[slot].isNull else { return false }
        return options.writesNullTargets || node.parent < 0 && options.nullTargets.contains(slot)
    }

    /// Reserves the records of the query, so that they are not written with their relationships elsewhere.
    mutating func expect(_ records: [Record]) throws {
        guard let root = records.first?.shape.root, try isMetAgain(records) else { return }
        places[root] = Dictionary(records.lazy.map { ($0.key, -1) }) { first, _ in first }
    }

    /// Whether relationships can lead to records of the hierarchy again, except back to the containing record.
    private func isMetAgain(_ records: [Record]) throws -> Bool {
        guard let first = records.first, planner.options.relationships != .ids else { return false }
        var pending: [(shape: Shape, implied: String?)] =
            planner.schema.hierarchy(of: first.shape).map { (shape: $0, implied: nil) }
        var seen: Set<String> = []
        while let (shape, implied) = pending.popLast() {
            for exported in try planner.plan(of: shape).relationships
            where exported.relationship.definition.name != implied {
                let definition = exported.relationship.definition
                guard let destination = planner.schema[definition.destination] else { continue }
                if destination.root == first.shape.root { return true }
                for heir in planner.schema.hierarchy(of: destination) where heir.inherits(destination.name) {
                    guard seen.insert("\(heir.name)\u{0}\(exported.impliedInverse ?? "")").inserted else { continue }
                    pending.append((shape: heir, implied: exported.impliedInverse))
                }
            }
        }
        return false
    }

    /// Arranges records of the query and all records that they lead to, and replaces the former part.
    ///
    /// - Parameter depth: The number of objects and arrays that are open within each object.
    mutating func arrange(_ records: ArraySlice<Record>, depth: Int) throws {
        base += nodes.count
        nodes = []
        ranges = []
        ids = []
        for record in records {
            let plan = try planner.plan(of: record.shape)
            if places[record.shape.root] != nil { places[record.shape.root]?[record.key] = base + nodes.count }
            nodes.append(Node(values: record.values, plan: plan, form: .whole, parent: -1, depth: depth))
        }
        var start = 0
        while start < nodes.count {
            let end = nodes.count
            try follow(start..<end)
            start = end
        }
        findEmpty()
        findElements()
    }

    /// Follows the relationships of the nodes of one level.
    private mutating func follow(_ level: Range<Int>) throws {
        var groups: [ObjectIdentifier: Int] = [:]
        var members: [(plan: ExportPlan, nodes: [Int])] = []
        for node in level where nodes[node].form == .whole {
            let plan = nodes[node].plan
            nodes[node].firstRange = ranges.count
            ranges.append(contentsOf: repeatElement(nil, count: plan.relationships.count))
            if let group = groups[ObjectIdentifier(plan)] {
                members[group].nodes.append(node)
            } else {
                groups[ObjectIdentifier(plan)] = members.count
                members.append((plan, [node]))
            }
        }
        for (plan, group) in members {
            for (position, relationship) in plan.relationships.enumerated() {
                let owners = group.filter { nodes[$0].implied != position }
                let records = owners.map { nodes[$0].record }
                if planner.options.relationships == .ids, !relationship.hasParts {
                    try addIDs(relationship, position, owners, records)
                } else {
                    let found = try related.records(of: relationship.relationship, from: records)
                    for (owner, range) in zip(owners, found.ranges) {
                        try place(found.elements[range], relationship, position, in: owner)
                    }
                }
            }
        }
    }

    /// Adds the targets of an owner's relationship as nodes.
    private mutating func place(
        _ records: ArraySlice<Record>, _ relationship: ExportedRelationship, _ position: Int, in owner: Int
    ) throws {
        let first = nodes.count
        let (level, depth) = (nodes[owner].level + 1, nodes[owner].depth + relationship.depth)
        // Consecutive records of one shape share a lookup.
        var known: (plan: ExportPlan, implied: Int?)?
        for record in relationship.isToMany ? records : records.prefix(1) {
            if known?.plan.shape !== record.shape {
                let plan = try planner.plan(of: record.shape)
                known = (plan, relationship.impliedInverse.flatMap { plan.position(of: $0) })
            }
            guard let (plan, implied) = known else { continue }
            var node = Node(
                values: record.values, plan: plan, form: .attributes, implied: implied, parent: owner, level: level,
                depth: depth)
            if depth > JSONOptions().depthLimit { throw PersistenceError.tooDeepToExport(record.id) }
            if !plan.relationships.isEmpty { node.form = form(of: node, in: owner) }
            // A record without a key is not written within itself.
            if node.form == .key, plan.key.isEmpty { continue }
            nodes.append(node)
        }
        // If no member can be identified, the list is omitted. An empty list would delete the members.
        let isUntold = nodes.count == first && !records.isEmpty
        ranges[nodes[owner].firstRange + position] = isUntold ? nil : first..<nodes.count
    }

    /// Returns the form in which a record is written within another.
    private mutating func form(of new: Node, in owner: Int) -> Form {
        let root = new.plan.shape.root
        let key = new.record.key
        if let place = places[root]?[key] {
            var node = owner
            while node > max(place - base, -1) { node = nodes[node].parent }
            return node >= 0 && node == place - base ? .key : .attributes
        }
        if new.plan.relationships.count == (new.implied == nil ? 0 : 1) { return .attributes }
        if let limit = planner.options.depthLimit, new.level >= limit { return .attributes }
        places[root, default: [:]][key] = base + nodes.count
        return .whole
    }

    /// Stores the keys of the targets that replace records.
    private mutating func addIDs(
        _ relationship: ExportedRelationship, _ position: Int, _ owners: [Int], _ records: [Record]
    ) throws {
        guard relationship.id == nil else {
            let keys = try related.keys(of: relationship.relationship, from: records)
            for (owner, range) in zip(owners, keys.ranges) {
                // The key of a part has no meaning for a remote.
                ranges[nodes[owner].firstRange + position] =
                    keys.elements[range].contains(where: \.isPartKey)
                    ? nil : ids.count + range.lowerBound..<ids.count + range.upperBound
            }
            ids += keys.elements
            return
        }
        // Keys of several parts are written as objects. Records without a key cannot be identified.
        let found = try related.records(of: relationship.relationship, from: records)
        for (owner, range) in zip(owners, found.ranges) {
            let first = nodes.count
            for record in found.elements[range] {
                let plan = try planner.plan(of: record.shape)
                if plan.key.isEmpty { continue }
                nodes.append(
                    Node(
                        values: record.values, plan: plan, form: .key, parent: owner, level: 1,
                        depth: nodes[owner].depth + relationship.depth))
            }
            let isUntold = nodes.count == first && !range.isEmpty
            ranges[nodes[owner].firstRange + position] = isUntold ? nil : first..<nodes.count
        }
    }

    /// Marks a node whose object is replaced by a value.
    mutating func markElement(_ node: Int) { nodes[node].isElement = true }

    /// Whether a node's record is written with its relationships somewhere in the document.
    func isPlaced(_ node: Int) -> Bool { places[nodes[node].plan.shape.root]?[nodes[node].record.key] != nil }

    /// Returns the plan of a shape, which the planner makes once and keeps.
    func plan(of shape: Shape) throws -> ExportPlan { try planner.plan(of: shape) }

    /// Finds the nodes whose objects would be empty.
    ///
    /// Empty objects are omitted.
    private mutating func findEmpty() {
        for position in nodes.indices.reversed() where nodes[position].plan.mayBeEmpty {
            let node = nodes[position]
            if node.form == .key || node.plan.attributes.contains(where: { isWritten($0, of: position) }) { continue }
            guard node.form == .whole else {
                nodes[position].isEmpty = true
                continue
            }
            nodes[position].isEmpty = !node.plan.relationships.indices.contains { isWritten($0, of: position) }
        }
    }
}
