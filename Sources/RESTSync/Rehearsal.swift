import EntitySync
import StoreSync
import SyncPersistence

/// What a mirror makes of a push with one change, in a transaction that is rolled back.
struct Rehearsal: Sendable {
    /// The response if the server accepts the change unchanged.
    let response: PushResponse

    /// The change that the server must receive; nil if the mirror does not accept it, or has it already.
    let change: Change?

    /// Whether only the place of the record or link in an order has changed, for which there is no request.
    private(set) var isReordering = false

    /// What the server's answer changes; nil without an answer.
    private(set) var amended: (id: RecordID, values: [String: Value], key: Value?)?

    /// A change, before it has a name.
    struct Change: Sendable {
        let kind: RESTChange.Kind
        let record: RecordID
        let link: RESTChange.Link?
        let object: Value
        let changes: Value

        var isRecordDeletion: Bool { link == nil && kind == .deletion }

        func change(_ name: String, _ attempt: Int) -> RESTChange {
            RESTChange(
                kind: kind, record: record, link: link, object: object, changes: changes, name: name, attempt: attempt)
        }
    }

    /// Makes the change of a push and applies the server's answer.
    ///
    /// - Parameter answer: Updates a record from the server's answer; returns nil if there is none.
    init(
        _ request: PushRequest, _ service: SyncService, _ export: RESTExport, in transaction: WriteTransaction,
        _ answer: (RecordID) throws -> Record?
    ) throws {
        guard let id = request.mutations.first?.id, let shape = transaction.schema[id.entity] else {
            (response, change) = (try service.push(request, in: transaction), nil)
            return
        }
        let old = try transaction.record(id)
        let former = old == nil || shape.role != nil ? nil : try transaction.export(id, options: export.options)
        response = try service.push(request, in: transaction)
        let new = try transaction.record(id)
        guard old != new, let changed = new ?? old else {
            change = nil
            return
        }
        if let old, let new, new.differsInPlacesAlone(from: old) {
            (change, isReordering) = (nil, true)
            return
        }
        let kind: RESTChange.Kind = old == nil ? .insertion : new == nil ? .deletion : .update
        if shape.role == .links {
            guard let (record, link) = export.ends(of: changed) else {
                change = nil
                return
            }
            let object = try transaction.export(record, options: export.options) ?? .null
            change = Change(kind: kind, record: record, link: link, object: object, changes: [:])
            _ = try answer(record)
            return
        }
        var options = export.options
        if let old, let new {
            // A removed link is null. Any other null may be a link to a record that was never fetched.
            options.nullTargets = Set(
                new.changedNames(since: old).filter { name in
                    new.shape.slot(named: name).map { !new.shape.slots[$0].isInternal } ?? true
                })
        }
        let object = try new.flatMap { try transaction.export($0.id, options: options) } ?? former ?? .null
        var changes = kind == .insertion ? object : [:]
        if kind == .update, let new {
            options.properties[new.entity] = options.nullTargets
            changes = try transaction.export(new.id, options: options) ?? [:]
        }
        change = Change(kind: kind, record: changed.id, link: nil, object: object, changes: changes)
        if let new, let final = try answer(new.id) {
            // References may lead to records of the same answer; the device pulls these.
            let names = final.shape.slots.indices.filter { position in
                if case .reference = final.shape.slots[position].content { return false }
                return final.shape == new.shape && !final.shape.keySlots.contains(position)
                    && final.values[position] != new.values[position]
            }.map { final.shape.slots[$0].name }
            let values = Dictionary(names.map { ($0, final[$0]) }) { first, _ in first }
            amended = (final.id, values, final.key == new.key ? Optional.none : final.key)
        }
    }
}

/// The form in which changes are sent.
struct RESTExport: Sendable {
    /// The options, which leave out relationships whose links are sent with other records.
    ///
    /// A new list is sent before its to-dos. A server that stores the whole object and returns it would therefore state
    /// for good that the list is empty.
    let options: ExportOptions

    /// A relationship whose links are sent with the record that has it, and the end of the links at which that is.
    private typealias Sender = (relationship: String, end: LinkEnd)

    /// The senders, by the name of the links; those that are missing are sent with their source.
    private let senders: [String: Sender]

    /// Creates the form.
    ///
    /// - Parameter links: The relationships whose links are sent with the record that has the relationship.
    init(options: ExportOptions, links: [String], schema: Schema) {
        var senders: [String: Sender] = [:]
        for path in links {
            let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
            guard parts.count == 2, let relationship = schema[parts[0]]?.relationship(named: parts[1]),
                case .links(let name, let end) = relationship.storage, senders[name] == nil
            else { continue }
            senders[name] = (path, end)
        }
        self.senders = senders
        let ends = senders.mapValues(\.end)
        var options = options
        options.includesRelationship = { relationship in
            switch relationship.storage {
            case .reference: true
            case .inverse: false
            case .links(let name, let end): end == .both || end == ends[name] ?? .source
            }
        }
        self.options = options
    }

    /// Returns the record that a link is sent with, and the other end.
    func ends(of link: Record) -> (RecordID, RESTChange.Link)? {
        let (name, end) = senders[link.entity] ?? (link.entity, .source)
        guard let record = link.end(end.near), let target = link.end(end.far) else { return nil }
        return (record, RESTChange.Link(relationship: name, target: target))
    }
}

extension Record {
    /// Whether no other values differ from those of another record than places in ordered relationships.
    fileprivate func differsInPlacesAlone(from other: Record) -> Bool {
        changedNames(since: other).allSatisfy { name in
            shape.slot(named: name).map { shape.slots[$0].isInternal } ?? false
        }
    }

    /// Returns the record at an end of a link.
    fileprivate func end(_ name: String) -> RecordID? {
        guard let position = shape.slot(named: name),
            case .reference(let entity, _, _) = shape.slots[position].content
        else { return nil }
        return RecordID(entity, values[position])
    }
}
