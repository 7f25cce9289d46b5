import SyncPersistence

/// A list of objects, the entity that they are synced into, and their comparison with the stored records.
final class SyncedList {
    /// The entity, scope and options of the list.
    let request: SyncRequest
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
        (request, payload) = (list.request, list.payload)
        scope = try SyncScope(request, map, isPartial: list.isPartial, in: run)
        keys = ElementKeys(map: map, mapper: run.mapper, parent: scope.parent)
    }

    /// Whether the list can be remembered, and compared with the remembered one.
    ///
    /// It must contain all objects of its entity, and nothing else may influence their records.
    var isComplete: Bool {
        let options = request.options
        return options.usesPayloadMemory && request.operations == .all && scope.deletes && scope.parent == nil
            && options.origin != .agreed && options.transformers.values.allSatisfy { $0.pureVersion != nil }
    }
}
