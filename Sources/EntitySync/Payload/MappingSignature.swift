import SyncPersistence

/// A digest of everything that determines how an object becomes records.
///
/// Digests of objects are only comparable if their signatures are equal.
enum MappingSignature {
    /// The version of the mapping code.
    ///
    /// It must be raised if the same object becomes other records.
    private static let version: Int64 = 3

    /// Returns the signature of a schema, a root and the options.
    static func of(_ schema: Schema, _ root: SyncRoot, _ options: SyncOptions) -> UInt64 {
        var digest = ContentDigest(seed: UInt64(bitPattern: version))
        digest.combine(root.entity)
        digest.combine(options.origin.rawValue)
        digest.combine(root.parent?.entity ?? "")
        digest.combine(root.parent?.key ?? .null)
        let json = options.json
        digest.combine(.integer(Int64(json.depthLimit)))
        for option in [
            json.refusesDuplicateNames, json.refusesLargeIntegers, json.readsDecimals, json.allowsTrailingCommas,
        ] {
            digest.combine(.bool(option))
        }
        digest.combine(options.fallbackEntities)
        digest.combine(options.format.rawValue)
        digest.combine(options.unlisted.mapValues(\.rawValue))
        for (entity, values) in options.constants.sorted(by: { $0.key < $1.key }) {
            digest.combine(entity)
            for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                digest.combine("c" + name)
                digest.combine(value)
            }
        }
        for entity in schema.entities {
            digest.combine(entity.name)
            digest.combine(entity.parent ?? "")
            digest.combine(entity.userInfo)
            for attribute in entity.attributes {
                digest.combine("a" + attribute.name)
                digest.combine(attribute.type.rawValue)
                digest.combine(.bool(attribute.isPrimaryKey))
                digest.combine(.bool(attribute.isOptional))
                digest.combine(attribute.remoteKey ?? "")
                digest.combine(attribute.transformer ?? "")
                // Whether there is a transformer, and its version.
                let transformer = attribute.transformer.flatMap { options.transformers[$0] }
                if let version = transformer?.pureVersion { digest.combine(.integer(Int64(version))) }
                digest.combine(attribute.userInfo)
            }
            for relationship in entity.relationships {
                digest.combine("r" + relationship.name)
                digest.combine(relationship.destination)
                digest.combine(relationship.inverse ?? "")
                digest.combine(.bool(relationship.isToMany))
                digest.combine(.bool(relationship.isOrdered))
                digest.combine(.bool(relationship.isOptional))
                digest.combine(relationship.remoteKey ?? "")
                digest.combine(relationship.userInfo)
            }
        }
        return digest.finalize()
    }
}

extension ContentDigest {
    /// Adds the entries of a dictionary, sorted by name.
    fileprivate mutating func combine(_ notes: [String: String]) {
        for (name, value) in notes.sorted(by: { $0.key < $1.key }) {
            combine(name)
            combine(value)
        }
    }
}
