import DifferentialSync

/// What was pulled, by the keys of the records, before it meets the store.
struct ArrivingPull<Element: Equatable & Sendable, Key: Hashable & Sendable>: Sendable {
    private let pull: Pull<Element, Value>
    private let coding: RecordCoding<Element, Key>

    /// - Throws: ``PersistenceError`` for a key that cannot be kept.
    init(_ pull: Pull<Element, Key>, _ coding: RecordCoding<Element, Key>) throws {
        self.coding = coding
        switch pull {
        case .nothing: self.pull = .nothing
        case .everything(let elements, let version):
            for element in elements { _ = try coding.keyValue(of: element) }
            self.pull = .everything(elements, version)
        case .changes(let changed, let deleted, let version):
            for element in changed { _ = try coding.keyValue(of: element) }
            self.pull = .changes(changed: changed, deleted: try deleted.map(coding.value), version)
        }
    }
}

extension ArrivingPull {
    /// The pull as the cycle is to have it, and the part of the collection that it concerns.
    ///
    /// Where everything was pulled and the shadow still holds, that is what differs from the shadow.
    func window(
        since known: RemoteVersion?, version: RemoteVersion?, in transaction: ReadTransaction
    ) throws -> (Pull<Element, Value>, CollectionWindow<Element, Key>) {
        switch pull {
        case .everything(let elements, let current) where known != nil && version?.epoch == current.epoch:
            let (changed, deleted) = try changes(of: elements, in: transaction)
            return try window(changed, deleted, current, in: transaction)
        case .nothing, .everything: return (pull, try CollectionWindow(everythingOf: coding, in: transaction))
        case .changes(let changed, let deleted, let current):
            return try window(changed, deleted, current, in: transaction)
        }
    }

    private func window(
        _ changed: [Element], _ deleted: [Value], _ version: RemoteVersion, in transaction: ReadTransaction
    ) throws -> (Pull<Element, Value>, CollectionWindow<Element, Key>) {
        let keys = try changed.map(coding.keyValue) + deleted
        return (
            .changes(changed: changed, deleted: deleted, version),
            try CollectionWindow(coding, in: transaction, keys: keys)
        )
    }

    /// What all elements of the remote change of the shadow.
    ///
    /// The rows of what the journal does not speak of are its shadow; of what it does, the remote's state is told
    /// whether it differs or not.
    private func changes(
        of elements: [Element], in transaction: ReadTransaction
    ) throws -> (changed: [Element], deleted: [Value]) {
        let shape = try transaction.shape(coding.entity)
        var positions: [Value: Int] = [:]
        var records: [Record] = []
        for (position, element) in elements.enumerated() {
            let record = try coding.record(of: element, shape: shape)
            if let earlier = positions.updateValue(position, forKey: record.key) {
                if elements[earlier] == element { continue }
                throw KeyError(
                    .duplicate, in: "remote", key: "\(coding.key(element))", positions: [earlier, position])
            }
            records.append(record)
        }
        var (changed, deleted): ([Element], [Value]) = ([], [])
        func tell(_ key: Value) {
            if let position = positions[key] { changed.append(elements[position]) } else { deleted.append(key) }
        }
        let journaled = try transaction.journal(of: coding.entity).map(\.id.key)
        journaled.forEach(tell)
        let told = Set(journaled)
        for change in try transaction.diff(wins: records, loses: coding.entity)?.changes ?? [] {
            guard let key = (change.new ?? change.old)?.key, !told.contains(key) else { continue }
            tell(key)
        }
        return (changed, deleted)
    }
}
