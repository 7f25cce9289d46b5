import DifferentialSync

// One store may have several collections, and its user may change the account between their cycles. If a collection has
// not begun a cycle, its records were made under the account of the other collections.

extension CycleState {
    /// Returns the other account that a collection without an account belongs to, and the entity that has it.
    ///
    /// Returns nil if the collection's records may be sent to the given account.
    ///
    /// - Complexity: O(number of entities)
    func foreignAccount(
        than account: String, in transaction: ReadTransaction
    ) throws -> (account: String, entity: String)? {
        if self.account != nil { return nil }
        var foreign: (account: String, entity: String)?
        if let inheritedAccount {
            if inheritedAccount == account { return nil }
            foreign = (inheritedAccount, entity)
        } else {
            foreign = try transaction.accounts(except: entity).first { $0.account != account }
        }
        return try foreign != nil && transaction.hasRecords(of: entity) ? foreign : nil
    }

    /// Marks the records of collections without an account as made under the account that this collection leaves.
    ///
    /// - Complexity: O(number of entities)
    func leaveAccount(for account: String?, _ changes: inout ChangeSet, in transaction: ReadTransaction) throws {
        guard let old = self.account, old != account else { return }
        for other in transaction.collectionNames where other != entity {
            let name = CycleMetadata.inheritedAccount(of: other)
            guard try transaction.metadata(CycleMetadata.account(of: other)) == nil,
                try transaction.metadata(name) == nil, try transaction.hasRecords(of: other)
            else { continue }
            changes.setMetadata(name, old)
        }
    }
}

extension ReadTransaction {
    /// Returns the account that the store's records may belong to, if it is not the given one; nil if they may be sent
    /// there.
    ///
    /// It is that of the whole store, or, before the store was synchronized as a whole, one of its collections.
    ///
    /// - Complexity: O(number of entities)
    package func foreignAccount(than account: String) throws -> String? {
        if let known = try storeAccount() { return known == account ? nil : known }
        for name in collectionNames {
            let known =
                try metadata(CycleMetadata.account(of: name)) ?? metadata(CycleMetadata.inheritedAccount(of: name))
            if let known, known != account, try hasRecords(of: name) { return known }
        }
        return nil
    }

    /// The names of all possible collections with cycles: entities, and links of relationships.
    fileprivate var collectionNames: [String] {
        schema.shapes.map(\.name) + schema.internalShapes.filter { $0.role == .links }.map(\.name)
    }

    /// The accounts of the store's other collections.
    fileprivate func accounts(except entity: String) throws -> [(account: String, entity: String)] {
        try collectionNames.compactMap { name in
            guard name != entity, let account = try metadata(CycleMetadata.account(of: name)) else { return nil }
            return (account, name)
        }
    }

    /// Whether an entity has records or unsent deletions.
    fileprivate func hasRecords(of entity: String) throws -> Bool {
        for name in [entity, JournalShape.name(of: entity)] {
            if try !records(Query(name, limit: 1)).isEmpty { return true }
        }
        return false
    }
}
