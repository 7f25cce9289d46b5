import DifferentialSync

/// The elements of a pull with their keys, before they are compared with the store.
struct ArrivingPull<Element: Equatable & Sendable, Key: Hashable & Sendable>: Sendable {
    /// The conversion between elements and records.
    private let coding: RecordCoding<Element, Key>
    /// The remote's version that the elements belong to.
    private let version: RemoteVersion?
    /// The elements with their keys, each once.
    private let elements: [(key: Value, element: Element)]

    /// The keys that the remote has deleted; nil if all elements of the remote were pulled.
    private let deleted: [Value]?

    /// The keys of elements that could not be read.
    private let unreadable: [Value]

    /// Reads the keys of what a remote has sent.
    ///
    /// - Throws: ``PersistenceError`` for a key that cannot be kept; `KeyError` for different elements with one key.
    init(_ pull: Pull<Element, Key>, _ coding: RecordCoding<Element, Key>) throws {
        self.coding = coding
        switch pull {
        case .nothing: (version, elements, deleted, unreadable) = (nil, [], nil, [])
        case .everything(let all, let version, let keys):
            self.version = version
            elements = try ArrivingPull.keyed(all, coding, in: "remote")
            deleted = nil
            unreadable = try keys.map(coding.value)
        case .changes(let changed, let keys, let version, let unreadable):
            self.version = version
            elements = try ArrivingPull.keyed(changed, coding, in: "changed")
            deleted = try keys.map(coding.value)
            self.unreadable = try unreadable.map(coding.value)
        }
    }

    /// Returns elements with their keys.
    ///
    /// - Throws: `KeyError` if two elements have one key.
    private static func keyed(
        _ elements: [Element], _ coding: RecordCoding<Element, Key>, in collection: String
    ) throws -> [(key: Value, element: Element)] {
        var positions: [Value: Int] = [:]
        positions.reserveCapacity(elements.count)
        var keyed: [(key: Value, element: Element)] = []
        keyed.reserveCapacity(elements.count)
        for (position, element) in elements.enumerated() {
            let key = try coding.keyValue(of: element)
            if let earlier = positions.updateValue(position, forKey: key) {
                if elements[earlier] == element { continue }
                throw KeyError(
                    .duplicate, in: collection, key: coding.key(element), positions: [earlier, position])
            }
            keyed.append((key, element))
        }
        return keyed
    }
}

extension ArrivingPull {
    /// Whether all elements of the remote were pulled.
    var isEverything: Bool { deleted == nil }

    /// Returns the pull as records, and loads the part of the collection that it concerns into the window.
    ///
    /// Each record is made over the one in the shadow, so that values are kept that the element's type does not read.
    /// An element whose key has a local change of another entity's record counts as unreadable.
    ///
    /// - Parameters:
    ///   - window: The records that the step concerns.
    ///   - agreement: How the stored state of the collection relates to that of the remote.
    ///   - transaction: The transaction in which the collection is read.
    ///   - survey: The survey that examines the elements.
    func records(
        in window: inout CollectionWindow, _ agreement: Agreement, _ transaction: ReadTransaction,
        _ survey: inout MemberSurvey
    ) throws -> Pull<Record, Value> {
        let shape = try transaction.shape(coding.entity)
        var unreadable = unreadable
        func records(_ elements: [(key: Value, element: Element)]) throws -> [Record] {
            try elements.compactMap { key, element -> Record? in
                let row = try window.load(key)
                // It is pulled again after the local change of another entity's record was sent.
                if row.otherToSendFirst != nil, agreement != .otherAccount {
                    unreadable.append(key)
                    window.leftOut.insert(key)
                    return nil
                }
                return try coding.record(of: element, over: row.base ?? row.record, shape: shape)
            }
        }
        switch agreement {
        case .otherAccount: try window.loadEverything()
        case .none: try window.loadShadow()
        case .version:
            for key in try transaction.unresolvedKeys(of: coding.entity) {
                // The known version of the remote waits as one that arrives does, until the remote deletes it.
                if try window.load(key).otherToSendFirst != nil, deleted?.contains(key) == false {
                    unreadable.append(key)
                    window.leftOut.insert(key)
                }
            }
        }
        guard let version else {
            try window.loadShadow()
            return .nothing
        }
        if let deleted {
            for key in deleted { try window.load(key) }
            let changed = try records(elements)
            changed.forEach { survey.look(at: $0) }
            return .changes(changed: changed, deleted: deleted, version, unreadable: unreadable)
        }
        guard agreement == .version else {
            let all = try records(elements)
            all.forEach { survey.look(at: $0) }
            return .everything(all, version, unreadable: unreadable)
        }
        for key in try differingKeys(in: transaction, shape: shape, &survey) { try window.load(key) }
        let differing = try records(elements.filter { window.contains($0.key) })
        return .everything(differing, version, unreadable: unreadable)
    }

    /// How the stored state of a collection relates to that of a remote.
    enum Agreement { case none, version, otherAccount }

    /// Returns the keys at which the remote's elements may differ from the shadow.
    ///
    /// For a record without a journal entry, the stored row is the shadow.
    private func differingKeys(
        in transaction: ReadTransaction, shape: Shape, _ survey: inout MemberSurvey
    ) throws -> [Value] {
        let journaled = try transaction.journalKeys(of: coding.entity)
        let records = try elements.map { try coding.record(of: $0.element, shape: shape) }
        records.forEach { survey.look(at: $0) }
        let diff = try transaction.diff(wins: records, loses: coding.entity)
        return journaled + (diff?.changes ?? []).compactMap { ($0.new ?? $0.old)?.key }
    }
}
