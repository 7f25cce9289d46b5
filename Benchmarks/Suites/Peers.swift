import BenchmarkSupport

/// What others do for the same job, as plainly as one writes it.
enum Peers {
    /// The lists of a diff.
    struct Lists<Element> {
        var add: [Element] = []
        var delete: [Element] = []
        var replace: [Element] = []
    }

    /// One dictionary of the old records by key.
    static func dictionaryOfRecords<Record: BenchmarkRecord>(wins: [Record], loses: [Record]) -> Lists<Record> {
        var rest = Dictionary(uniqueKeysWithValues: loses.map { ($0.id, $0) })
        var lists = Lists<Record>()
        for new in wins {
            if let old = rest.removeValue(forKey: new.id) {
                if old != new {
                    lists.replace.append(new)
                    lists.delete.append(old)
                }
            } else {
                lists.add.append(new)
            }
        }
        lists.delete += rest.values
        return lists
    }

    /// A dictionary of the old records' positions, reserved up front, and a flag for each: tuned by hand.
    static func dictionaryOfIndices<Record: BenchmarkRecord>(wins: [Record], loses: [Record]) -> Lists<Record> {
        var positions = [Record.ID: Int](minimumCapacity: loses.count)
        for position in loses.indices { positions[loses[position].id] = position }
        var isMatched = [Bool](repeating: false, count: loses.count)
        var lists = Lists<Record>()
        for new in wins {
            if let position = positions[new.id] {
                isMatched[position] = true
                if loses[position] != new {
                    lists.replace.append(new)
                    lists.delete.append(loses[position])
                }
            } else {
                lists.add.append(new)
            }
        }
        for position in loses.indices where !isMatched[position] { lists.delete.append(loses[position]) }
        return lists
    }

    /// DS's algorithm: sets of whole elements, and a look at every pair of an addition and a deletion.
    static func differentialSync<Record: BenchmarkRecord>(wins: [Record], loses: [Record]) -> Lists<Record> {
        let winning = Set(wins)
        let losing = Set(loses)
        var add = winning.subtracting(losing)
        let delete = losing.subtracting(winning)
        var replace: Set<Record> = []
        for new in add {
            for old in delete where old.id == new.id { replace.insert(new) }
        }
        add.subtract(replace)
        return Lists(add: Array(add), delete: Array(delete), replace: Array(replace))
    }

    /// DS's merge: sets of whole elements, and a look at every pair of an element and one that comes in.
    static func differentialSyncMerge<Record: BenchmarkRecord>(into elements: [Record], _ lists: Lists<Record>)
        -> [Record]
    {
        var result = Set(elements)
        result.subtract(lists.delete)
        for new in lists.add + lists.replace {
            for old in elements where old.id == new.id { result.remove(old) }
        }
        result.formUnion(lists.add)
        result.formUnion(lists.replace)
        return Array(result)
    }

    /// A copy, and a dictionary of what happens to which key.
    static func dictionaryMerge<Record: BenchmarkRecord>(into elements: [Record], _ lists: Lists<Record>) -> [Record] {
        let incoming = Dictionary(uniqueKeysWithValues: (lists.add + lists.replace).map { ($0.id, $0) })
        let gone = Set(lists.delete.map(\.id)).subtracting(incoming.keys)
        var result: [Record] = []
        result.reserveCapacity(elements.count + lists.add.count)
        for element in elements {
            if let new = incoming[element.id] {
                result.append(new)
            } else if !gone.contains(element.id) {
                result.append(element)
            }
        }
        return result + lists.add
    }
}
