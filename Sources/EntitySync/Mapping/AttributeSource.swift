import SyncPersistence

/// The source of an attribute's values, if it is not a member of the object.
enum AttributeSource: Hashable {
    /// All objects have the same value.
    case constant(Value)
    /// The value is the name of the object in a map.
    case mapKey
    /// The value is a part of the key and copies an attribute of the parent, to which a relationship leads.
    case parent(relationship: String, attribute: String)
}

/// The surroundings of an object from which attributes take values.
final class Surroundings {
    /// The name of the object in a map.
    let mapKey: String?
    /// The value that replaces an object, such as a text in an array of texts.
    let element: Value?
    /// The record of the outer object, or the parent that the call specifies.
    let parent: Record?
    /// The relationship from the object's record to the parent.
    let inverse: String?

    /// Creates the surroundings of an object; each part is nil if the object has none.
    init(mapKey: String? = nil, element: Value? = nil, parent: Record? = nil, inverse: String? = nil) {
        self.mapKey = mapKey
        self.element = element
        self.parent = parent
        self.inverse = inverse
    }
}

/// The attributes of an entity whose values come from other sources than members of the object.
struct AttributeSources {
    /// The sources by the positions of their attributes.
    private(set) var sources: [(attribute: Int, source: AttributeSource)] = []
    /// The attribute whose value is the name of an object in a map.
    private(set) var mapKey: Int?
    /// The attribute whose value can replace an object.
    private(set) var element: Int?

    /// The positions of all attributes with a source.
    private(set) var attributes: [Int] = []

    /// Whether a value can replace an object in an array.
    private(set) var takesElements = false
    /// Whether a value can replace an object in a map.
    private(set) var takesElementsInMaps = false

    /// Finds the sources of an entity's attributes.
    ///
    /// - Parameters:
    ///   - keyParts: The positions of the attributes that identify objects.
    ///   - constants: The values of attributes in the options, by name.
    /// - Throws: `SyncError` if a source is invalid.
    init(
        of shape: Shape, _ maps: [AttributeMap], keyParts: [Int], in schema: Schema, constants: [String: Value]
    ) throws {
        if let error = shape.invalidSources(maps.map(\.definition), in: schema).first { throw error }
        for (position, map) in maps.enumerated() {
            let definition = map.definition
            if let constant = constants[definition.name] {
                sources.append((position, .constant(try map.constant(constant, of: shape.name))))
            } else if let source = definition.source {
                sources.append((position, source.typed(map.type)))
            }
            if definition.isMapKey { mapKey = position }
            if definition.isElement { element = position }
        }
        attributes = sources.map(\.attribute)
        guard let element else { return }
        if !attributes.contains(element) { attributes.append(element) }
        let missing = keyParts.filter { !attributes.contains($0) || $0 == mapKey }
        takesElements = missing.isEmpty
        takesElementsInMaps = missing.allSatisfy { $0 == mapKey }
    }

    /// Returns the value of an attribute for all objects; nil if it is not constant.
    func constant(_ attribute: Int) -> Value? {
        for case (attribute, .constant(let value)) in sources { return value }
        return nil
    }

    /// Returns the relationship to the parent that provides the value of an attribute; nil if none does.
    func parent(of attribute: Int) -> String? {
        for case (attribute, .parent(let relationship, _)) in sources { return relationship }
        return nil
    }

    /// Returns the value of an attribute from the surroundings of an object; nil if they provide none.
    func value(of attribute: Int, _ type: AttributeType, _ surroundings: Surroundings) -> SourcedValue? {
        if attribute == element, let json = surroundings.element { return .remote(json) }
        guard let source = sources.first(where: { $0.attribute == attribute })?.source else { return nil }
        switch source {
        case .constant(let value): return .constant(value)
        case .mapKey: return surroundings.mapKey.map { .remote(.string($0)) }
        case .parent(let relationship, let name):
            guard surroundings.inverse == relationship, let parent = surroundings.parent,
                parent.shape.slot(named: name) != nil
            else { return nil }
            return .inherited(type.converted(parent[name]) ?? .null)
        }
    }
}

/// A value from the surroundings of an object.
enum SourcedValue {
    /// A value of the attribute, which replaces the object's own.
    case constant(Value)
    /// A value of the parent, which replaces the object's own; null if the parent has none.
    case inherited(Value)
    /// A value of the remote that must be converted.
    case remote(Value)
}

extension AttributeSource {
    /// Returns the source with a constant converted to a type.
    fileprivate func typed(_ type: AttributeType) -> AttributeSource {
        guard case .constant(let value) = self else { return self }
        return .constant(type.converted(value) ?? .null)
    }
}

