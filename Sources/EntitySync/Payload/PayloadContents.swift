import SyncPersistence

/// The lists of a payload.
struct PayloadContents {
    /// The lists whose objects are stored.
    var lists: [ObjectList] = []
    /// The lists of deleted records.
    var deletions: [DeletionList] = []

    /// The objects of one entity that are compared with the stored records of its scope.
    struct ObjectList {
        /// The entity, the scope and the operations of the list.
        let root: SyncRoot
        /// The objects.
        let payload: any Payload
        /// Whether the remote may have more objects than are listed, so that nothing is deleted.
        let isPartial: Bool
    }

    /// A list of keys, or of objects with keys, whose records the remote has deleted.
    struct DeletionList {
        /// The entity, the scope and the operations of the list.
        let root: SyncRoot
        /// The keys, or objects with keys, and their places.
        let elements: [(value: Value, place: Place)]
    }
}

/// An object that is not part of a list, such as the answer to an upload.
struct SingleObject {
    /// The object; nil if the server states nothing about it.
    var object: ValueObject?
    /// The place of the object.
    var place = Place.root
    /// The included objects of other records, and their entities.
    var included: [(value: Value, place: Place, map: EntityMap)] = []
}
