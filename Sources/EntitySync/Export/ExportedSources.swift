import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The attributes whose values come from the place of a record in a document.
///
/// The place is its name in a map, or the value that replaces its object.
struct ExportedSources {
    /// An attribute of the records.
    struct Source {
        /// The attribute as it would be exported if its value were a member.
        let attribute: ExportedAttribute
        /// Its type.
        let type: AttributeType
    }

    /// An attribute that the value in place of the object does not specify.
    struct Other {
        /// The slot of the attribute.
        let slot: Int
        /// The type of the attribute.
        let type: AttributeType
        /// The value that makes a sync restore the attribute.
        let expected: Expected
    }

    /// The value that an attribute has if nothing specifies it.
    enum Expected {
        /// A constant.
        case value(Value)
        /// The value of an attribute of the owner.
        case parent(relationship: String, attribute: String)
    }

    /// The attribute whose value is the name of a record in a map.
    var mapKey: Source?
    /// The attribute whose value can replace the object of a record.
    var element: Source?
    /// The other attributes, with their values if a value replaces the object.
    var others: [Other] = []

    /// Finds the sources of the exported attributes of a shape.
    ///
    /// - Parameter hasElements: Whether values can replace objects.
    init(_ attributes: [(definition: Attribute, exported: ExportedAttribute)], of shape: Shape, hasElements: Bool) {
        for (definition, exported) in attributes {
            let source = Source(attribute: exported, type: definition.type)
            // The result of a transformer is unknown until it is written.
            if definition.isMapKey, exported.transformer == nil {
                mapKey = source
            } else if definition.isElement, exported.transformer == nil, hasElements {
                element = source
            } else {
                let expected: Expected =
                    switch definition.source {
                    case .parent(let relationship, let name): .parent(relationship: relationship, attribute: name)
                    case .constant(let value): .value(definition.type.converted(value) ?? .null)
                    case .mapKey, nil: .value(shape.slots[exported.slot].defaultValue)
                    }
                others.append(Other(slot: exported.slot, type: definition.type, expected: expected))
            }
        }
    }
}

extension ExportedSources {
    /// Whether a value in place of a record's object specifies all of its attributes, except for its name in a map.
    ///
    /// - Parameters:
    ///   - values: The values of the record.
    ///   - owner: The record whose object contains it.
    ///   - inverse: The relationship that leads to the owner.
    func isElement(_ values: [Value], in owner: Record, by inverse: String?) -> Bool {
        guard let element, values[element.attribute.slot].isScalar else { return false }
        return others.allSatisfy { other in
            switch other.expected {
            case .value(let value): return values[other.slot] == value
            case .parent(let relationship, let name):
                guard relationship == inverse, owner.shape.slot(named: name) != nil else {
                    return values[other.slot].isNull
                }
                return values[other.slot] == other.type.converted(owner[name]) ?? .null
            }
        }
    }

    /// Returns the name of a record in a map; nil if a sync would not read it as the same value.
    func mapName(_ values: [Value]) -> String? {
        guard let mapKey else { return nil }
        let value = values[mapKey.attribute.slot]
        guard let name = value.mapName, mapKey.type.converted(.string(name)) == value else { return nil }
        return name
    }
}

extension Value {
    /// Whether the exported form is neither an object, an array nor null.
    fileprivate var isScalar: Bool {
        switch self {
        case .null, .array, .object, .bytes: false
        case .double(let number): number.isFinite
        default: true
        }
    }

    /// The text that represents the value as a name; nil if there is none.
    fileprivate var mapName: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        case .bool(let value): value ? "true" : "false"
        case .uuid(let uuid): uuid.uuidString
        case .url(let url): url.absoluteString
        case .date(let date): date.internetText
        default: nil
        }
    }
}
