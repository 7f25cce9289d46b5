/// The types of the collections that were opened in this process, to distinguish types of one name.
///
/// The stored name of a type is the same in each process. Private types of several files, and types of several
/// functions, can therefore share a name. Within one process, their identity distinguishes them.
enum LocalTypes {
    /// A store, and the types of its collections.
    private struct Entry: Sendable {
        weak var store: (any PersistenceAdapter & AnyObject)?
        /// The types by entity and name.
        var types: [[String]: any Any.Type] = [:]
    }

    /// The entries, by the identity of their store.
    private static let entries = Locked<[ObjectIdentifier: Entry]>([:])

    /// Adds a type to those of a store's entity.
    ///
    /// - Throws: ``PersistenceError`` if another type of the same name stores its elements there, and one of the two is
    ///   private or in a function.
    static func add(
        _ type: any Any.Type, named name: String, to entity: String, of store: some PersistenceAdapter
    ) throws {
        // Only an object has an identity.
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

    /// Whether a type is declared within a function.
    private static func isLocal(_ type: any Any.Type) -> Bool {
        String(reflecting: type).contains("(unknown context at ")
    }
}
