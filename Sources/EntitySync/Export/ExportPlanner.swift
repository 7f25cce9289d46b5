import SyncPersistence

/// Determines the exported properties of the records of each shape, and their keys.
///
/// The plan of a shape is created on first use.
final class ExportPlanner {
    /// The schema of the exported store.
    let schema: Schema
    /// The options that the caller has specified.
    let options: ExportOptions
    /// The layout of the JSON, with which keys are encoded once for all objects.
    let format: JSONFormat
    /// The entities with their inherited properties, by name.
    private let families: [String: EntityFamily]
    /// The entities of the schema by name.
    private let entities: [String: Entity]
    /// The plans that were created, by shape.
    private var plans: [ObjectIdentifier: ExportPlan] = [:]

    /// Creates a planner for a schema.
    ///
    /// - Throws: `PersistenceError` if the options contain names that the schema does not have.
    init(_ schema: Schema, _ options: ExportOptions, _ format: JSONFormat) throws {
        self.schema = schema
        self.options = options
        self.format = format
        families = EntityFamily.families(of: schema.entities)
        entities = Dictionary(schema.entities.map { ($0.name, $0) }) { first, _ in first }
        for (entity, names) in options.properties.sorted(by: { $0.key < $1.key }) { try check(names, of: entity) }
    }

    /// Returns the plan of a shape.
    ///
    /// - Throws: `PersistenceError` if keys exclude each other.
    func plan(of shape: Shape) throws -> ExportPlan {
        if let plan = plans[ObjectIdentifier(shape)] { return plan }
        let plan = try makePlan(of: shape)
        plans[ObjectIdentifier(shape)] = plan
        return plan
    }

    /// Throws if an entity has no property with one of the names in the options.
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

extension ExportPlanner {
    /// Creates the plan of a shape.
    ///
    /// - Throws: `PersistenceError` with the code `unknownName` for a shape of the library's own records.
    private func makePlan(of shape: Shape) throws -> ExportPlan {
        guard let family = families[shape.name] else {
            throw PersistenceError(.unknownName, "'\(shape.name)' is kept by the library: it is not exported")
        }
        let discriminator = discriminator(of: family)
        let keyNames = keyNames(of: shape, family)
        var properties: [Property] = []
        var identifying: [Property] = []
        if let discriminator {
            let value = entities[shape.name]?.userInfo[EntityVocabulary.discriminatorValue] ?? shape.name
            properties = [(EntityVocabulary.discriminator, [discriminator], .constant(.string(value)))]
            identifying = properties
        }
        // The paths of attributes that are a parent's key, by the relationship to the parent.
        var parentKeys: [String: [[String]]] = [:]
        for declared in family.attributes {
            let attribute = declared.definition
            guard isExported(attribute), let exported = exported(attribute, of: shape) else { continue }
            let path = path(of: attribute, in: family)
            // The discriminator replaces an attribute that stores it.
            if let discriminator, path == [discriminator] { continue }
            let property: Property = (attribute.name, path, .attribute(exported))
            if keyNames.contains(attribute.name) { identifying.append(property) }
            guard isIncluded(attribute.name, family) else { continue }
            properties.append(property)
            if case .parent(let relationship, _) = attribute.source {
                parentKeys[relationship, default: []].append(path)
            }
        }
        let attributes = try members(properties, of: shape.name)
        let key = try members(identifying, of: shape.name)
        let isKeyExported =
            keyNames.count == family.attributes.count { keyNames.contains($0.name) && isExported($0.definition) }
        var relationships: [ExportedRelationship] = []
        if options.relationships != .none, options.depthLimit ?? 1 > 0 {
            for relationship in shape.relationships {
                let definition = relationship.definition
                let isDefault = options.includesRelationship(relationship)
                guard options.includesNonExportable || definition.isExportable,
                    isIncluded(definition.name, family, isDefault: isDefault),
                    let destination = schema[definition.destination]
                else { continue }
                let id = id(of: destination)
                let path = path(of: definition, asIDs: id != nil)
                if id != nil, let keys = parentKeys[definition.name], keys.contains(path) { continue }
                properties.append((definition.name, path, .relationship(relationships.count)))
                relationships.append(exported(relationship, depth: path.count, to: destination, id))
            }
        }
        return ExportPlan(
            shape, members: try members(properties, of: shape.name), attributes: attributes,
            key: keyNames.isEmpty || !isKeyExported ? [] : key, relationships: relationships,
            sources: sources(of: shape, family))
    }

    /// A property, the keys that lead to it, and its content.
    private typealias Property = (name: String, path: [String], content: ExportPlan.Member.Content)

