import SyncPersistence

/// One of the lists of a sync: the objects, the entity that they are synced into, and what is known of them so far.
final class SyncedList {
    let request: SyncRequest
    let payload: any Payload

    /// Whether there may be more objects than are listed, so that nothing is deleted.
    let isPartial: Bool

    var map: EntityMap?
    var scope: SyncScope?
    var work = SyncRun.Work()

    init(_ request: SyncRequest, _ payload: any Payload, isPartial: Bool = false) {
        self.request = request
        self.payload = payload
        self.isPartial = isPartial
    }

    /// The objects for which something is to be done in a phase.
    func positions(of phase: SyncPhase) -> [Int] {
        work.roots.indices.filter { (work.steps[$0] == .insert) == (phase == .inserting) }
    }
}
