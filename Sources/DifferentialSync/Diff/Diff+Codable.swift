// The coded form of a diff:
//
//     {
//       "add": [{"id": 3, "text": "tea"}],
//       "delete": [{"id": 1, "text": "milk"}, {"id": 2, "text": "eggs"}],
//       "replace": [{"id": 1, "text": "oat milk"}],
//       "pairs": [[0, 0]]
//     }
//
// The lists are those of the diff. `pairs` has two numbers for each element of `replace`: the position of its old value
// in `delete`, and the number of elements of `add` and `replace` before it in the winning collection. Absent lists are
// empty. DS's form has the names `_add`, `_delete` and `_replace`, and no pairs.

extension Diff: Encodable where Element: Encodable {
    /// Encodes the diff under the keys `add`, `delete`, `replace` and, if it is paired, `pairs`.
    ///
    /// - Complexity: O(size of the diff)
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: DiffCodingKey.self)
        try container.encode(add, forKey: .add)
        try container.encode(delete, forKey: .delete)
        try container.encode(replace, forKey: .replace)
        if isPaired { try container.encode(pairs.map { [$0.old, $0.rank] }, forKey: .pairs) }
    }
}

extension Diff: Decodable where Element: Decodable {
    /// Decodes a diff, also in the form of [DS](https://github.com/lyc2345/DS) with the keys `_add`, `_delete` and
    /// `_replace`.
    ///
    /// A diff in DS's form is not paired: see ``paired(primaryKey:)``.
    ///
    /// The decoder does not know the keys. Two changes of one key are found when the diff is applied or merged.
    ///
    /// - Throws: `DecodingError` with the place of the fault: names of both forms, a replacement without an old value,
    ///   or a pair with a deletion that does not exist or that another pair has.
    /// - Complexity: O(size of the diff)
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: DiffCodingKey.self)
        let isForeign = [.foreignAdd, .foreignDelete, .foreignReplace].contains(where: container.contains)
        if isForeign, let native = [DiffCodingKey.add, .delete, .replace, .pairs].first(where: container.contains) {
            throw DecodingError.dataCorruptedError(
                forKey: native, in: container,
                debugDescription: "'\(native.rawValue)' stands beside _add, _delete or _replace: use one form of names")
        }
        guard isForeign || [.add, .delete, .replace].contains(where: container.contains) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "a diff has lists named add, delete and replace (or _add, _delete and _replace)"))
        }
        func list(_ name: DiffCodingKey, _ foreignName: DiffCodingKey) throws -> [Element] {
            try container.decodeIfPresent([Element].self, forKey: isForeign ? foreignName : name) ?? []
        }
        let add = try list(.add, .foreignAdd)
        let delete = try list(.delete, .foreignDelete)
        let replace = try list(.replace, .foreignReplace)
        let replaceKey = isForeign ? DiffCodingKey.foreignReplace : .replace
        if replace.count > delete.count {
            throw DecodingError.dataCorruptedError(
                forKey: replaceKey, in: container,
                debugDescription: """
                    a diff deletes the old value of each element of '\(replaceKey.rawValue)', but it replaces \
                    \(replace.count) and deletes \(delete.count)
                    """)
        }
        let coded = isForeign ? nil : try container.decodeIfPresent([[Int]].self, forKey: .pairs)
        if let coded, let problem = problem(of: coded, add.count, delete.count, replace.count) {
            throw DecodingError.dataCorruptedError(forKey: .pairs, in: container, debugDescription: problem)
        }
        self.init(
            add: add, delete: delete, replace: replace, pairs: coded?.map { Pair(old: $0[0], rank: $0[1]) } ?? [])
    }
}

/// Returns the fault in the coded pairs of a diff with lists of the given lengths, or nil if there is none.
private func problem(of pairs: [[Int]], _ addCount: Int, _ deleteCount: Int, _ replaceCount: Int) -> String? {
    if pairs.count != replaceCount {
        return "a diff has a pair for each element of 'replace', but there are \(pairs.count) for \(replaceCount)"
    }
    var positions: [Int: Int] = [:]
    var lastRank = -1
    for (position, pair) in pairs.enumerated() {
        let place = "pairs[\(position)]"
        guard pair.count == 2 else { return "\(place) has \(pair.count) numbers instead of two" }
        let (old, rank) = (pair[0], pair[1])
        if !(0..<deleteCount).contains(old) {
            return "\(place) names the element \(old) of 'delete', which has \(deleteCount)"
        }
        if let other = positions.updateValue(position, forKey: old) {
            return "\(place) and pairs[\(other)] both name the element \(old) of 'delete'"
        }
        if !(position...addCount + position).contains(rank) || rank <= lastRank {
            return
                "\(place) has the rank \(rank), which does not fit: ranks ascend, and before an element of 'replace' "
                + "stand those before it and at most the \(addCount) of 'add'"
        }
        lastRank = rank
    }
    return nil
}

/// The names of a diff's members, with the forms that other implementations write.
private enum DiffCodingKey: String, CodingKey {
    case add, delete, replace, pairs
    case foreignAdd = "_add"
    case foreignDelete = "_delete"
    case foreignReplace = "_replace"
}
