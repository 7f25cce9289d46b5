extension ReadTransaction {
    /// Returns the records of an entity's push that was sent and not answered, in the order of the push.
    ///
    /// - Complexity: O(size of the push)
    func sentRecords(of entity: String) throws -> [SentRecord] {
        try records(Query(SentRecord.shapeName, where: .comparison(path: "entity", .equal, .string(entity))))
            .map { try SentRecord($0, schema: schema) }
    }
}

extension WriteTransaction {
    /// Stores the keys of a push before it is sent.
    ///
    /// - Complexity: O(number of keys)
    func keepInFlight(_ keys: [Value], of entity: String) throws {
        try changing {
            let shape = try shape(SentRecord.shapeName)
            for key in keys { _ = try storage.put(SentRecord.record(key, of: entity, in: shape)) }
            forgetWhatIsInFlight()
        }
    }

    /// Removes an entity's push that was answered.
    ///
    /// - Complexity: O(size of the push)
    func removeInFlight(of entity: String) throws {
        try changing {
            let query = Query(SentRecord.shapeName, where: .comparison(path: "entity", .equal, .string(entity)))
            for record in try records(query) { _ = try storage.remove(record.key, in: record.shape) }
            forgetWhatIsInFlight()
        }
    }

    private func forgetWhatIsInFlight() {
        hasNotes = true
        hasInFlight = nil
        for state in hierarchies.values { state.entitiesInFlight = nil }
    }

    /// Stores the sent version of a record in flight before the record changes.
    ///
    /// - Parameter old: The record as it was sent; nil for a deletion.
    /// - Complexity: O(1)
    func saveSent(_ old: Record?, _ key: Value, in state: HierarchyState) throws {
        if hasInFlight == false { return }
        for entity in try entitiesInFlight(of: state) {
            let shape = try shape(SentRecord.shapeName)
            guard var sent = try storage.record(SentRecord.key(key, of: entity), in: shape), sent["image"].isNull else {
                continue
            }
            sent["image"] = .string(SentRecord.Image(record: old).text)
            _ = try storage.put(sent)
            hasNotes = true
        }
    }

    private func entitiesInFlight(of state: HierarchyState) throws -> [String] {
        if let known = state.entitiesInFlight { return known }
        let hasInFlight = try hasInFlight ?? (storage.count(Query(SentRecord.shapeName, limit: 1)) > 0)
        self.hasInFlight = hasInFlight
        var entities: [String] = []
        if hasInFlight && (state.root.role == nil || state.root.role == .links) {
            for shape in schema.shapes + schema.internalShapes where shape.root == state.root.name {
                let query = Query(
                    SentRecord.shapeName, where: .comparison(path: "entity", .equal, .string(shape.name)), limit: 1)
                if try storage.count(query) > 0 { entities.append(shape.name) }
            }
        }
        state.entitiesInFlight = entities
        return entities
    }
}
