// The coded form of a diff:
//
//     {
//       "add": [{"id": 3, "text": "tea"}],
//       "delete": [{"id": 1, "text": "milk"}, {"id": 2, "text": "eggs"}],
//       "replace": [{"id": 1, "text": "oat milk"}],
//       "pairs": [[0, 0]]
//     }
//
// The lists are those of the diff. `pairs` has two numbers for each element of `replace`: where its old value stands in
// `delete`, and how many elements of `add` and `replace` stand before it in the winning collection. Lists that are
// absent are empty. DS's form has the names `_add`, `_delete` and `_replace`, and no pairs.

extension Diff: Encodable where Element: Encodable {
    /// Encodes the diff under the keys `add`, `delete`, `replace` and, if it knows them, `pairs`.
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
    /// Decodes a diff, also in DS's form with the keys `_add`, `_delete` and `_replace`.
    ///
    /// A diff in DS's form does not say which deleted element a replacement is of; ``paired(primaryKey:)`` finds out.
    ///
    /// - Throws: `DecodingError` that says what is missing or does not fit.
    /// - Complexity: O(size of the diff)
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: DiffCodingKey.self)
        let isForeign = [.foreignAdd, .foreignDelete, .foreignReplace].contains(where: container.contains)
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
        let coded = isForeign ? nil : try container.decodeIfPresent([[Int]].self, forKey: .pairs)
        guard let coded else {
            self.init(add: add, delete: delete, replace: replace, pairs: [])
            return
        }
        guard coded.count == replace.count, coded.allSatisfy({ $0.count == 2 }),
            Set(coded.map { $0[0] }).count == coded.count, coded.allSatisfy({ delete.indices.contains($0[0]) }),
            zip(coded, coded.dropFirst()).allSatisfy({ $0[1] < $1[1] }),
            coded.allSatisfy({ 0..<add.count + replace.count ~= $0[1] })
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .pairs, in: container,
                debugDescription: """
                    a diff has a pair for each element of 'replace': where its old value stands in 'delete', each once, \
                    and its rank among 'add' and 'replace', ascending
                    """)
        }
        self.init(add: add, delete: delete, replace: replace, pairs: coded.map { Pair(old: $0[0], rank: $0[1]) })
    }
}

private enum DiffCodingKey: String, CodingKey {
    case add, delete, replace, pairs
    case foreignAdd = "_add"
    case foreignDelete = "_delete"
    case foreignReplace = "_replace"
}
