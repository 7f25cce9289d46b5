/// Paths into a payload, as a tree of names.
struct PartTree {
    /// The numbers of the paths that end at this node.
    private(set) var leaves: [Int] = []
    /// The names that continue paths.
    private(set) var branches: [Branch] = []

    /// A name, and the paths that continue with it.
    struct Branch {
        /// The name of a member.
        let name: String
        /// The paths that go on within the member.
        var tree = PartTree()
    }

    /// Adds a path.
    mutating func insert(_ number: Int, at steps: ArraySlice<String>) {
        guard let step = steps.first else { return leaves.append(number) }
        let position = branches.firstIndex { $0.name == step } ?? branches.count
        if position == branches.count { branches.append(Branch(name: step)) }
        branches[position].tree.insert(number, at: steps.dropFirst())
    }

    /// The numbers of the paths that end at this node or below it.
    var allLeaves: [Int] { branches.reduce(leaves) { $0 + $1.tree.allLeaves } }
}

extension SyncError {
    /// Creates the error for a path that leads nowhere.
    init(noPartAt path: String, of entity: String, page: Int?, _ failure: String) {
        let place = page.map { "page \($0 + 1) of the payload" } ?? "the payload"
        self.init(
            .noObjects,
            "\(place) has no list of '\(entity)' at '\(path)': \(failure). Correct the path, or set `isOptional` if the list "
                + "may be missing. Nothing has changed")
    }
}
