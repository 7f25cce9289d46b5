import SyncPersistence

/// The use of an object's members, determined once for all objects with the same names.
final class Plan {
    /// An object with the names of the plan.
    let example: ValueObject
    /// The members with values of attributes, except for the key.
    let attributes: [(member: Int, attribute: AttributeMap)]
    /// The members that contain values in nested objects.
    let paths: [(member: Int, tree: PathTree<PropertyLeaf>)]
    /// The members with values of relationships.
    let relationships: [RelationshipMembers]
    /// The members that are ignored because another member of the same attribute takes precedence.
    let duplicates: [(member: Int, of: Int)]
    /// The member of each part of the key; nil if it is missing or in a nested object.
    let keyMembers: [Int?]
    /// The members that match nothing in the schema.
    let unknown: [Int]

    /// The number of the last statement of an object of the plan, in `PayloadStatements`; -1 for none.
    var statement = -1

    /// Whether the sync has listed the unknown members.
    var hasReportedUnknown = false

    /// The members of one relationship.
    struct RelationshipMembers {
        /// The index of the relationship in the entity.
        let relationship: Int
        /// The member with objects, or with either objects or keys.
        var objects: Int?
        /// Whether that member may contain keys.
        var objectsMayBeKeys = false
        /// The member with keys.
        var ids: Int?
    }

    /// Determines the use of the members of an object.
    ///
    /// - Complexity: O(*n* log *n*) for *n* names
    init(for object: ValueObject, _ names: PropertyNames, of map: EntityMap) {
        var paths: [(member: Int, tree: PathTree<PropertyLeaf>)] = []
        var duplicates: [(member: Int, of: Int)] = []
        var unknown: [Int] = []
        var ranks: [Int: (rank: Int, member: Int)] = [:]
        var links: [Int: [(rank: Int, member: Int, form: RelationshipForm)]] = [:]
        /// Records a member that another member of the same attribute replaces.
        func leaveOut(_ member: (rank: Int, member: Int), for other: (rank: Int, member: Int)) {
            if member.rank == PropertyNames.Use.aliasRank, other.rank < member.rank {
                unknown.append(member.member)
            } else if other.rank > 0 || member.rank == 0 {
                duplicates.append((member.member, other.member))
            }
        }
        let flagNames = map.flagNames
        for (member, name) in object.names.enumerated() {
            let uses = names.uses(of: name)
            if uses.isEmpty, name != map.discriminator, !flagNames.contains(name) { unknown.append(member) }
            for use in uses {
                switch use.target {
                case .attribute(let attribute):
                    let found = (rank: use.rank, member: member)
                    if let known = ranks[attribute], known.rank < use.rank {
                        leaveOut(found, for: known)
                    } else {
                        if let known = ranks[attribute] { leaveOut(known, for: found) }
                        ranks[attribute] = found
                    }
                case .relationship(let relationship, let form):
                    links[relationship, default: []].append((use.rank, member, form))
                case .paths(let tree): paths.append((member, tree))
                }
            }
        }
        example = object
        (self.paths, self.duplicates, self.unknown) = (paths, duplicates, unknown)
        attributes = ranks.sorted { $0.key < $1.key }.compactMap { attribute, use in
            map.keyParts.contains(attribute) ? nil : (use.member, map.attributes[attribute])
        }
        keyMembers = map.keyParts.map { ranks[$0]?.member }
        relationships = links.sorted { $0.key < $1.key }.map { relationship, uses in
            var members = RelationshipMembers(relationship: relationship)
            // The lowest rank takes precedence; for equal ranks, the last member.
            for use in uses.sorted(by: { $0.rank > $1.rank }) {
                if use.form == .ids {
                    members.ids = use.member
                } else {
                    members.objects = use.member
                    members.objectsMayBeKeys = use.form == .either
                }
            }
            return members
        }
    }
}
