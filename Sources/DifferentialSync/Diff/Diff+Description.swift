extension Diff: CustomStringConvertible {
    /// The changes, one in each line.
    ///
    /// A line begins with `+` for additions, `-` for deletions, `~` for replacements. It lists the first twenty of
    /// each, in lines of about 100 characters.
    ///
    /// ```
    /// 1 added, 1 deleted, 1 replaced
    /// + {id: 3, text: "tea"}
    /// - {id: 2, text: "eggs"}
    /// ~ {id: 1, text: "milk" → "oat milk"}
    /// ```
    ///
    /// The key of a record is written first and in full. It is the identifier of an `Identifiable` element, else the
    /// field `id` of a dictionary or the first field of a structure. For other keys see
    /// ``description(lines:width:primaryKey:)``.
    public var description: String { description(lines: 20, width: 100) }

    /// Returns the changes, one in each line, with long lists and long lines shortened.
    ///
    /// In a diff that is not paired (see ``paired(primaryKey:)``) a replacement is written without its old value.
    ///
    /// - Parameters:
    ///   - lines: The greatest number of additions, of deletions and of replacements to list; 0 or less for none.
    ///   - width: The approximate length of a line in characters. The key of a record is never shortened.
    /// - Complexity: O(size of the diff)
    public func description(lines: Int, width: Int) -> String {
        description(lines: lines, width: width, key: { _ in nil })
    }

    /// Returns the changes, one in each line, with the given key of a record first and in full.
    ///
    /// ```swift
    /// let text = changes.description(lines: 20, width: 100) { $0["code"] }   // ~ {code: "AD", …}
    /// ```
    ///
    /// - Parameters:
    ///   - lines: The greatest number of additions, of deletions and of replacements to list; 0 or less for none.
    ///   - width: The approximate length of a line in characters. The key of a record is never shortened.
    ///   - primaryKey: The key of an element.
    /// - Complexity: O(size of the diff)
    public func description(lines: Int, width: Int, primaryKey: (Element) -> some Hashable) -> String {
        description(lines: lines, width: width, key: { primaryKey($0) })
    }

    /// Returns the counts, and one line for each element.
    ///
    /// - Parameters:
    ///   - lines: How many elements are listed.
    ///   - width: How many characters a line has at most.
    ///   - key: Returns the key of an element, which is shown first.
    private func description(lines: Int, width: Int, key: (Element) -> Any?) -> String {
        let text = RecordText(width: Swift.max(width, 20) - 2)
        let lines = Swift.max(0, lines)
        func list<Item>(_ sign: String, _ items: [Item], _ render: (Item) -> String) -> [String] {
            let shown = items.prefix(lines).map { "\(sign) \(render($0))" }
            return items.count > lines ? shown + ["\(sign) … \(items.count - lines) more"] : shown
        }
        var all = [counts.description]
        all += list("+", add) { text.text($0, key: key($0)) }
        all += list("-", deletions) { text.text($0, key: key($0)) }
        all +=
            isPaired
            ? list("~", replacements) { text.text(from: $0.old, to: $0.new, key: key($0.new)) }
            : list("~", replace) { text.text($0, key: key($0)) }
        return all.joined(separator: "\n")
    }
}

extension Change: CustomStringConvertible {
    /// The change on one line of about 100 characters, such as `~ {id: 1, text: "milk" → "oat milk"}`.
    ///
    /// It has the form of a line in ``Diff/description``.
    public var description: String {
        let text = RecordText(width: 98)
        return switch self {
        case .add(let new): "+ " + text.text(new, key: nil)
        case .delete(let old): "- " + text.text(old, key: nil)
        case .replace(let old, let new): "~ " + text.text(from: old, to: new, key: nil)
        }
    }
}
