#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A property of an entity, as a codable type reads and writes it.
struct ColumnProperty: Sendable {
    /// The name of the attribute or relationship.
    let name: String
    /// The types of the value, or of the key of a related record: one, or the parts of a composite key.
    let types: [AttributeType]
    /// Where a store keeps it.
    let place: Place

    /// Where a property is stored.
    enum Place: Sendable, Equatable {
        /// In a slot of the record, which has this position in records of the entity itself.
        case slot(String, at: Int)
        /// In other records.
        case links(isToMany: Bool)
    }

    /// Whether the record does not store it.
    var isLinked: Bool { if case .links = place { true } else { false } }

    /// Returns the position of its slot in records of a shape; nil if other records store it.
    func position(in shape: Shape) -> Int? {
        guard case .slot(let name, let position) = place else { return nil }
        if position < shape.slots.count, shape.slots[position].name == name { return position }
        return shape.slot(named: name)
    }

    /// Whether an encoded value is stored as it is, so that equal elements have equal stored values.
    func isExact(_ encoded: Value) -> Bool {
        types.count == 1 && types[0] != .json && types[0].admits(encoded)
    }

    /// Returns the stored value of an encoded one that is no list; nil if the property cannot store it.
    func stored(_ encoded: Value) -> Value? {
        if types.count == 1 { return types[0].stored(encoded) }
        if encoded.isNull { return encoded }
        guard case .array(let parts) = encoded, parts.count == types.count else { return nil }
        let keys = zip(types, parts).compactMap { $0.stored($1) }
        return keys.count == parts.count ? .array(keys) : nil
    }

    /// Returns the keys of the records that an encoded value names; nil if it has another form.
    func keys(_ encoded: Value) -> [Value]? {
        if encoded.isNull { return [] }
        guard place == .links(isToMany: true) else { return stored(encoded).map { [$0] } }
        guard case .array(let elements) = encoded else { return nil }
        let keys = elements.compactMap { $0.isNull ? nil : stored($0) }
        return keys.count == elements.count ? keys : nil
    }
}

extension ColumnProperty {
    /// Returns the properties of a shape by the names that a type has for them.
    ///
    /// The name `id` also stands for a primary key of another name.
    static func properties(of shape: Shape, in schema: Schema) -> [String: ColumnProperty] {
        var properties: [String: ColumnProperty] = [:]
        for (position, slot) in shape.slots.enumerated() where !slot.isInternal {
            properties[slot.name] = ColumnProperty(
                name: slot.name, types: slot.columnTypes, place: .slot(slot.name, at: position))
        }
        for relationship in shape.relationships {
            let definition = relationship.definition
            if case .reference(let name, _, _) = relationship.storage, let slot = shape.slot(named: name) {
                properties[definition.name] = ColumnProperty(
                    name: definition.name, types: shape.slots[slot].columnTypes, place: .slot(name, at: slot))
            } else if let destination = schema[definition.destination] {
                properties[definition.name] = ColumnProperty(
                    name: definition.name,
                    types: destination.keySlots.flatMap { destination.slots[$0].columnTypes },
                    place: .links(isToMany: definition.isToMany))
            }
        }
        if properties["id"] == nil, shape.keySlots.count == 1 {
            let position = shape.keySlots[0]
            let slot = shape.slots[position]
            properties["id"] = ColumnProperty(
                name: slot.name, types: slot.columnTypes, place: .slot(slot.name, at: position))
        }
        return properties
    }
}

extension AttributeType {
    /// Returns the value of this type from which a decoder reads what was encoded; nil if there is none.
    fileprivate func stored(_ encoded: Value) -> Value? {
        if admits(encoded) { return encoded }
        switch (self, encoded) {
        case (.double, .integer), (.decimal, .integer), (.decimal, .double), (.integer, .double), (.integer, .decimal),
            (.string, .uuid), (.string, .url), (.string, .date), (.url, .string):
            return converted(encoded)
        case (.uuid, .string(let text)):
            // Text that is written in another way would be read back as other text.
            guard case .uuid(let uuid)? = converted(encoded), uuid.uuidString == text else { return nil }
            return .uuid(uuid)
        case (.json, _): return encoded.jsonForm
        default: return nil
        }
    }
}

extension Value {
    /// The JSON from which a decoder reads the same content; nil if there is none.
    ///
    /// Bytes, dates, UUIDs and locators become text, and a decimal becomes a number with the same digits.
    fileprivate var jsonForm: Value? {
        switch self {
        case .bytes(let bytes): return .string(bytes.base64EncodedString())
        case .date(let date): return date.internetText.map { .string($0) }
        case .uuid(let uuid): return .string(uuid.uuidString)
        case .url(let url): return .string(url.absoluteString)
        case .decimal:
            if let integer = AttributeType.integer.converted(self) { return integer }
            guard let double = AttributeType.double.converted(self),
                AttributeType.decimal.converted(double) == self
            else { return nil }
            return double
        case .array(let elements):
            let forms = elements.compactMap(\.jsonForm)
            return forms.count == elements.count ? .array(forms) : nil
        case .object(let object):
            let forms = object.values.compactMap(\.jsonForm)
            return forms.count == object.values.count
                ? .object(ValueObject(names: object.names, values: forms)) : nil
        default: return isJSON() ? self : nil
        }
    }
}
