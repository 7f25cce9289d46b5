import SyncPersistence

/// The plans of all shapes of a schema, created on first use.
final class ExportPlans {
    let schema: Schema
    let options: ExportOptions
    let format: JSONFormat
    private let families: [String: EntityFamily]
    private let entities: [String: Entity]
    private var plans: [ObjectIdentifier: ExportPlan] = [:]

    /// - Throws: `PersistenceError` for names in the options that the schema does not have.
    init(_ schema: Schema, _ options: ExportOptions, _ format: JSONFormat) throws {
        self.schema = schema
        self.options = options
        self.format = format
        families = EntityFamily.families(of: schema.entities)
        entities = Dictionary(schema.entities.map { ($0.name, $0) }) { first, _ in first }
        for (entity, names) in options.properties.sorted(by: { $0.key < $1.key }) { try check(names, of: entity) }
    }

    /// The plan of a shape.
    ///
    /// - Throws: `PersistenceError` if keys exclude each other.
    func plan(of shape: Shape) throws -> ExportPlan {
        if let plan = plans[ObjectIdentifier(shape)] { return plan }
        let plan = try makePlan(of: shape)
        plans[ObjectIdentifier(shape)] = plan
        return plan
    }

    private func check(_ names: Set<String>, of entity: String) throws {
        let heirs = families.values.filter { $0.lineage.contains(entity) }
        if heirs.isEmpty {
            throw PersistenceError(.unknownName, "the export options name '\(entity)', which is no entity: correct it")
        }
        for name in names.sorted()
        where !heirs.contains(where: { $0.attribute(named: name) != nil || $0.relationship(named: name) != nil }) {
            throw PersistenceError(
                .unknownName, "the export options name '\(name)', which '\(entity)' does not have: correct it",
                property: name)
        }
    }
}

extension ExportPlans {
    private func makePlan(of shape: Shape) throws -> ExportPlan {
        guard let family = families[shape.name] else {
            throw PersistenceError(.unknownName, "'\(shape.name)' is kept by the library: it is not exported")
        }
        let discriminator = family.lineage.lazy.compactMap {
            self.entities[$0]?.userInfo[EntityVocabulary.discriminator]
        }.first
        let names = ExportNames(family, discriminator: discriminator, options)
        var (tree, key) = (ExportTree(entity: shape.name), ExportTree(entity: shape.name))
        if let discriminator {
            let value = entities[shape.name]?.userInfo[EntityVocabulary.discriminatorValue] ?? shape.name
            let member = ExportTree.Leaf.constant(.string(value))
            try tree.add(member, at: ExportPath(key: discriminator), for: EntityVocabulary.discriminator)
            try key.add(member, at: ExportPath(key: discriminator), for: EntityVocabulary.discriminator)
        }
        let keyNames = keyNames(of: shape, family)
        // The paths of attributes that are a parent's key, by the relationship to the parent.
        var parentKeys: [String: [[String]]] = [:]
        for declared in family.attributes {
            let attribute = declared.definition
            guard isExported(attribute), let exported = exported(attribute, of: shape) else { continue }
            let path = names.path(of: attribute)
            // The discriminator replaces an attribute that stores it.
            if let discriminator, path.keys == [discriminator] { continue }
            if keyNames.contains(attribute.name) {
                try key.add(.attribute(exported), at: path, for: attribute.name)
            }
            guard isIncluded(attribute.name, family) else { continue }
            try tree.add(.attribute(exported), at: path, for: attribute.name)
            if case .parent(let relationship, _) = attribute.source {
                parentKeys[relationship, default: []].append(path.keys)
            }
        }
        let attributes = tree.members(format)
        let isKeyExported = family.attributes.count { keyNames.contains($0.name) && isExported($0.definition) }
        var relationships: [ExportedRelationship] = []
        if options.relationships != .none, options.depthLimit ?? 1 > 0 {
            for relationship in shape.relationships {
                let definition = relationship.definition
                guard options.includesNonExportable || definition.isExportable, isIncluded(definition.name, family),
                    let destination = schema[definition.destination]
                else { continue }
                let id = id(of: destination)
                let path = names.path(of: definition, asIDs: id != nil)
                if id != nil, let keys = parentKeys[definition.name], keys.contains(path.keys) { continue }
                try tree.add(.relationship(relationships.count), at: path, for: definition.name)
                relationships.append(exported(relationship, path, to: destination, id))
            }
        }
        return ExportPlan(
            shape, members: tree.members(format), attributes: attributes,
            key: keyNames.isEmpty || isKeyExported < keyNames.count ? [] : key.members(format),
            relationships: relationships, sources: sources(of: shape, family, relationships))
    }

