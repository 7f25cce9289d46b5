import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ExportGraph {
    /// Writes the object of a node with all nested objects.
    ///
    /// It is recursive. The nesting is limited to 512 levels.
    ///
    /// - Parameter isNamed: Whether the object is a member of a map, so that its name replaces an attribute.
    func write(_ position: Int, isNamed: Bool = false, to sink: inout some ExportSink) throws {
        let plan = nodes[position].plan
        if nodes[position].isElement, let element = plan.sources.element,
            isNamed || plan.sources.mapKey.map({ nodes[position].values[$0.slot].isNull }) ?? true
        {
            return try write(nodes[position].values[element.slot], element, of: position, to: &sink)
        }
        let named = isNamed ? plan.sources.mapKey?.slot : nil
        sink.beginObject()
        switch nodes[position].form {
        case .whole: try write(plan.members, of: position, but: named, to: &sink)
        case .attributes: try write(plan.attributes, of: position, but: named, to: &sink)
        case .key: try write(plan.key, of: position, but: named, to: &sink)
        }
        sink.endObject()
    }

    /// Writes the members of an object, except for the attribute that is its name in a map.
    private func write(
        _ members: [ExportPlan.Member], of node: Int, but named: Int?, to sink: inout some ExportSink
    ) throws {
        for member in members {
            switch member.content {
            case .constant(let value):
                sink.key(member.key)
                try sink.value(value)
            case .attribute(let attribute):
                let value = nodes[node].values[attribute.slot]
                if attribute.omits(value) || attribute.slot == named { continue }
                sink.key(member.key)
                try write(value, attribute, of: node, to: &sink)
            case .relationship(let position):
                if isWritten(position, of: node) { try write(position, of: node, under: member.key, to: &sink) }
            case .object(let members):
                guard members.contains(where: { isWritten($0, of: node) }) else { continue }
                sink.key(member.key)
                sink.beginObject()
                try write(members, of: node, but: named, to: &sink)
                sink.endObject()
            }
        }
    }

    /// Whether a member is written: an omitted null and an object whose members are all omitted are not.
    func isWritten(_ member: ExportPlan.Member, of node: Int) -> Bool {
        switch member.content {
        case .constant: true
        case .attribute(let attribute): !attribute.omits(nodes[node].values[attribute.slot])
        case .relationship(let position): isWritten(position, of: node)
        case .object(let members): members.contains { isWritten($0, of: node) }
        }
    }

    /// Whether a relationship of a node is written.
    func isWritten(_ position: Int, of node: Int) -> Bool {
        guard let range = ranges[nodes[node].firstRange + position] else { return false }
        let relationship = nodes[node].plan.relationships[position]
        if relationship.isToMany { return true }
        if range.isEmpty { return writesNull(relationship.relationship, of: nodes[node]) }
        return relationship.id != nil || !nodes[range.lowerBound].isEmpty
    }

    /// Writes a relationship of a node.
    private func write(_ position: Int, of node: Int, under key: ExportPlan.Key, to sink: inout some ExportSink) throws
    {
        guard let range = ranges[nodes[node].firstRange + position] else { return }
        let relationship = nodes[node].plan.relationships[position]
        sink.key(key)
        if !relationship.isToMany, range.isEmpty {
            try sink.value(.null)
        } else if !relationship.isToMany {
            try writeTarget(range.lowerBound, of: relationship, in: node, to: &sink)
        } else if style == .nested {
            let targets = range.filter { !nodes[$0].isEmpty }
            // Names are sorted by their characters: 0, 1, 10, 2.
            let numbers = isSorted ? targets.indices.map(String.init).sorted() : targets.indices.map(String.init)
            sink.beginObject()
            for number in numbers {
                sink.key(ExportPlan.Key(number, format))
                try write(targets[Int(number) ?? 0], to: &sink)
            }
            sink.endObject()
        } else if let members = mapNames(range, of: relationship) {
            sink.beginObject()
            for member in members {
                sink.key(ExportPlan.Key(member.name, format))
                try write(member.node, isNamed: true, to: &sink)
            }
            sink.endObject()
        } else {
            sink.beginArray()
            for target in range where relationship.id != nil || !nodes[target].isEmpty {
                sink.element()
                for wrapper in relationship.wrappers {
                    sink.beginObject()
                    sink.key(ExportPlan.Key(wrapper, format))
                }
                try writeTarget(target, of: relationship, in: node, to: &sink)
                for _ in relationship.wrappers { sink.endObject() }
            }
            sink.endArray()
        }
    }

    /// Writes a target of a relationship: an object, or the value or key that replaces it.
    private func writeTarget(
        _ target: Int, of relationship: ExportedRelationship, in node: Int, to sink: inout some ExportSink
    ) throws {
        guard let id = relationship.id else { return try write(target, to: &sink) }
        try write(ids[target], id, of: node, to: &sink)
    }

    /// Writes the value of an attribute.
    private func write(
        _ value: Value, _ attribute: ExportedAttribute, of node: Int, to sink: inout some ExportSink
    ) throws {
        do {
            try sink.value(exported(value, attribute, keepsCases: sink.keepsCases))
        } catch {
            throw PersistenceError.notRepresentable(error, nodes[node].record, attribute.name)
        }
    }

    /// Returns the value of an attribute in its exported form.
    private func exported(_ value: Value, _ attribute: ExportedAttribute, keepsCases: Bool) throws -> Value {
        if let transformer = attribute.transformer, !value.isNull { return try transformer(value) ?? .null }
        switch value {
        case .bytes(let bytes) where !keepsCases: return BytesContent.remoteValue(of: bytes)
        case .date(let date):
            if case .custom(let text) = dates { return text(date) }
            return value
        default: return value
        }
    }
}
