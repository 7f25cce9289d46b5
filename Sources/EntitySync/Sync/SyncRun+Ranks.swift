extension SyncRun {
    /// How what was given to be synced is laid out, as far as the places of its lists tell.
    struct Layout {
        /// The paths of the lists, in their order.
        var paths: [String] = []
        /// Whether there are pages, each with all of the lists.
        var isPaged = false
    }

    /// The rank of a place: by the page, then by the list, then by the object in that.
    ///
    /// - Parameter positions: Where the objects of maps stand in those, by their places.
    func rank(of path: String, _ positions: [String: Int]) -> Int {
        var rest = path[...]
        let page = layout.isPaged ? Self.index(of: &rest) : 0
        if rest.hasPrefix(".") { rest.removeFirst() }
        let names = rest.prefix { $0 != "[" }
        rest = rest.dropFirst(names.count)
        let list = layout.paths.firstIndex { $0.hasPrefix(names) || names.hasPrefix($0 + ".") } ?? 0
        let isInList = layout.paths.isEmpty ? names.isEmpty : layout.paths[list].hasPrefix(names)
        let position = Self.position(of: path, positions) ?? (isInList ? Self.index(of: &rest) : 0)
        return page << 48 | list << 40 | position
    }

    /// Where the objects of maps stand in those, by their places; none if there is nothing to sort.
    func mapPositions() -> [String: Int] {
        var positions: [String: Int] = [:]
        if outcome.reports.count < 2 { return positions }
        for payload in maps {
            for index in payload.names.indices {
                // An object that stands twice has one place.
                let path = payload.place(of: index).path
                if positions[path] == nil { positions[path] = index }
            }
        }
        return positions
    }

    /// Where the object of a map stands in which a place is; nil for others.
    private static func position(of path: String, _ positions: [String: Int]) -> Int? {
        if positions.isEmpty { return nil }
        // A name may have dots and brackets in it.
        var ends = path.indices.filter { path[$0] == "." || path[$0] == "[" }
        ends.append(path.endIndex)
        return ends.lazy.compactMap { positions[String(path[..<$0])] }.first
    }

    /// The index that a path begins with, which is taken away; 0 if there is none.
    private static func index(of path: inout Substring) -> Int {
        guard path.hasPrefix("["), let end = path.firstIndex(of: "]") else { return 0 }
        let index = Int(path[path.index(after: path.startIndex)..<end]) ?? 0
        path = path[path.index(after: end)...]
        return min(index, 1 << 40 - 1)
    }
}
