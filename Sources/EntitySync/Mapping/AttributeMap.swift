import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The mapping of a remote's values to one attribute.
final class AttributeMap {
    /// The attribute in the schema.
    let definition: Attribute
    /// The type of its values.
    let type: AttributeType
    /// Its slot in a record.
    let slot: Int
    /// Whether it must have a value.
    let isMandatory: Bool
    /// The transformer that replaces the conversion by type.
    let transformer: AttributeTransformer?
    /// Whether only a transformer can convert text and numbers.
    let needsTransformer: Bool

    /// The pattern of its dates' text, if it specifies one.
    private let datePattern: DatePattern?

    init(
        _ definition: Attribute, slot: Int, isMandatory: Bool, transformer: AttributeTransformer?,
        needsTransformer: Bool
    ) {
        self.definition = definition
        type = definition.type
        self.slot = slot
        self.isMandatory = isMandatory
        self.transformer = transformer
        self.needsTransformer = needsTransformer
        datePattern = definition.type == .date ? definition.dateFormat.flatMap { DatePattern($0) } : nil
    }

    /// Returns the attribute's value for a value of the remote; nil if there is none.
    @inline(__always)
    func converted(_ json: Value) -> Value? {
        guard let transformer else {
            if needsTransformer, !json.isNull, !json.isArray, !json.isObject { return nil }
            if type == .date, case .string(let text) = json { return date(of: text) }
            return type.converted(json)
        }
        return try? transformer.converted(json, to: type)
    }

    /// Returns the date of text, which may have the form of an export; null for blank text if the attribute may be
    /// null.
    private func date(of text: String) -> Value? {
        if !isMandatory, text.allSatisfy(\.isWhitespace) { return .some(.null) }
        guard let datePattern else { return Date(remoteText: text).map { .date($0) } }
        if let date = datePattern.date(of: text) { return .date(date) }
        return text.withUTF8Bytes { bytes in
            bytes.contains(UInt8(ascii: "-")) && DateText.isCalendarDate(bytes) ? DateText.seconds(of: bytes) : nil
        }.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    }

    /// Whether every text is a valid value without conversion.
    var takesText: Bool { transformer == nil && !needsTransformer && type == .string }

    /// Returns a description of the expected value, for an invalid value.
    func expectation(insteadOf json: Value) -> String {
        transformer == nil && !needsTransformer && datePattern == nil
            ? type.expectation(insteadOf: json) : expectation
    }

    /// A description of the expected value.
    var expectation: String {
        if needsTransformer, transformer == nil {
            return definition.transformer.map { "an array or an object, as there is no transformer '\($0)'" }
                ?? "an array or an object, as no transformer is named"
        }
        guard transformer != nil, let name = definition.transformer else {
            guard datePattern != nil, let format = definition.dateFormat else { return definition.type.expectation }
            return
                "a date as text of the format '\(format)', or a number of seconds, milliseconds or microseconds since "
                + "1970"
        }
        return "what the transformer '\(name)' takes"
    }
}

/// The mapping of a remote's objects and keys to one relationship.
final class RelationshipMap {
    /// The relationship in the schema.
    let definition: Relationship
    /// Where a store keeps it: in the record, in the related records, or in links.
    let storage: ShapeRelationship.Storage
    /// The name of the relationship in the schema.
    let name: String
    /// Whether it leads to any number of records.
    let isToMany: Bool

    /// Whether a record at the other end belongs to one owner, and is deleted when the owner no longer lists it.
    var isOwning: Bool {
        if case .inverse = storage { definition.isToMany } else { false }
    }

    /// Whether the single record at the other end is deleted with the owner, and with the link.
    var isCascading: Bool { !isToMany && definition.deleteRule == .cascade }

    /// Whether its records have an order.
    let isOrdered: Bool

    /// Whether a record at the other end may have several owners.
    let isShared: Bool

    /// The seed for tokens of the relationship's targets; nil if the record itself stores them.
    let membershipSeed: UInt64?

    /// The seed for tokens of records with one owner at most; nil if they may have several.
    let claimSeed: UInt64?

    /// The path of its value in an object, if its remote key has several names.
    let path: PayloadPath?

    /// The effect on records that are no longer listed; nil for the default of the relationship's kind.
    var unlisted: UnlistedRecords?

    /// The path of a value that states whether there are more records than the object lists.
    var morePath: PayloadPath?

    /// The map of the destination, set on first use.
    ///
    /// The owner of all maps keeps it alive.
    unowned var destination: EntityMap?

    /// Creates the map of a relationship.
    ///
    /// The key of its destination is looked up once here, not for each object.
    init(_ relationship: ShapeRelationship, in schema: Schema) {
        definition = relationship.definition
        storage = relationship.storage
        name = definition.name
        isToMany = definition.isToMany
        isOrdered = definition.isToMany && definition.isOrdered
        path = definition.remoteKey.map { PayloadPath($0, mayHaveList: relationship.definition.isToMany) }.flatMap {
            $0.steps.count > 1 ? $0 : nil
        }
        unlisted = definition.userInfo[EntityVocabulary.unlisted].flatMap { UnlistedRecords(rawValue: $0) }
        morePath = definition.userInfo[EntityVocabulary.morePath].map { PayloadPath($0) }
        isShared =
            definition.inverse.flatMap { name in
                schema[relationship.definition.destination]?.relationship(named: name)?.definition.isToMany
            } ?? false
        membershipSeed = relationship.membershipSeed(in: schema)
        claimSeed = relationship.claimSeed(in: schema)
    }

    /// Whether records that an object does not list remain linked.
    func isPartial(in object: ValueObject) -> Bool {
        if unlisted == .keep { return true }
        return morePath.flatMap { Value.object(object).located(at: $0).content?.saysMore } ?? false
    }

    /// The name of the key of the single record at the other end.
    var idName: String { (NameWords(name) + ["id"]).snakeCase }

    /// The name under which a JSON:API resource, read as a plain object, states that there are more records than
    /// listed.
    ///
    /// It begins with a control character, so that no name of a document is the same.
    var moreName: String { "\u{1}more \(name)" }

    /// The slots of the records at the other end that store the owner and the position; nil if the link is stored
    /// elsewhere.
    var inverse: (slot: String, position: String?)? {
        if case .inverse(let slot, let position) = storage { (slot, position) } else { nil }
    }
}

extension ShapeRelationship {
    /// Returns the seed for tokens of records with one owner at most; nil if they may have several.
    fileprivate func claimSeed(in schema: Schema) -> UInt64? {
        guard let name = definition.inverse, let destination = schema[definition.destination],
            destination.relationship(named: name)?.definition.isToMany == false
        else { return nil }
        return Value.array([.string(destination.root), .string(name)]).digest(seed: DigestedKey.seed)
    }

    /// Returns the seed for tokens of the relationship's targets; nil if the record itself stores them.
    func membershipSeed(in schema: Schema) -> UInt64? {
        switch storage {
        case .reference: nil
        case .links(let shape, let end): RecordToken.seed(shape, slot: end.near)
        case .inverse(let slot, _):
            schema[definition.destination].flatMap { shape in
                shape.slot(named: slot).map { RecordToken.seed(shape.slots[$0].declaredBy, slot: slot) }
            }
        }
    }
}
