extension Diff: CustomStringConvertible {
    /// The changes, a line each: `+` for what is added, `-` for what is deleted, `~` for what is replaced, the first
    /// twenty of each and 100 characters of a line.
    ///
    /// ```
    /// 1 added, 1 deleted, 1 replaced
    /// + {id: 3, text: "tea"}
    /// - {id: 2, text: "eggs"}
    /// ~ {id: 1, text: "milk" → "oat milk"}
    /// ```
    public var description: String { description(lines: 20, width: 100) }

    /// The changes, a line each, with long lists and long lines shortened.
    ///
    /// A replacement whose old value is not known (see ``paired(primaryKey:)``) shows its new one alone.
    ///
    /// - Parameters:
    ///   - lines: How many additions, deletions and replacements to show of each; 0 or less for none.
    ///   - width: How many characters of a line to show, about; never so few that nothing can be told.
    /// - Complexity: O(size of the diff)
    public func description(lines: Int, width: Int) -> String {
        let text = RecordText(width: Swift.max(width, 20) - 2)
        let lines = Swift.max(0, lines)
        func list<Item>(_ sign: String, _ items: [Item], _ render: (Item) -> String) -> [String] {
            let shown = items.prefix(lines).map { "\(sign) \(render($0))" }
            return items.count > lines ? shown + ["\(sign) … \(items.count - lines) more"] : shown
        }
        var all = [counts.description]
        all += list("+", add) { text.text($0) }
        all += list("-", deletions) { text.text($0) }
        all +=
            isPaired
            ? list("~", replacements) { text.text(from: $0.old, to: $0.new) } : list("~", replace) { text.text($0) }
        return all.joined(separator: "\n")
    }
}
