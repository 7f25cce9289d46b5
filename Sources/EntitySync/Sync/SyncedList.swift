import SyncPersistence

/// A list of objects, the entity that they are synced into, and their comparison with the stored records.
final class SyncedList {
    let request: SyncRequest
    let payload: any Payload
    let scope: SyncScope
    /// How its elements are identified.
    let keys: ElementKeys
    /// The comparison; empty until the list is compared.
    var comparison = ListComparison()

    /// The entity.
    var map: EntityMap { keys.map }

    init(_ list: PayloadContents.ObjectList, _ map: EntityMap, in run: SyncRun) throws {
        (request, payload) = (list.request, list.payload)
        scope = try SyncScope(request, map, isPartial: list.isPartial, in: run)
        keys = ElementKeys(map: map, mapper: run.mapper, parent: scope.parent)
    }

    /// Whether the list is compared with the remembered one, and remembered: it has all objects of its entity, and how
    /// they become records depends on nothing else.
    var isComplete: Bool {
        let options = request.options
        return options.usesPayloadMemory && request.operations == .all && scope.deletes && scope.parent == nil
            && options.origin != .agreed && options.transformers.values.allSatisfy { $0.pureVersion != nil }
    }

    /// Whether unlisted records are deleted.
    var deletesUnlisted: Bool {
        scope.deletes && !payload.isOneObject && !comparison.isPartial && !comparison.isUnusable
    }
}
