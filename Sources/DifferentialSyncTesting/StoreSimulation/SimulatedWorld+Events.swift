import StoreSync
import SyncPersistence

extension SimulatedWorld {
    /// Counts an event for the result of the simulation, which tests inspect to prove that a fault occurred at all.
    mutating func count(_ event: SimulationEvent) { events[event, default: 0] += 1 }

    /// Counts what is unusual about a request that arrives: a copy, a late one, or one that has overtaken another.
    ///
    /// Tests check that a run of many seeds has met each of these.
    mutating func countArrival(of message: SimulatedMessage) {
        if message.isCopy {
            count(.duplicatedRequest)
        } else if !devices[message.device].awaits(message) {
            count(.delayedRequest)
        }
        if network.isOvertaken(by: message) { count(.reorderedRequest) }
    }

    /// Counts what an answer says, and checks that a page has no record outside of the device's scope.
    mutating func check(_ answer: SimulatedMessage.Answer, to request: SimulatedMessage.Request, of device: Int) {
        switch answer {
        case .handshake(let response):
            guard case .handshake(let request) = request, let cursor = request.cursor else { return }
            if response.epoch != cursor.epoch {
                if !devices[device].isElsewhere { count(.epochChange) }
            } else if cursor.sequence < response.horizon {
                count(.passedHorizon)
            }
        case .pull(let page):
            if page.hasMore { count(.cutPage) }
            if devices[device].isBehindRelay && !page.entries.isEmpty { count(.relayedPull) }
            if let scope = environment.scope(of: page) { check(page, against: scope, of: device) }
        case .push(let response):
            let acceptedCount = response.outcomes.count(where: \.isAccepted)
            if acceptedCount > 0 && acceptedCount < response.outcomes.count { count(.partialFailure) }
            if devices[device].isBehindRelay && acceptedCount > 0 { count(.relayedPush) }
            for outcome in response.outcomes {
                switch outcome {
                case .accepted(.some, _): count(.amendment)
                case .refused: count(.refusal)
                case .unauthorized: count(.changeOutsideScope)
                default: break
                }
            }
        case .failed(.throttled): count(.throttling)
        case .failed: break
        }
    }

    /// Checks that a page has no record outside a scope.
    private mutating func check(_ page: PullResponse, against scope: SyncScope, of device: Int) {
        do {
            let allowed = try scope.records(of: service.content)
            for entry in page.entries {
                let id = entry.id.rooted(in: service.content.schema)
                switch entry.state {
                case .present:
                    if !allowed.contains(id) {
                        addFault(.leak, "device \(device) receives \(id), which is outside its scope")
                    }
                    if devices[device].left.remove(id) != nil { count(.returnToScope) }
                case .outOfScope:
                    if devices[device].content.has(id) {
                        devices[device].left.insert(id)
                        count(.leftScope)
                    }
                case .deleted: break
                }
            }
        } catch {
            addFault(.error, "the service's store cannot be read: \(error)")
        }
    }
}

extension SimulatedWorld {
    /// Forgives the deletions that a page has kept a device from sending, because the records are outside its scope, and
    /// which the device reports.
    ///
    /// A change of scope is no such reason: what was deleted before is sent first.
    mutating func forgiveDeletionsOutsideScope(of page: PullResponse, on device: Int) {
        guard let scope = environment.scope(of: page) else { return }
        let schema = service.content.schema
        let reported = (devices[device].cycle?.outcome ?? devices[device].outcome)?.left ?? []
        let left = Set(page.entries.filter { $0.state == .outOfScope }.map { $0.id.rooted(in: schema) })
        let isNewScope =
            devices[device].hasChangedScope && scope == devices[device].scope.map { environment.scopes[$0] }
        ledger.forgive(edits: { _ in false }) { id, deleter in
            deleter == device && reported.contains(id) && (left.contains(id) || !isNewScope)
        }
    }

    /// Adds the links whose deletion a device has received.
    mutating func addReceivedDeletions(of page: PullResponse, on device: Int) {
        for entry in page.entries where entry.state == .deleted {
            ledger.addReceivedDeletion(of: entry.id.rooted(in: service.content.schema), on: device)
        }
    }
}

extension PushResponse.Outcome {
    /// Whether the service has made the change, perhaps amended.
    fileprivate var isAccepted: Bool { if case .accepted = self { true } else { false } }
}

extension RecordID {
    /// The key under the name of the hierarchy's root.
    func rooted(in schema: Schema) -> RecordID { RecordID(schema[entity]?.root ?? entity, key) }
}

extension SyncScope {
    /// Returns the records and links of a store that are in the scope, by the names of their roots.
    func records(of content: InMemoryContent) throws -> Set<RecordID> {
        let schema = content.schema
        var ids: Set<RecordID> = []
        for shape in schema.shapes where !shape.isAbstract && includes(shape, in: schema) {
            let filter = Filter.and(shape.lineage.compactMap { filters[$0] })
            for record in try content.read({ try $0.records(Query(shape.name, where: filter)) })
            where record.entity == shape.name {
                ids.insert(RecordID(shape.root, record.key))
            }
        }
        for shape in schema.internalShapes where shape.role == .links && includes(shape, in: schema) {
            ids.formUnion(try content.read { try $0.keys(of: shape.name) }.map { RecordID(shape.root, $0) })
        }
        return ids
    }

    /// Whether the scope has records of an entity, or links of a relationship.
    func includes(_ shape: Shape, in schema: Schema) -> Bool {
        guard let entities else { return true }
        if shape.role != .links { return !entities.isDisjoint(with: shape.lineage) }
        return shape.slots.allSatisfy { slot in
            guard case .reference(let entity, _, _) = slot.content, let end = schema[entity] else { return true }
            return includes(end, in: schema)
        }
    }
}
