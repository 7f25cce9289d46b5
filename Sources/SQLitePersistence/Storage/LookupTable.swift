import SyncPersistence

/// What the functions of a connection compare with, by the numbers that are bound in its place.
final class LookupTable {
    private var objects: [QuerySQL.LookedUp] = []

    /// Notes an object, and answers its number.
    func add(_ object: QuerySQL.LookedUp) -> Int64 {
        objects.append(object)
        return Int64(objects.count - 1)
    }

    /// The object with a number.
    subscript(number: Int64) -> QuerySQL.LookedUp? {
        objects.indices.contains(Int(number)) ? objects[Int(number)] : nil
    }

    /// Forgets all objects, of which no statement is in use any more.
    func removeAll() { objects.removeAll() }
}
