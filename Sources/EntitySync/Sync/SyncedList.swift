import SyncPersistence

/// A list of objects, the entity that they are synced into, and their comparison with the stored records.
final class SyncedList {
    /// The entity, scope and operations of the list.
    let root: SyncRoot
    /// The objects of the list.
    let payload: any Payload
    /// The stored records that the list is compared with.
    let scope: SyncScope
    /// The rules that identify the elements of the list.
    let keys: ElementKeys
    /// The comparison; empty until the list is compared.
    var comparison = ListComparison()

    /// The entity of the list.
    var map: EntityMap { keys.map }

    /// Creates a list that is not compared yet.
    init(_ list: PayloadContents.ObjectList, _ map: EntityMap, in run: SyncRun) throws {
        (root, payload) = (list.root, list.payload)
        scope = try SyncScope(root, map, isPartial: list.isPartial, in: run)
        keys = ElementKeys(map: map, mapper: run.mapper, parent: scope.parent)
    }

    /// Whether the list can be remembered, and compared with the remembered one.
    ///
    /// It must contain all objects of its entity, and nothing else may influence their records.
    func isComplete(_ options: SyncOptions) -> Bool {
        options.usesPayloadMemory && root.operations == .all && scope.deletes && scope.parent == nil
            && options.origin != .agreed && options.transformers.values.allSatisfy { $0.pureVersion != nil }
    }
}
