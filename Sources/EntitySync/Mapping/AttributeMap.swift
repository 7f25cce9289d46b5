import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How values of a remote become those of one attribute.
final class AttributeMap {
    let definition: Attribute
    /// The type of its values.
    let type: AttributeType
    /// Where it stands in a record.
    let slot: Int
    /// Whether it must have a value.
    let isMandatory: Bool
    /// What makes its values, where its type does not.
    let transformer: AttributeTransformer?
    /// Whether only a transformer makes text and numbers its values.
    let needsTransformer: Bool

    /// How the text of its dates is written, where the attribute says so.
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

    /// A value of the attribute for one of a remote's, or nil if there is none.
    @inline(__always)
    func converted(_ json: Value) -> Value? {
        guard let transformer else {
            if needsTransformer, !json.isNull, !json.isArray, !json.isObject { return nil }
            if type == .date, case .string(let text) = json { return date(of: text) }
            return type.converted(json)
        }
        return try? transformer.converted(json, to: type)
    }

    /// The date of text, also of RFC 3339, as an export writes it; null for blank text, if that is allowed.
    private func date(of text: String) -> Value? {
        if !isMandatory, text.allSatisfy(\.isWhitespace) { return .some(.null) }
        guard let datePattern else { return Date(remoteText: text).map { .date($0) } }
        if let date = datePattern.date(of: text) { return .date(date) }
        return text.withUTF8Bytes { bytes in
            bytes.contains(UInt8(ascii: "-")) && DateText.isCalendarDate(bytes) ? DateText.seconds(of: bytes) : nil
        }.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    }

    /// Whether every text is a value of it as it is.
    var takesText: Bool { transformer == nil && !needsTransformer && type == .string }

    /// What a value of a remote's has to be that is none.
    func expectation(insteadOf json: Value) -> String {
        transformer == nil && !needsTransformer && datePattern == nil
            ? type.expectation(insteadOf: json) : expectation
    }

    /// What a value of a remote's has to be.
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

/// How objects and keys of a remote become links of one relationship.
final class RelationshipMap {
    let definition: Relationship
    let storage: ShapeRelationship.Storage
    let name: String
    let isToMany: Bool

    /// Whether a record at the other end belongs to one owner alone, so that it goes with the link.
    var isOwning: Bool {
        if case .inverse = storage { definition.isToMany } else { false }
    }

    /// Whether the one record at the other end is deleted with the owner, so that it goes with the link.
    var isCascading: Bool { !isToMany && definition.deleteRule == .cascade }

    /// Whether its records have an order.
    let isOrdered: Bool

    /// Whether a record at the other end may belong to several by the inverse.
    let isShared: Bool

    /// What makes tokens of what records are connected with, where that is not kept in themselves.
    let membershipSeed: UInt64?

    /// What makes tokens of records at the other end that belong to one record alone; nil if they may belong to several.
    let claimSeed: UInt64?

    /// Where its value stands in an object, if its remote key has several names.
    let path: PayloadPath?

    /// What becomes of records that are no longer listed, if that is not what the kind of relationship has.
    var unlisted: UnlistedRecords?

    /// Where an object says whether there are more records than it lists.
    var morePath: PayloadPath?

    /// The map of the entity at the other end, once it has been asked for; whoever makes maps keeps it.
    unowned var destination: EntityMap?

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

    /// Whether records that an object does not list stay members.
    func isPartial(in object: ValueObject) -> Bool {
        if unlisted == .keep { return true }
        return morePath.flatMap { Value.object(object).located(at: $0).content?.saysMore } ?? false
    }

    /// The name under which a key of the one record at the other end stands.
    var idName: String { (NameWords(name) + ["id"]).snakeCase }

    /// The slots of the records at the other end that name the owner and their place, if that is how it is kept.
    var inverse: (slot: String, position: String?)? {
        if case .inverse(let slot, let position) = storage { (slot, position) } else { nil }
    }
}

extension ShapeRelationship {
    /// What makes tokens of records at the other end that belong to one record alone; nil if they may belong to several.
    fileprivate func claimSeed(in schema: Schema) -> UInt64? {
        guard let name = definition.inverse, let destination = schema[definition.destination],
            destination.relationship(named: name)?.definition.isToMany == false
        else { return nil }
        return Value.array([.string(destination.root), .string(name)]).digest(seed: DigestedKey.seed)
    }

    /// What makes tokens of what records are connected with, where that is not kept in themselves.
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
