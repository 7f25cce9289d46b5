import SyncPersistence

/// The mutations of a push that can only be made together with others of the same push.
///
/// For example, a push has a new folder and a new note in it. If the review refuses the folder, the note is blocked.
struct PushDependencies {
    /// The positions of the mutations that need the one at a position.
    private var needs: [(position: Int, other: Int)] = []

    /// Records that one mutation needs another one; stops it if the other is already stopped.
    mutating func add(_ position: Int, needs other: Int, in changes: inout [PushedChange]) {
        if position == other { return }
        if changes[other].isAccepted {
            needs.append((position, other))
        } else {
            changes[position].outcome = changes[other].blocking
        }
    }

    /// Stops the mutations that need a stopped one, and those that need these.
    ///
    /// - Complexity: O(number of mutations and dependencies)
    func settle(_ changes: inout [PushedChange]) {
        if needs.allSatisfy({ changes[$0.other].isAccepted }) { return }
        let dependants = Dictionary(grouping: needs, by: \.other).mapValues { $0.map(\.position) }
        var stopped = dependants.keys.filter { !changes[$0].isAccepted }.sorted()
        var next = 0
        while next < stopped.count {
            let position = stopped[next]
            next += 1
            for dependant in dependants[position, default: []] where changes[dependant].isAccepted {
                changes[dependant].outcome = changes[position].blocking
                stopped.append(dependant)
            }
        }
    }
}

extension PushedChange {
    /// The outcome of a mutation that needs this one, which is not made.
    var blocking: PushResponse.Outcome { .blocked(by: RecordID(id.entity, mutation.id.key)) }
}