    /// The attributes of a shape whose values come from the place of its records in the document.
    private func sources(
        of shape: Shape, _ family: EntityFamily, _ relationships: [ExportedRelationship]
    ) -> ExportedSources {
        let attributes = family.attributes.map(\.definition).filter {
            isExported($0) && isIncluded($0.name, family)
        }
        let hasDiscriminator = family.lineage.contains { entity in
            self.entities[entity]?.userInfo[EntityVocabulary.discriminator] != nil
        }
        return ExportedSources(
            attributes.compactMap { attribute in exported(attribute, of: shape).map { (attribute, $0) } }, of: shape,
            hasElements: !hasDiscriminator)
    }

    private func isExported(_ attribute: Attribute) -> Bool { options.includesNonExportable || attribute.isExportable }

    private func isIncluded(_ name: String, _ family: EntityFamily) -> Bool {
        let names = family.lineage.lazy.compactMap { self.options.properties[$0] }.first
        return names?.contains(name) ?? true
    }

    private func exported(_ attribute: Attribute, of shape: Shape) -> ExportedAttribute? {
        shape.slot(named: attribute.name).map {
            ExportedAttribute(
                name: attribute.name, slot: $0, omitsNull: attribute.type == .json && attribute.defaultValue.isNull,
                isKey: shape.keySlots == [$0] || attribute.userInfo[EntityVocabulary.parentAttribute] != nil,
                transformer: attribute.transformer.flatMap { options.transformers[$0]?.toRemote })
        }
    }

    private func exported(
        _ relationship: ShapeRelationship, _ path: ExportPath, to destination: Shape, _ id: ExportedAttribute?
    ) -> ExportedRelationship {
        let definition = relationship.definition
        let inverse = definition.inverse.flatMap { destination.relationship(named: $0) }
        let wrappers = options.relationships == .nested ? [] : definition.listPath?.inner ?? []
        let attributes = schema.hierarchy(of: destination).flatMap { families[$0.name]?.attributes ?? [] }
        return ExportedRelationship(
            relationship: relationship, isToMany: definition.isToMany,
            impliedInverse: inverse.flatMap { $0.definition.isToMany ? nil : $0.definition.name },
            depth: path.keys.count + wrappers.count + (definition.isToMany ? 1 : 0), id: id, wrappers: wrappers,
            hasParts: definition.isToMany && inverse?.definition.isToMany != true
                && (families[destination.name].map { keyNames(of: destination, $0).isEmpty } ?? false),
            mayBeElements: attributes.contains { $0.definition.isElement },
            // Where objects stand in wrappers, they are read from an array.
            mayBeMap: definition.listPath == nil && attributes.contains { $0.definition.isMapKey })
    }

    /// The names of the attributes that identify the records of a shape: the parts of the primary key, or the flagged
    /// attributes of an entity without one.
    private func keyNames(of shape: Shape, _ family: EntityFamily) -> Set<String> {
        let names = shape.keySlots.map { shape.slots[$0].name }
        if names != [Schema.implicitKey] { return Set(names) }
        return Set(family.attributes.filter(\.definition.isFlaggedKey).map(\.name))
    }

    /// The attribute that is exported where ids replace records; nil if objects are written.
    private func id(of destination: Shape) -> ExportedAttribute? {
        guard options.relationships == .ids, destination.keySlots.count == 1, let family = families[destination.name],
            let attribute = family.attribute(named: destination.slots[destination.keySlots[0]].name)?.definition,
            isExported(attribute)
        else { return nil }
        return exported(attribute, of: destination)
    }
}
