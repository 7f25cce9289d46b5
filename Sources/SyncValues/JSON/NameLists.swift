/// The names of the objects that were read last, by their number and depth.
///
/// Objects in a list usually have the same names. They then share one array, which takes less memory and is compared
/// at once by its identity.
struct NameLists {
    /// The names of one object for each of 64 slots; empty before the first object.
    private var lists: [[String]] = []

    /// Removes the names of an object from the top of a stack, and returns them with the position of the first repeated
    /// one.
    ///
    /// If an earlier object has the same names, its array is returned.
    ///
    /// - Complexity: O(*n*) for *n* names
    @inline(__always)
    mutating func list(
        of count: Int, depth: Int, from stack: inout MoveStack<String>
    ) -> (names: [String], duplicate: Int?) {
        // Objects of one count at two depths, or of two counts at one depth, use two slots. The factor 7 separates
        // similar counts from the slots of other depths.
        let slot = (count &* 7 &+ depth) & 63
        let rest = stack.count - count
        if !lists.isEmpty, !lists[slot].isEmpty,
            stack.drop(downTo: rest, ifSameAs: lists[slot], by: { $0.isIdentical(to: $1) || $0.hasSameScalars(as: $1) })
        {
            return (lists[slot], nil)
        }
        let names = stack.pop(downTo: rest)
        let duplicate = ValueObject.firstDuplicate(in: names)
        if duplicate == nil {
            if lists.isEmpty { lists = Array(repeating: [], count: 64) }
            lists[slot] = names
        }
        return (names, duplicate)
    }
}
