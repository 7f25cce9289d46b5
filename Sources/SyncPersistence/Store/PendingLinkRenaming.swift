/// The change of a record's key in pending links and lists: its own, and those that refer to it.
struct PendingLinkRenaming {
    /// The change of the key.
    private let renaming: Renaming
    /// The transaction that keeps the links.
    private let transaction: WriteTransaction
    /// The tokens of the record before and after.
    private let former: Int64
    /// The token of the record under its new key.
    private let new: Int64

    /// Begins to change a key.
    init(_ renaming: Renaming, in transaction: WriteTransaction) {
        self.renaming = renaming
        self.transaction = transaction
        former = Int64(bitPattern: RecordToken.record(renaming.former, of: renaming.shape))
        new = Int64(bitPattern: RecordToken.record(renaming.new, of: renaming.shape))
    }

    /// Changes the key.
    ///
    /// - Complexity: O(number of pending links)
    func run() throws {
        guard try transaction.payloadRows.content(PendingList.family, PendingList.count) != nil else { return }
        try renameLists()
        try renameLinks()
    }

    /// Gives lists of the record, and lists that contain it, the new token.
    private func renameLists() throws {
        var lists: [Int64: [PendingList]] = [:]
        for number in try transaction.payloadRows.numbers(of: PendingList.family) where number != PendingList.count {
            lists[number] = try transaction.payloadRows.values(PendingList.family, number).compactMap {
                PendingList($0)
            }
        }
        for (number, own) in lists.sorted(by: { $0.key < $1.key }) {
            var renamed = own.map { $0.renaming(.integer(former), to: .integer(new)) }
            if number == former {
                let known = Set(renamed.map(\.relationship))
                renamed += (lists[new] ?? []).filter { !known.contains($0.relationship) }
                try transaction.payloadRows.setValues([], PendingList.family, former)
            } else if number == new, lists[former] != nil {
                continue
            }
            try transaction.payloadRows.setValues(
                renamed.map(\.value), PendingList.family, number == former ? new : number)
        }
        if lists[former] != nil && lists[new] != nil {
            try transaction.payloadRows.setValues(
                [.integer(Int64(lists.count - 1))], PendingList.family, PendingList.count)
        }
    }

    /// Gives links of the record, and links to it, the new token.
    private func renameLinks() throws {
        var moved: [Value] = []
        for number in try transaction.payloadRows.numbers(of: PendingLink.family) {
            let links = try transaction.payloadRows.values(PendingLink.family, number).compactMap { PendingLink($0) }
            let renamed = links.map { $0.renamed(by: renaming, in: transaction.schema).value }
            if number == former {
                moved = renamed
                try transaction.payloadRows.setValues([], PendingLink.family, former)
            } else if renamed != links.map(\.value) {
                try transaction.payloadRows.setValues(renamed, PendingLink.family, number)
            }
        }
        if moved.isEmpty { return }
        try transaction.payloadRows.setValues(
            transaction.payloadRows.values(PendingLink.family, new) + moved, PendingLink.family, new)
    }
}

extension PendingList {
    /// Returns the list with a token in the place of another.
    fileprivate func renaming(_ former: Value, to new: Value) -> PendingList {
        func renamed(_ token: Value) -> Value { token == former ? new : token }
        return PendingList(
            relationship: relationship, listed: listed.map(renamed), missing: Set(missing.map(renamed)))
    }
}

extension PendingLink {
    /// Returns the link with the new key, if the link has the former one.
    fileprivate func renamed(by renaming: Renaming, in schema: Schema) -> PendingLink {
        let destination = schema[entity]?.relationship(named: relationship)?.definition.destination
        let isNamed = destination.map { schema[$0]?.root == renaming.shape.root } ?? false
        func renamed(_ key: Value, _ mayBeRenamed: Bool) -> Value {
            mayBeRenamed && key == renaming.former ? renaming.new : key
        }
        return PendingLink(
            entity: entity, owner: renamed(owner, schema[entity]?.root == renaming.shape.root),
            relationship: relationship, key: renamed(key, isNamed), meanwhile: renamed(meanwhile, isNamed))
    }
}
