/// Paths into nested objects, as a tree of names.
struct PathTree<Leaf> {
    /// A name, and the paths that continue with it.
    struct Branch {
        /// The name of a member.
        let name: String
        /// The paths that go on within the member.
        var tree = PathTree<Leaf>()
    }

    /// The targets of the paths that end at this node.
    private(set) var leaves: [Leaf] = []
    /// The names that continue paths.
    private(set) var branches: [Branch] = []

    /// The targets of the paths that end at this node or below it.
    var allLeaves: [Leaf] { branches.reduce(leaves) { $0 + $1.tree.allLeaves } }

    /// Adds a path.
    mutating func insert(_ leaf: Leaf, at steps: ArraySlice<String>) {
        guard let step = steps.first else { return leaves.append(leaf) }
        let position = branches.firstIndex { $0.name == step } ?? branches.count
        if position == branches.count { branches.append(Branch(name: step)) }
        branches[position].tree.insert(leaf, at: steps.dropFirst())
    }
}
