extension MigrationRun {
    /// The number of records that an error lists for a step.
    private static let listedCount = 5

    /// Local changes that a step would lose.
    private struct Loss {
        /// The first records whose changes would be lost, for the error.
        var records: [String] = []
        /// The number of all of them.
        var count = 0
    }

    /// Requires that no step loses unsent local changes, unless it is allowed to.
    ///
    /// - Complexity: O(number of local changes in the hierarchies that change)
    func checkUnsentChanges(_ storage: any RecordStorage) throws {
        var losses: [String: Loss] = [:]
        for root in migration.old.roots where migration.changesRecords(of: root) {
            guard case .journal(let entity)? = root.role, let shape = migration.old[entity] else { continue }
            try storage.forEach(Query(root.name)) { record in
                let entry = try JournalEntry(record, schema: migration.old)
                let present = try storage.record(entry.id.key, in: shape)
                if entry.base == present { return true }
                for (step, text) in try whatIsLost(from: entry.base, to: present) where !step.losesUnsentChanges {
                    var loss = losses[step.description] ?? Loss()
                    loss.count += 1
                    if loss.records.count < Self.listedCount { loss.records.append(text) }
                    losses[step.description] = loss
                }
                return true
            }
        }
        if losses.isEmpty { return }
        throw SchemaChanges.refusal(
            losses.sorted { $0.key < $1.key }.map { step, loss in
                let rest = loss.count - loss.records.count
                return
                    "'\(step)' would lose local changes that were not sent: \(loss.records.sorted().joined(separator: ", "))"
                    + (rest > 0 ? " and \(rest) more" : "")
                    + ". Open the store with the older schema and synchronize, or pass 'losingUnsentChanges: true'"
            })
    }

    /// Returns the steps that lose differences between two images of a record, with the lost names.
    private func whatIsLost(from base: Record?, to present: Record?) throws -> [(step: MigrationStep, text: String)] {
        guard let record = present ?? base else { return [] }
        guard let conversion = migration.conversions[record.entity] else {
            return migration.droppedShapes[record.entity].map { [($0, text(record))] } ?? []
        }
        // A deletion is sent in any case.
        guard let present else { return [] }
        let former = base?.shape == present.shape ? base : nil
        let isChanged = present.shape.slots.indices.map { position in
            let value = present.values[position]
            guard let former else { return !value.isNull && value != present.shape.slots[position].defaultValue }
            return value != former.values[position]
        }
        var losses = conversion.dropped.compactMap { position, step in
            isChanged[position] ? (step, text(present, present.shape.slots[position])) : nil
        }
        for (slot, source) in zip(conversion.shape.slots, conversion.slots) {
            guard let position = source.position, isChanged[position] else { continue }
            if let step = droppedTarget(of: present.values[position], source, slot) {
                losses.append((step, text(present, slot)))
            }
        }
        return try losses + whatBecomesEqual(of: present, conversion, since: former, isChanged)
    }

    /// Returns the steps after which a changed value equals the converted unchanged one.
    private func whatBecomesEqual(
        of present: Record, _ conversion: RecordConversion, since former: Record?, _ isChanged: [Bool]
    ) throws -> [(step: MigrationStep, text: String)] {
        guard let former, conversion.slots.contains(where: { $0.convert != nil || $0.fill != nil }),
            let now = try image(present), let before = try image(former)
        else { return [] }
        return conversion.slots.indices.compactMap { index in
            let source = conversion.slots[index]
            guard let position = source.position, isChanged[position], now.values[index] == before.values[index],
                let step = source.convert ?? source.fill
            else { return nil }
            return (step, text(present, conversion.shape.slots[index]))
        }
    }

    /// Returns what an unsent change concerns, for the error that refuses to lose it.
    private func text(_ record: Record, _ slot: Slot? = nil) -> String {
        let links = "sync.links.", order = "sync.position."
        if record.entity.hasPrefix(links) {
            return "a link of '\(record.entity.dropFirst(links.count))' (\(record["source"]), \(record["target"]))"
        }
        guard let slot else { return "\(record.id)" }
        if slot.name.hasPrefix(order) { return "\(record.id), its place in '\(slot.name.dropFirst(order.count))'" }
        return "\(record.id).\(slot.name)"
    }
}
