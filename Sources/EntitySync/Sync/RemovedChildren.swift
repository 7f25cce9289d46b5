import SyncPersistence

/// The children that their owners no longer list.
///
/// They are deleted at the end of a sync, because a later object of the payload may list a child again, under the same
/// owner or another.
struct RemovedChildren {
    /// The children by the link that was removed.
    private var children: [Link: Child] = [:]

    /// The number of children that were added, including those that were kept later.
    private(set) var count = 0

    /// A link from a child to its former owner.
    struct Link: Hashable {
        /// The child, with the name of its hierarchy's root.
        let id: RecordID
        /// The slot in which one record stores the key of the other; for links, the name of the relationship.
        let slot: String
        /// The key of the former owner.
        let owner: Value
    }

    /// A child, and the list that no longer has it.
    struct Child {
        /// The link that was removed.
        let link: Link
        /// The entity of the child.
        let map: EntityMap
        /// The entity of the owner.
        let entity: String
        /// The relationship whose list no longer has the child.
        let relationship: RelationshipMap
        /// The place of the list, for reports.
        let place: Place
        /// The number of children that were added before.
        fileprivate var number = 0
    }

    /// Whether no list has lost a child.
    var isEmpty: Bool { children.isEmpty }

    /// The children in the order in which they were added.
    var all: [Child] { children.values.sorted { $0.number < $1.number } }

    /// Whether a child was removed from a relationship of its owner.
    func contains(_ link: Link) -> Bool { children[link] != nil }

    /// Adds a child that its owner no longer lists.
    mutating func add(_ child: Child) {
        var child = child
        child.number = count
        children[child.link] = child
        count += 1
    }

    /// Removes a child that its owner lists again.
    mutating func keep(_ link: Link) {
        if !children.isEmpty { children[link] = nil }
    }
}

extension RemovedChildren.Child {
    init(_ id: RecordID, _ map: EntityMap, of owner: Record, _ relationship: RelationshipMap, _ place: Place) {
        let slot =
            switch relationship.storage {
            case .inverse(let slot, _): slot
            case .reference(let slot, _, _): slot
            case .links: relationship.name
            }
        link = RemovedChildren.Link(id: id, slot: slot, owner: owner.key)
        (self.map, entity, self.relationship, self.place) = (map, owner.entity, relationship, place)
    }
}
