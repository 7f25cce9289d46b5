/// The places of the lists of a payload, by which reports are sorted.
struct PayloadLayout {
    /// The paths of the lists, in their order.
    private var paths: [String] = []
    /// Whether there are pages, each with all of the lists.
    private var isPaged = false
    /// The lists whose objects are members of maps.
    private var maps: [any Payload] = []

    /// Creates the layout of one list at the root of the payload.
    init() {}

    /// Creates a layout of lists at paths.
    init(paths: [String], isPaged: Bool = false) { (self.paths, self.isPaged) = (paths, isPaged) }

    /// Adds a list whose objects are members of a map.
    mutating func add(map: any Payload) { maps.append(map) }

    /// Sorts reports by the page, the list and the object that they concern.
    ///
    /// - Complexity: O(*n* log *n*) for *n* reports, and O(number of objects in maps) if there are several
    func sorted(_ reports: [SyncReport]) -> [SyncReport] {
        if reports.count < 2 { return reports }
        let positions = mapPositions()
        return reports.map { (rank(of: $0.path, positions), $0) }.enumerated()
            .sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }.map(\.element.1)
    }

    /// Returns the rank of a place: by page, then by list, then by object.
    ///
    /// - Parameter positions: The positions of objects in maps.
    private func rank(of path: String, _ positions: MapPositions) -> Int {
        var rest = path[...]
        let page = isPaged ? Self.index(of: &rest) : 0
        if rest.hasPrefix(".") { rest.removeFirst() }
        let names = rest.prefix { $0 != "[" }
        rest = rest.dropFirst(names.count)
        // The path of one list may lead through the objects of another.
        let own = paths.indices.filter { names == paths[$0] || names.hasPrefix(paths[$0] + ".") }
            .max { paths[$0].count < paths[$1].count }
        let list = own ?? paths.firstIndex { Self.leads($0, through: names) } ?? 0
        let isInList = paths.isEmpty ? names.isEmpty : Self.leads(paths[list], through: names)
        let position = Self.position(of: path, positions) ?? (isInList ? Self.index(of: &rest) : 0)
        return page << 48 | list << 40 | position
    }

    /// Whether the first names of a path are the given ones.
    private static func leads(_ path: String, through names: Substring) -> Bool {
        guard path.hasPrefix(names) else { return false }
        let next = path.dropFirst(names.count).first
        return next == nil || next == "." || next == "["
    }

    /// The positions of objects in maps.
    private struct MapPositions {
        /// The positions, by the paths of the objects.
        var byPath: [String: Int] = [:]
        /// The lengths of the paths in UTF-8, in ascending order.
        var lengths: [Int] = []
    }

    /// Returns the positions of objects in maps.
    private func mapPositions() -> MapPositions {
        var positions = MapPositions()
        for payload in maps {
            for index in payload.names.indices {
                // If objects have the same name, the first one determines the position.
                let path = payload.place(of: index).path
                if positions.byPath[path] == nil { positions.byPath[path] = index }
            }
        }
        positions.lengths = Set(positions.byPath.keys.lazy.map(\.utf8.count)).sorted()
        return positions
    }

    /// Returns the position of the map's object that a path leads into; nil for other paths.
    ///
    /// A name may contain dots and brackets, so that paths of several lengths are possible.
    private static func position(of path: String, _ positions: MapPositions) -> Int? {
        positions.lengths.lazy.prefix { $0 <= path.utf8.count }.compactMap { length in
            let end = path.utf8.index(path.startIndex, offsetBy: length)
            let next = end < path.endIndex ? path.utf8[end] : UInt8(ascii: ".")
            guard next == UInt8(ascii: ".") || next == UInt8(ascii: "[") else { return nil }
            return positions.byPath[String(path[..<end])]
        }.first
    }

    /// Removes the index that a path begins with; returns 0 if there is none.
    private static func index(of path: inout Substring) -> Int {
        guard path.hasPrefix("["), let end = path.firstIndex(of: "]") else { return 0 }
        let index = Int(path[path.index(after: path.startIndex)..<end]) ?? 0
        path = path[path.index(after: end)...]
        return min(index, 1 << 40 - 1)
    }
}
