extension SyncRun {
    /// How what was given to be synced is laid out, as far as the places of its lists tell.
    struct Layout {
        /// The paths of the lists, in their order.
        var paths: [String] = []
        /// Whether there are pages, each with all of the lists.
        var isPaged = false
    }

    /// The rank of a place: by the page, then by the list, then by the object in that.
    func rank(of path: String) -> Int {
        var rest = path[...]
        let page = layout.isPaged ? Self.index(of: &rest) : 0
        if rest.hasPrefix(".") { rest.removeFirst() }
        let names = rest.prefix { $0 != "[" }
        rest = rest.dropFirst(names.count)
        let list = layout.paths.firstIndex { $0.hasPrefix(names) || names.hasPrefix($0 + ".") } ?? 0
        let isInList = layout.paths.isEmpty ? names.isEmpty : layout.paths[list].hasPrefix(names)
        return page << 48 | list << 40 | (isInList ? Self.index(of: &rest) : 0)
    }

    /// The index that a path begins with, which is taken away; 0 if there is none.
    private static func index(of path: inout Substring) -> Int {
        guard path.hasPrefix("["), let end = path.firstIndex(of: "]") else { return 0 }
        let index = Int(path[path.index(after: path.startIndex)..<end]) ?? 0
        path = path[path.index(after: end)...]
        return min(index, 1 << 40 - 1)
    }
}
