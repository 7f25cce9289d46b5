/// The change of names in the links of synced payloads that wait for missing records.
///
/// A store keeps them by the names of entities and relationships, and by tokens that depend on the names of hierarchies.
struct PendingLinkMigration {
    /// The schema before the change.
    private let old: Schema
    /// The schema after the change.
    private let new: Schema
    /// The new names of older definitions.
    private let renaming: SchemaRenaming
    /// The older entities with what they inherit.
    private let families: [String: EntityFamily]
    /// The store after the change.
    private let storage: any RecordStorage
    /// The rows of the links.
    private let rows: PayloadRows

    /// The tokens after the change, by those before.
    private var tokens: [Int64: Int64] = [:]
    /// The entities of the records with pending links, by the tokens before the change.
    private var owners: [Int64: String] = [:]

    /// Begins to change the names.
    ///
    /// - Parameter storage: The store when its records have been converted, under the newer schema.
    init(from old: Schema, in storage: any RecordStorage) {
        (self.old, self.storage, new) = (old, storage, storage.schema)
        renaming = SchemaRenaming(from: old, to: storage.schema)
        families = EntityFamily.families(of: old.entities)
        let store = ReadTransaction(on: storage)
        rows = PayloadRows(of: store, MetadataLog(of: store))
    }

    /// Changes the names in all links and lists.
    ///
    /// - Complexity: O(1) for a store without pending links; otherwise O(number of pending links), and O(number of
    ///   records) of renamed hierarchies
    mutating func run() throws {
        guard try rows.content(PendingList.family, PendingList.count) != nil else { return }
        let links = try contents(of: PendingLink.family) { PendingLink($0) }
        let lists = try contents(of: PendingList.family) { PendingList($0) }.filter { $0.number != PendingList.count }
        for link in links.flatMap(\.values) { addTokens(of: link) }
        try addTokensOfRecords()
        try replace(links, in: PendingLink.family) { renamed($1).value }
        try replace(lists, in: PendingList.family) { renamed($1, of: owners[$0]).value }
    }

    /// Returns the contents of a family's rows.
    private func contents<Content>(
        of family: String, _ read: (Value) -> Content?
    ) throws -> [(number: Int64, values: [Content])] {
        try rows.numbers(of: family).map { ($0, try rows.values(family, $0).compactMap(read)) }
    }
}

extension PendingLinkMigration {
    /// Adds the tokens of a link's records.
    private mutating func addTokens(of link: PendingLink) {
        guard let owner = old[link.entity], let owned = new[renaming.entity(link.entity)],
            let target = owner.relationship(named: link.relationship).flatMap({ old[$0.definition.destination] })
        else { return }
        addToken(of: link.owner, owner, owned)
        owners[token(of: link.owner, owner)] = link.entity
        if let now = new[renaming.entity(target.name)] { addToken(of: link.key, target, now) }
    }

    /// Adds the tokens of all records of renamed hierarchies, because lists contain records that are not missing too.
    private mutating func addTokensOfRecords() throws {
        for root in old.roots where root.role == nil {
            guard let now = new[renaming.entity(root.name)], now.name != root.name else { continue }
            for record in try storage.records(of: now.name) { addToken(of: record.key, root, now) }
        }
    }

    /// Adds the token of a record before and after the change.
    private mutating func addToken(of key: Value, _ before: Shape, _ after: Shape) {
        tokens[token(of: key, before)] = token(of: key, after)
    }

    /// Returns the token of a record.
    private func token(of key: Value, _ shape: Shape) -> Int64 {
        Int64(bitPattern: RecordToken.record(key, of: shape))
    }

    /// Returns a link under the new names.
    private func renamed(_ link: PendingLink) -> PendingLink {
        PendingLink(
            entity: renaming.entity(link.entity), owner: link.owner,
            relationship: relationship(link.relationship, of: link.entity), key: link.key, meanwhile: link.meanwhile)
    }

    /// Returns a list under the new names.
    private func renamed(_ list: PendingList, of entity: String?) -> PendingList {
        func renamed(_ token: Value) -> Value {
            guard case .integer(let number) = token, let now = tokens[number] else { return token }
            return .integer(now)
        }
        return PendingList(
            relationship: entity.map { relationship(list.relationship, of: $0) } ?? list.relationship,
            listed: list.listed.map(renamed), missing: Set(list.missing.map(renamed)))
    }

    /// Returns the new name of a relationship.
    private func relationship(_ name: String, of entity: String) -> String {
        families[entity]?.relationship(named: name).map { renaming.property($0) } ?? name
    }

    /// Writes rows under their new numbers, with their contents under the new names.
    private func replace<Content>(
        _ former: [(number: Int64, values: [Content])], in family: String, _ value: (Int64, Content) -> Value
    ) throws {
        for row in former where tokens[row.number] != nil { try rows.setValues([], family, row.number) }
        for row in former {
            try rows.setValues(
                row.values.map { value(row.number, $0) }, family, tokens[row.number] ?? row.number)
        }
    }
}
