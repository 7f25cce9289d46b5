public import SyncPersistence

/// A local change of one record that an app sends to a server with its own code.
///
/// It stores the version that was read, so that a later edit does not count as sent:
///
/// ```swift
/// for upload in try await store.uploads(of: "User") {
///     let answer = try await api.send(upload)
///     try await store.accept(upload, answer: answer)
/// }
/// ```
public struct Upload: Hashable, Sendable {
    /// The record.
    public let id: RecordID

    /// The record as the remote is known to have it; nil if it does not have it.
    public let base: Record?

    /// The record as it should be at the remote; nil if it was deleted locally.
    public let record: Record?

    /// The changed links that are sent with the record.
    let links: [Link]

    /// A changed link: the remote's version and the local version.
    struct Link: Hashable, Sendable {
        /// The link as the remote is known to have it; nil if it has none.
        let base: Record?
        /// The link to be sent; nil if it was removed.
        let present: Record?
    }

    /// The kinds of local changes.
    ///
    /// For most servers, each has a method of its own:
    ///
    /// ```swift
    /// let method =
    ///     switch upload.kind {
    ///     case .insertion: "POST"
    ///     case .edit: "PATCH"
    ///     case .deletion: "DELETE"
    ///     }
    /// ```
    public enum Kind: Hashable, Sendable {
        /// The record was inserted.
        case insertion
        /// Values or links of the record were changed.
        case edit
        /// The record was deleted.
        case deletion
    }
}

extension Upload {
    /// The kind of the local change.
    public var kind: Kind { record == nil ? .deletion : base == nil ? .insertion : .edit }

    /// The names of the locally changed values; none for an inserted or deleted record.
    ///
    /// An export writes them as JSON:
    ///
    /// ```swift
    /// var options = ExportOptions(relationships: .ids)
    /// options.properties[upload.id.entity] = Set(upload.changedNames)
    /// options.writesNullTargets = true  // so that a removed link reaches the server
    /// let changes = try await store.export(upload.id, options: options)
    /// ```
    ///
    /// - Complexity: O(number of values)
    public var changedNames: [String] {
        guard let base, let record else { return [] }
        return record.changedNames(since: base).filter { name in
            record.shape.slot(named: name).map { !record.shape.slots[$0].isInternal } ?? true
        }
    }
}

extension ReadTransaction {
    /// Returns the local changes of an entity's records that should be sent, sorted by key.
    ///
    /// Unresolved conflicts are not sent. The owner of a record, and its position in an ordered list, are changes of
    /// that record, not of the owner.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - relationships: The relationships stored in links, such as many-to-many ones, whose changed links are sent
    ///     with the records.
    /// - Throws: `PersistenceError` if the entity or a relationship does not exist, or if the store cannot be read.
    /// - Complexity: O(*d* log *d*) for *d* changed records and links
    public func uploads(of entity: String, with relationships: [String] = []) throws -> [Upload] {
        let root = try shape(entity).root
        var links: [Value: [Upload.Link]] = [:]
        for name in relationships { try collectLinks(of: name, entity, into: &links) }
        var uploads: [Upload] = []
        for entry in try journal(of: root) where !entry.isUnresolved {
            let record = try record(RecordID(root, entry.id.key))
            guard let shape = (record ?? entry.base)?.shape, shape.inherits(entity) else { continue }
            let own = links.removeValue(forKey: entry.id.key) ?? []
            let upload = Upload(id: RecordID(shape.name, entry.id.key), base: entry.base, record: record, links: own)
            if upload.kind != .edit || !upload.changedNames.isEmpty || !own.isEmpty { uploads.append(upload) }
        }
        for (key, own) in links {
            // If the record was deleted on both sides, so were its links.
            guard let record = try record(RecordID(entity, key)) else { continue }
            if try journalEntry(RecordID(root, key)) != nil { continue }
            uploads.append(Upload(id: record.id, base: record, record: record, links: own))
        }
        return uploads.sorted { Value.areInIncreasingOrder($0.id.key, $1.id.key) }
    }

    /// Adds the changed links of a relationship by the keys of their records.
    private func collectLinks(of name: String, _ entity: String, into links: inout [Value: [Upload.Link]]) throws {
        guard case .links(let shape, let end) = try relationship(name, of: entity).storage else { return }
        for entry in try journal(of: shape) where !entry.isUnresolved {
            let present = try record(entry.id)
            guard let link = present ?? entry.base else { continue }
            // If both ends have one relationship, each link is in two rows.
            let ends = end == .both ? Set([link["source"], link["target"]]) : [link[end.near]]
            for key in ends { links[key, default: []].append(Upload.Link(base: entry.base, present: present)) }
        }
    }
}
