package import DifferentialSyncTesting
package import SyncPersistence

/// Random filters and queries on the people of ``Staff``, reproducible from a seed.
package struct RandomFilter {
    /// The generator of all choices.
    package var generator: SeededGenerator

    private let values: ValuePool

    /// Creates a generator of filters that compare with values from a pool.
    package init(seed: UInt64, values: ValuePool = Staff.samples) {
        generator = SeededGenerator(seed: seed)
        self.values = values
    }

    /// Paths from a person to a person, over references and an inverse.
    private static let prefixes = ["", "boss.", "second.boss.", "boss.boss.", "boss.second.boss.", "pass.holder."]

    /// Returns a filter of at most the given depth.
    package mutating func filter(depth: Int = 4) -> Filter {
        let isLeaf = depth == 0 || generator.happens(0.3)
        switch isLeaf ? Int.random(in: 0..<5, using: &generator) : Int.random(in: 5..<8, using: &generator) {
        case 0, 1:
            let (path, type) = attribute()
            let comparison =
                type == .json
                ? [.equal, .notEqual].randomElement(using: &generator)!
                : Filter.Comparison.allCases.randomElement(using: &generator)!
            return .comparison(path: path, comparison, values.random(type, using: &generator))
        case 2: return key()
        case 3:
            return .text(
                path: prefix() + ["string", "url", "home.city"].randomElement(using: &generator)!,
                Filter.TextMatch.allCases.randomElement(using: &generator)!,
                pattern(),
                ignoresCase: generator.happens(0.5))
        case 4: return .isNull(path: generator.happens(0.5) ? attribute().path : prefix() + "pass.color")
        case 5: return .not(filter(depth: depth - 1))
        case 6: return .and((0..<Int.random(in: 0..<4, using: &generator)).map { _ in filter(depth: depth - 1) })
        default: return .or((0..<Int.random(in: 0..<4, using: &generator)).map { _ in filter(depth: depth - 1) })
        }
    }

    /// Returns a condition that an index or the primary key can serve.
    package mutating func key() -> Filter {
        func number() -> Value { .integer(Int64.random(in: 0..<30, using: &generator)) }
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: return .comparison(path: prefix() + "id", .equal, number())
        case 1: return .membership(path: prefix() + "id", [number(), .null, number()])
        case 2: return .comparison(path: prefix() + "boss", .equal, number())
        case 3:
            return .comparison(
                path: prefix() + "company", .equal, .string("c\(Int.random(in: 0..<8, using: &generator))"))
        case 4: return .comparison(path: prefix() + "site", .equal, ["F", number()])
        case 5:
            return .membership(
                path: prefix() + "decimal", (0..<3).map { _ in values.random(.decimal, using: &generator) })
        case 6: return .isNull(path: prefix() + "pass")
        default:
            return .comparison(path: prefix() + "integer", .equal, values.random(.integer, using: &generator))
        }
    }

    /// Returns a sort key: an attribute or a path.
    package mutating func sortKey() -> Query.SortKey {
        let paths = ["company", "pass.color", "pass", "site.isOpen"] + AttributeType.allCases.map(\.rawValue)
        let path = paths.filter { $0 != "json" }.randomElement(using: &generator)!
        return Query.SortKey(prefix() + path, isDescending: generator.happens(0.5))
    }

    /// Returns a query of people or managers, often sorted, with an offset or a limit.
    package mutating func query() -> Query {
        var filter = generator.happens(0.9) ? filter() : nil
        if let others = filter, generator.happens(0.3) { filter = key() && others }
        let isSorted = generator.happens(0.5)
        return Query(
            generator.happens(0.2) ? "Manager" : "Person", where: filter,
            sort: isSorted ? (0..<Int.random(in: 1..<4, using: &generator)).map { _ in sortKey() } : [],
            offset: generator.happens(0.3) ? Int.random(in: 0..<9, using: &generator) : 0,
            limit: generator.happens(0.3) ? Int.random(in: 0..<9, using: &generator) : nil)
    }

    /// Returns a text to search for: some letters, or a part of a text in the pool, perhaps in another case.
    private mutating func pattern() -> String {
        if generator.happens(0.3) {
            return ["", "a", "A", "\u{301}", "E", ":", "b:"].randomElement(using: &generator)!
        }
        guard case .string(let text)? = values[.string].randomElement(using: &generator) else { return "" }
        var scalars = Substring.UnicodeScalarView(text.unicodeScalars)
        if generator.happens(0.5) { scalars.removeFirst(Int.random(in: 0...scalars.count, using: &generator)) }
        if generator.happens(0.5) { scalars.removeLast(Int.random(in: 0...scalars.count, using: &generator)) }
        let part = String(scalars)
        return generator.happens(0.7) ? part : generator.happens(0.5) ? part.uppercased() : part.lowercased()
    }

    /// Returns the beginning of a path.
    private mutating func prefix() -> String { RandomFilter.prefixes.randomElement(using: &generator)! }

    /// Returns a path to an attribute, and its type.
    private mutating func attribute() -> (path: String, type: AttributeType) {
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: return ("boss.level", .integer)
        case 1: return ("company.name", .string)
        default:
            let type = AttributeType.allCases.randomElement(using: &generator)!
            return (prefix() + type.rawValue, type)
        }
    }
}