    /// Arranges properties as the members of an object.
    ///
    /// Some members are objects that contain the others.
    ///
    /// The members are in the order of the properties, or sorted by their keys if the format requires it.
    ///
    /// - Throws: `PersistenceError` if the path of a property, or a part of it, belongs to another property.
    private func members(_ properties: [Property], of entity: String, depth: Int = 0) throws -> [ExportPlan.Member] {
        // Keys are compared by their Unicode scalars, as the names of an object are.
        var positions: [Value: Int] = [:]
        var groups: [(key: String, properties: [Property])] = []
        for property in properties {
            let key = property.path[depth]
            if let position = positions[.string(key)] {
                groups[position].properties.append(property)
            } else {
                positions[.string(key)] = groups.count
                groups.append((key, [property]))
            }
        }
        if format.contains(.sortedNames) {
            groups.sort { Value.areInIncreasingOrder(.string($0.key), .string($1.key)) }
        }
        return try groups.map { key, properties in
            let end = properties.firstIndex { $0.path.count == depth + 1 }
            if let end, properties.count > 1 {
                let (first, other) = (properties[0], properties[max(end, 1)])
                throw PersistenceError.keyClash(entity, (first.name, first.path), (other.name, other.path))
            }
            let content =
                try end.map { properties[$0].content }
                ?? .object(members(properties, of: entity, depth: depth + 1))
            return ExportPlan.Member(key: ExportPlan.Key(key, format), content: content)
        }
    }

    /// Returns the attributes of a shape whose values come from the place of its records in the document.
    private func sources(of shape: Shape, _ family: EntityFamily) -> ExportedSources {
        let attributes = family.attributes.map(\.definition).filter {
            isExported($0) && isIncluded($0.name, family)
        }
        return ExportedSources(
            attributes.compactMap { attribute in exported(attribute, of: shape).map { (attribute, $0) } }, of: shape,
            hasElements: discriminator(of: family) == nil)
    }

    /// Returns the key whose value names the entity of an object in a hierarchy.
    func discriminator(of family: EntityFamily) -> String? {
        family.lineage.lazy.compactMap { self.entities[$0]?.userInfo[EntityVocabulary.discriminator] }.first
    }

    /// Whether the values of an attribute are written.
    ///
    /// An attribute that is flagged as not exportable is written only on request.
    private func isExported(_ attribute: Attribute) -> Bool { options.includesNonExportable || attribute.isExportable }

    /// Whether the options include a property of an entity, or of the nearest ancestor that they list.
    ///
    /// - Parameter isDefault: Whether a property is included if neither is listed.
    private func isIncluded(_ name: String, _ family: EntityFamily, isDefault: Bool = true) -> Bool {
        let names = family.lineage.lazy.compactMap { self.options.properties[$0] }.first
        return names?.contains(name) ?? isDefault
    }

    /// Returns the form in which an attribute is exported; nil if the shape does not have it.
    private func exported(_ attribute: Attribute, of shape: Shape) -> ExportedAttribute? {
        shape.slot(named: attribute.name).map {
            ExportedAttribute(
                name: attribute.name, type: attribute.type, slot: $0,
                omitsNull: attribute.type == .json && attribute.defaultValue.isNull,
                isKey: shape.keySlots == [$0] || attribute.userInfo[EntityVocabulary.parentAttribute] != nil,
                transformer: attribute.transformer.flatMap { options.transformers[$0]?.toRemote })
        }
    }

    /// Returns how a relationship is written.
    ///
    /// - Parameters:
    ///   - relationship: The relationship.
    ///   - depth: How many wrappers its path leads through.
    ///   - destination: The shape of the related records.
    ///   - id: The attribute that is written in place of an object; nil if related records are written as objects.
    private func exported(
        _ relationship: ShapeRelationship, depth: Int, to destination: Shape, _ id: ExportedAttribute?
    ) -> ExportedRelationship {
        let definition = relationship.definition
        let inverse = definition.inverse.flatMap { destination.relationship(named: $0) }
        let wrappers = options.relationships == .nested ? [] : definition.listPath?.inner ?? []
        let attributes = schema.hierarchy(of: destination).flatMap { families[$0.name]?.attributes ?? [] }
        return ExportedRelationship(
            relationship: relationship, isToMany: definition.isToMany,
            impliedInverse: inverse.flatMap { $0.definition.isToMany ? nil : $0.definition.name },
            depth: depth + wrappers.count + (definition.isToMany ? 1 : 0), id: id, wrappers: wrappers,
            hasParts: definition.isToMany && inverse?.definition.isToMany != true
                && (families[destination.name].map { keyNames(of: destination, $0).isEmpty } ?? false),
            mayBeElements: attributes.contains { $0.definition.isElement },
            // Objects within wrappers are read from an array.
            mayBeMap: definition.listPath == nil && attributes.contains { $0.definition.isMapKey })
    }

    /// Returns the names of the attributes that identify the records of a shape: the primary key, or the flagged
    /// attributes of an entity without one.
    private func keyNames(of shape: Shape, _ family: EntityFamily) -> Set<String> {
        let names = shape.keySlots.map { shape.slots[$0].name }
        if names != [Schema.implicitKey] { return Set(names) }
        return Set(family.attributes.filter(\.definition.isFlaggedKey).map(\.name))
    }

    /// Returns the attribute that replaces records if keys are exported; nil if objects are written.
    private func id(of destination: Shape) -> ExportedAttribute? {
        guard options.relationships == .ids, destination.keySlots.count == 1, let family = families[destination.name],
            let attribute = family.attribute(named: destination.slots[destination.keySlots[0]].name)?.definition,
            isExported(attribute)
        else { return nil }
        return exported(attribute, of: destination)
    }
}