extension AttributeMap {
    /// Returns a constant of the options as a value of the attribute.
    fileprivate func constant(_ value: Value, of entity: String) throws -> Value {
        guard let constant = type.converted(value), !constant.isNull || !isMandatory else {
            throw SyncError(
                .invalidSource,
                "the constant of '\(entity).\(definition.name)' is \(value.finding): expected \(type.expectation)")
        }
        return constant
    }
}

extension Attribute {
    /// The source of its values in the schema; nil for members of objects.
    var source: AttributeSource? {
        if let text = userInfo[EntityVocabulary.constant] { return .constant(.string(text)) }
        if isMapKey { return .mapKey }
        guard let path = userInfo[EntityVocabulary.parentAttribute],
            let dot = path.unicodeScalars.firstIndex(of: ".")
        else { return nil }
        let attribute = path.unicodeScalars[path.unicodeScalars.index(after: dot)...]
        return .parent(relationship: String(path.unicodeScalars[..<dot]), attribute: String(attribute))
    }

    /// Whether its values come from the surroundings of objects, or can replace an object.
    var isSourced: Bool { source != nil || isElement }
}

extension Shape {
    /// Returns an error for each attribute with an invalid source.
    func invalidSources(_ attributes: [Attribute], in schema: Schema) -> [SyncError] {
        var errors: [SyncError] = []
        func refuse(_ message: String) { errors.append(SyncError(.invalidSource, message)) }
        func name(_ attribute: Attribute) -> String {
            "'\(slot(named: attribute.name).map { slots[$0].declaredBy } ?? self.name).\(attribute.name)'"
        }
        for (word, flagged) in [
            (EntityVocabulary.isMapKey, attributes.filter(\.isMapKey)),
            (EntityVocabulary.isElement, attributes.filter(\.isElement)),
        ] where flagged.count > 1 {
            refuse("\(name(flagged[0])) and \(name(flagged[1])) both have '\(word)': keep it for one of them")
        }
        let element = attributes.first { $0.isElement }
        let key = attributes.filter { hasImplicitKey ? $0.isFlaggedKey : $0.isPrimaryKey }
        if let element, let part = key.first(where: { !$0.isSourced }) {
            refuse(
                "\(name(element)) has '\(EntityVocabulary.isElement)', and a value alone says nothing of \(name(part)), "
                    + "a part of the key: flag the key")
        }
        for attribute in attributes {
            let words = [
                EntityVocabulary.constant, EntityVocabulary.isMapKey, EntityVocabulary.isElement,
                EntityVocabulary.parentAttribute,
            ].filter { attribute.userInfo[$0] != nil }
            if words.count > 1 {
                refuse("\(name(attribute)) has '\(words[0])' and '\(words[1])': keep one of them")
            }
            if let text = attribute.userInfo[EntityVocabulary.constant],
                attribute.type.converted(.string(text))?.isNull ?? true
            {
                refuse(
                    "the '\(EntityVocabulary.constant)' of \(name(attribute)) is the text \(text.quoted(limit: 60)): "
                        + "expected \(attribute.type.expectation)")
            }
            if let path = attribute.userInfo[EntityVocabulary.parentAttribute], words.count < 2,
                !leads(attribute.source, in: schema)
            {
                refuse(
                    "the '\(EntityVocabulary.parentAttribute)' of \(name(attribute)) is \(path.quoted(limit: 60)), which "
                        + "leads nowhere: write a relationship of '\(self.name)', a dot and an attribute of its "
                        + "destination, such as 'order.id'")
            }
            if attribute.userInfo[EntityVocabulary.parentAttribute] != nil, !key.contains(attribute) {
                refuse(
                    "\(name(attribute)) has '\(EntityVocabulary.parentAttribute)', which is for parts of the key: make it "
                        + "one, or read the parent's attribute where it is needed")
            }
            if attribute.transformer != nil, attribute.source.map({ $0 != .mapKey }) ?? false {
                refuse(
                    "\(name(attribute)) has a transformer, which a constant and a value of the parent do not pass "
                        + "through: take one of both away")
            }
        }
        return errors
    }

    /// Whether a source is an attribute of a parent.
    private func leads(_ source: AttributeSource?, in schema: Schema) -> Bool {
        guard case .parent(let name, let attribute) = source, let relationship = relationship(named: name),
            let destination = schema[relationship.definition.destination],
            let slot = destination.slot(named: attribute), !destination.slots[slot].isInternal,
            case .attribute = destination.slots[slot].content
        else { return false }
        return true
    }
}
