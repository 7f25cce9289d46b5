/// The types that collections of this process were opened with, to tell apart those that have one name.
///
/// The name that a store keeps of a type is the same in each process, so it lacks what tells private types of several
/// files, and types of several functions, from each other. Within one process, their identity does.
enum LocalTypes {
    private struct Entry: Sendable {
        weak var store: (any PersistenceAdapter & AnyObject)?
        /// The types by entity and name.
        var types: [[String]: any Any.Type] = [:]
    }

    private static let entries = Locked<[ObjectIdentifier: Entry]>([:])

    /// Adds a type to those of a store's entity.
    ///
    /// - Throws: ``PersistenceError`` if another type of the same name keeps its elements there, and one of the two is
    ///   private or in a function.
    static func add(
        _ type: any Any.Type, named name: String, to entity: String, of store: some PersistenceAdapter
    ) throws {
        // A value has no identity.
        guard Swift.type(of: store) is AnyClass, let store = store as? any PersistenceAdapter & AnyObject else {
            return
        }
        let known = entries.withLock { entries in
            if entries[ObjectIdentifier(store)]?.store !== store {
                entries = entries.filter { $0.value.store != nil }
                entries[ObjectIdentifier(store)] = Entry(store: store)
            }
            let known = entries[ObjectIdentifier(store)]?.types[[entity, name]]
            if known == nil { entries[ObjectIdentifier(store)]?.types[[entity, name]] = type }
            return known ?? type
        }
        if known == type || !(isLocal(known) || isLocal(type)) { return }
        throw PersistenceError(
            .schemaChange,
            "'\(entity)' keeps elements of another type that is named '\(name)' too, in another function or file: rename "
                + "one of the types, or give this type an entity of its own")
    }

    private static func isLocal(_ type: any Any.Type) -> Bool {
        String(reflecting: type).contains("(unknown context at ")
    }
}
