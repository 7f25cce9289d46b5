import SyncPersistence

/// The operands of SQL functions, by number.
///
/// A statement binds the number instead of the operand.
final class LookupTable {
    /// The operands; the position of an operand is its number.
    private var objects: [QuerySQL.LookedUp] = []

    /// Adds an operand and returns its number.
    func add(_ object: QuerySQL.LookedUp) -> Int64 {
        objects.append(object)
        return Int64(objects.count - 1)
    }

    /// The operand with a number; nil if there is none.
    subscript(number: Int64) -> QuerySQL.LookedUp? {
        objects.indices.contains(Int(number)) ? objects[Int(number)] : nil
    }

    /// Removes all operands.
    ///
    /// No running statement may use them.
    func removeAll() { objects.removeAll() }
}
