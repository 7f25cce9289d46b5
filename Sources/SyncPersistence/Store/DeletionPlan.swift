/// Which of several deletions of the remote can be made together.
///
/// Each record may take others with it, by delete rules, and may depend on others that must be deleted with it: those that
/// name it and must not lose the reference. A record is kept if one of either is kept.
struct DeletionPlan {
    /// The records that are to be deleted, and those that would be deleted with them.
    private(set) var records: [Record] = []
    private var positions: [RecordID: Int] = [:]
    private var nodes: [Node] = []
    private var pending: [Int] = []

    private struct Node {
        /// Whether the remote itself has deleted the record, and the transaction is to do so.
        var isDecided: Bool
        var isKept = false
        /// The records that are deleted with it.
        var children: [Int] = []
        /// The records that are kept if it is.
        var dependents: [Int] = []
    }
}

extension DeletionPlan {
    /// The position of a record, or nil if the plan does not have it.
    func position(of id: RecordID) -> Int? { positions[id] }

    /// Whether the remote itself has deleted a record of the plan.
    func isDecided(_ position: Int) -> Bool { nodes[position].isDecided }

    /// Whether a record of the plan is kept; before ``settle()``, whether that is known already.
    func isKept(_ position: Int) -> Bool { nodes[position].isKept }

    /// Adds a record unless it is there, and returns its position.
    @discardableResult
    mutating func add(_ record: Record, isDecided: Bool) -> Int {
        let id = RecordID(record.shape.root, record.key)
        if let position = positions[id] {
            if isDecided { nodes[position].isDecided = true }
            return position
        }
        positions[id] = records.count
        records.append(record)
        nodes.append(Node(isDecided: isDecided))
        return records.count - 1
    }

    /// Notes that one record is deleted with another.
    mutating func add(child: Int, of parent: Int) {
        nodes[parent].children.append(child)
        require(child, for: parent)
    }

    /// Notes that a record is kept if another one is.
    mutating func require(_ other: Int, for position: Int) { nodes[other].dependents.append(position) }

    /// Notes that a record is kept.
    mutating func keep(_ position: Int) {
        if nodes[position].isKept { return }
        nodes[position].isKept = true
        pending.append(position)
    }

    /// Finds what is kept.
    ///
    /// - Complexity: O(size of the plan); for records that depend on some that nothing deletes any more, once more each
    mutating func settle() {
        repeat {
            while let position = pending.popLast() { for dependent in nodes[position].dependents { keep(dependent) } }
            keepUnreached()
        } while !pending.isEmpty
    }

    /// Keeps what no deletion reaches any more.
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
