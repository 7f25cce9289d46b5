/// A plan of a remote's deletions, which finds the records that must be kept.
///
/// Each record has two kinds of dependents: records that a delete rule deletes with it, and records that must refer to
/// it and so must be deleted first. If a dependent of either kind is kept, the record is kept.
///
/// | the remote deletes | kept for a local change | result |
/// |---|---|---|
/// | folder 1, whose rule deletes note 2 | note 2 | both are kept |
/// | tag 3, to which note 2 must refer | note 2 | both are kept |
/// | folder 1 and note 2 | none | both are deleted |
struct DeletionPlan {
    /// The records to be deleted, and those that would be deleted with them.
    private(set) var records: [Record] = []
    /// The position of each record.
    private var positions: [RecordID: Int] = [:]
    /// The state of each record, by position.
    private var nodes: [Node] = []
    /// The positions of kept records whose dependents are not kept yet.
    private var pending: [Int] = []

    /// The state of a record in the plan.
    private struct Node {
        /// Whether the remote has deleted the record itself, so that the transaction deletes it unless it is kept.
        var isDecided: Bool
        /// Whether a local change or a rule keeps the record.
        var isKept = false
        /// The positions of the records that a delete rule deletes with it.
        var children: [Int] = []
        /// The positions of the records that are kept if this one is kept.
        var dependents: [Int] = []
    }
}

extension DeletionPlan {
    /// Returns the index of a record; nil if it is not part of the plan.
    func position(of id: RecordID) -> Int? { positions[id] }

    /// Whether the remote itself has deleted a record of the plan.
    func isDecided(_ position: Int) -> Bool { nodes[position].isDecided }

    /// Whether a record of the plan is kept; before ``resolve()``, whether that is already known.
    func isKept(_ position: Int) -> Bool { nodes[position].isKept }

    /// Adds a record unless the plan has it, and returns its index.
    @discardableResult
    mutating func add(_ record: Record, isDecided: Bool) -> Int {
        let id = record.rootID
        if let position = positions[id] {
            if isDecided { nodes[position].isDecided = true }
            return position
        }
        positions[id] = records.count
        records.append(record)
        nodes.append(Node(isDecided: isDecided))
        return records.count - 1
    }

    /// Records that one record is deleted with another.
    mutating func add(child: Int, of parent: Int) {
        nodes[parent].children.append(child)
        require(child, for: parent)
    }

    /// Records that a record is kept if another one is.
    mutating func require(_ other: Int, for position: Int) { nodes[other].dependents.append(position) }

    /// Records that a record is kept.
    mutating func keep(_ position: Int) {
        if nodes[position].isKept { return }
        nodes[position].isKept = true
        pending.append(position)
    }

    /// Finds the records that are kept.
    ///
    /// - Complexity: O(size of the plan), and once more for each round that keeps records because nothing deletes those
    ///   on which they depend
    mutating func resolve() {
        repeat {
            while let position = pending.popLast() { for dependent in nodes[position].dependents { keep(dependent) } }
            keepUnreached()
        } while !pending.isEmpty
    }

    /// Keeps the records that would only be deleted with a record that is kept.
    private mutating func keepUnreached() {
        var reached = nodes.map { $0.isDecided && !$0.isKept }
        var stack = reached.indices.filter { reached[$0] }
        while let position = stack.popLast() {
            for child in nodes[position].children where !reached[child] {
                reached[child] = true
                stack.append(child)
            }
        }
        for position in reached.indices where !reached[position] { keep(position) }
    }
}
