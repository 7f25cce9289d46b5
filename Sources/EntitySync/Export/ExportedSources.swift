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
    /// The value that an attribute has if nothing specifies it.
    enum Expected {
        /// A constant.
        case value(Value)
        /// The value of an attribute of the owner.
        case parent(relationship: String, attribute: String)
    }

    /// The attribute whose value is the name of a record in a map.
    private(set) var mapKey: ExportedAttribute?
    /// The attribute whose value can replace the object of a record.
    private(set) var element: ExportedAttribute?
    /// The other attributes, with the values that a sync gives them if a value replaces the object.
    private var others: [(attribute: ExportedAttribute, expected: Expected)] = []

    /// Finds the sources of the exported attributes of a shape.
    ///
    /// - Parameter hasElements: Whether values can replace objects.
    init(_ attributes: [(definition: Attribute, exported: ExportedAttribute)], of shape: Shape, hasElements: Bool) {
        for (definition, exported) in attributes {
            // The result of a transformer is unknown until it is written.
            if definition.isMapKey, exported.transformer == nil {
                mapKey = exported
            } else if definition.isElement, exported.transformer == nil, hasElements {
                element = exported
            } else {
                let expected: Expected =
                    switch definition.source {
                    case .parent(let relationship, let name): .parent(relationship: relationship, attribute: name)
                    case .constant(let value): .value(definition.type.converted(value) ?? .null)
                    case .mapKey, nil: .value(shape.slots[exported.slot].defaultValue)
                    }
                others.append((exported, expected))
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
        guard let element, values[element.slot].isScalar else { return false }
        return others.allSatisfy { attribute, expected in
            switch expected {
            case .value(let value): return values[attribute.slot] == value
            case .parent(let relationship, let name):
                guard relationship == inverse, owner.shape.slot(named: name) != nil else {
                    return values[attribute.slot].isNull
                }
                return values[attribute.slot] == attribute.type.converted(owner[name]) ?? .null
            }
        }
    }

    /// Returns the name of a record in a map; nil if a sync would not read it as the same value.
    func mapName(_ values: [Value]) -> String? {
        guard let mapKey else { return nil }
        let value = values[mapKey.slot]
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
