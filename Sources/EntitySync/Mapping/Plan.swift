import SyncPersistence

/// Which members of an object are used for what: made once for all objects with the same names.
final class Plan {
    /// An object with the names that the plan is for.
    let example: ValueObject
    /// The members that are attributes' values, those of the key left out.
    private(set) var attributes: [(member: Int, attribute: AttributeMap)] = []
    /// The members in which values stand deeper.
    private(set) var paths: [(member: Int, tree: PathTree)] = []
    /// The members that are relationships' values.
    private(set) var relationships: [RelationshipMembers] = []
    /// Members of the same attribute besides the one that counts.
    private(set) var duplicates: [(member: Int, of: Int)] = []
    /// The member of each part of the key; nil where it stands deeper, or is missing.
    private(set) var keyMembers: [Int?] = []
    /// The members that nothing is known of.
    private(set) var unknown: [Int] = []

    /// The members of one relationship.
    struct RelationshipMembers {
        let relationship: Int
        /// The member with objects, or with what may be either.
        var objects: Int?
        /// Whether keys may stand there too.
        var objectsMayBeKeys = false
        /// The member with keys.
        var ids: Int?
    }

    init(for object: ValueObject, _ names: PropertyNames, of map: EntityMap) {
        example = object
        var ranks: [Int: (rank: Int, member: Int)] = [:]
        var links: [Int: [(rank: Int, member: Int, form: RelationshipForm)]] = [:]
        for (member, name) in object.names.enumerated() {
            let uses = names.uses(of: name)
            if uses.isEmpty { unknown.append(member) }
            for use in uses {
                switch use.target {
                case .attribute(let attribute):
                    if let known = ranks[attribute], known.rank < use.rank {
                        duplicates.append((member, known.member))
                    } else {
                        if let known = ranks[attribute] { duplicates.append((known.member, member)) }
                        ranks[attribute] = (use.rank, member)
                    }
                case .relationship(let relationship, let form):
                    links[relationship, default: []].append((use.rank, member, form))
                case .paths(let tree): paths.append((member, tree))
                }
            }
        }
        for (attribute, use) in ranks.sorted(by: { $0.key < $1.key }) where !map.keyParts.contains(attribute) {
            attributes.append((use.member, map.attributes[attribute]))
        }
        keyMembers = map.keyParts.map { ranks[$0]?.member }
        for (relationship, uses) in links.sorted(by: { $0.key < $1.key }) {
            var members = RelationshipMembers(relationship: relationship)
            // The lowest rank counts, and of equal ones the last.
            for use in uses.sorted(by: { $0.rank > $1.rank }) {
                if use.form == .ids {
                    members.ids = use.member
                } else {
                    members.objects = use.member
                    members.objectsMayBeKeys = use.form == .either
                }
            }
            relationships.append(members)
        }
    }
}
