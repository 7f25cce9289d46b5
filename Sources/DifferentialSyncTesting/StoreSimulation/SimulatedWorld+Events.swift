import StoreSync
import SyncPersistence

extension SimulatedWorld {
    /// Checks that a page has no record outside its scope.
    mutating func checkScope(of page: PullResponse, for device: Int) {
        guard let scope = environment.scope(of: page) else { return }
        do {
            let allowed = try scope.records(of: service.disk.content)
            for entry in page.entries {
                let id = entry.id.rooted(in: service.disk.content.schema)
                switch entry.state {
                case .present:
                    if !allowed.contains(id) {
                        report.addFault(.leak, "device \(device) receives \(id), which is outside its scope")
                    }
                    if devices[device].left.remove(id) != nil { report.count(.returnToScope) }
                case .outOfScope:
                    if devices[device].disk.content.has(id) {
                        devices[device].left.insert(id)
                        report.count(.leftScope)
                    }
                case .deleted: break
                }
            }
        } catch {
            report.addFault(.error, "the service's store cannot be read: \(error)")
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
        let schema = service.disk.content.schema
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
            ledger.addReceivedDeletion(of: entry.id.rooted(in: service.disk.content.schema), on: device)
        }
    }
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
