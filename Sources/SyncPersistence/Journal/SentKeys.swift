/// The keys of consecutive records of a push of the whole store that was sent and has no response yet.
///
/// The records belong to one hierarchy. A store keeps all keys in one row. If a record changes before the response, it
/// gets a row of its own with the sent image.
struct SentKeys {
    /// The name of the hierarchy's root.
    let entity: String

    /// The keys, in the order of the push.
    var keys: [Value]

    /// The first character of the row's key, with which the text of no record's key begins.
    private static let mark = "#"

    /// Reads a row of the records in flight; nil if it is the row of one record.
    init?(_ row: Record) throws {
        guard case .string(let entity) = row["entity"], case .string(let name) = row["key"], name.hasPrefix(Self.mark)
        else { return nil }
        guard case .string(let text) = row["image"], case .array(let keys)? = try? Value(taggedJSON: text) else {
            throw PersistenceError(
                .unreadable, "the records in flight cannot be read: \(PersistenceError.damageRemedy)", id: row.id)
        }
        (self.entity, self.keys) = (entity, keys)
    }

    /// Creates the list of keys of a hierarchy.
    init(of entity: String, _ keys: [Value]) { (self.entity, self.keys) = (entity, keys) }

    /// The keys as a row has them.
    var text: String { Value.array(keys).keyText }

    /// Returns the row that a store keeps.
    ///
    /// - Parameter number: The position of the row in the push.
    func row(_ number: Int, in shape: Shape) -> Record {
        Record(shape, slots: [.string(entity), .string("\(Self.mark)\(number)"), .string(text)])
    }

    /// Returns the query for the rows of a hierarchy.
    static func query(_ entity: String) -> Query {
        let conditions: [Filter] = [
            .comparison(path: "entity", .equal, .string(entity)),
            .comparison(path: "key", .greaterOrEqual, .string(mark)),
            .comparison(path: "key", .less, "$"),
        ]
        return Query(Shape.inFlightName, where: .and(conditions))
    }
}
