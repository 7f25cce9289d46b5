import SyncPersistence

/// The meaning of a model's XML attributes for a schema.
///
/// An XML attribute that is not listed here is reported as unknown, and is not skipped silently.
enum ModelVocabulary {
    /// The use of an XML attribute.
    enum Meaning {
        /// A definition of the schema depends on its value.
        case read
        /// It concerns the editor or generated classes, and is skipped.
        case editor
        /// A schema cannot express it: it is skipped with a notice.
        case ignored(String)
    }

    /// The reason for skipping attributes of CloudKit.
    private static let noCloud = "synchronization with CloudKit is none of this library's"
    /// The reason for skipping limits and patterns of values.
    private static let noCheck = "values are not checked against it: check them where they are made"

    /// The uses of XML attributes, by the names of the element and the attribute.
    private static let meanings: [String: [String: Meaning]] = [
        "model": [
            "type": .editor, "documentVersion": .editor, "lastSavedToolsVersion": .editor, "systemVersion": .editor,
            "minimumToolsVersion": .editor, "userDefinedModelVersionIdentifier": .editor, "sourceLanguage": .editor,
            "macOSVersion": .editor, "iOSVersion": .editor, "name": .editor,
            "usedWithCloudKit": .ignored(noCloud),
            "usedWithSwiftData": .ignored("the schema is the same without SwiftData"),
        ],
        "entity": [
            "name": .read, "parentEntity": .read, "isAbstract": .read, "elementID": .read, "syncable": .editor,
            "representedClassName": .editor, "codeGenerationType": .editor,
            "versionHashModifier": .ignored("a store compares schemas, and needs no hash of them"),
            "coreSpotlightDisplayNameExpression": .ignored("records are not indexed for Spotlight"),
        ],
        "attribute": [
            "name": .read, "attributeType": .read, "optional": .read, "transient": .read, "derived": .read,
            "derivationExpression": .read, "defaultValueString": .read, "defaultDateTimeInterval": .read,
            "indexed": .read, "valueTransformerName": .read, "elementID": .read, "usesScalarValueType": .editor,
            "syncable": .editor, "compositeName": .read,
            "minValueString": .ignored(noCheck), "maxValueString": .ignored(noCheck),
            "minDateTimeInterval": .ignored(noCheck), "maxDateTimeInterval": .ignored(noCheck),
            "regularExpressionString": .ignored(noCheck),
            "allowsExternalBinaryDataStorage": .ignored("bytes are kept in the record itself"),
            "spotlightIndexingEnabled": .ignored("records are not indexed for Spotlight"),
            "preserveAfterDeletion": .ignored("of deleted records, the key alone is kept"),
            "customClassName": .ignored("values are JSON, not objects of a class"),
            "allowsCloudEncryption": .ignored(noCloud),
            "versionHashModifier": .ignored("a store compares schemas, and needs no hash of them"),
        ],
        "relationship": [
            "name": .read, "destinationEntity": .read, "inverseName": .read, "inverseEntity": .read, "toMany": .read,
            "ordered": .read, "optional": .read, "transient": .read, "deletionRule": .read, "elementID": .read,
            "minCount": .read, "maxCount": .read, "syncable": .editor,
            "spotlightIndexingEnabled": .ignored("records are not indexed for Spotlight"),
            "versionHashModifier": .ignored("a store compares schemas, and needs no hash of them"),
        ],
        "userInfo": [:],
        "entry": ["key": .read, "value": .read],
        "fetchIndex": ["name": .editor],
        "fetchIndexElement": ["property": .read, "type": .read, "order": .editor],
        "uniquenessConstraints": [:],
        "uniquenessConstraint": [:],
        "constraint": ["value": .read],
    ]

    /// Returns the use of an attribute; nil if the attribute is unknown.
    static func meaning(of attribute: String, in element: String) -> Meaning? { meanings[element]?[attribute] }

    /// The elements that are skipped with a notice, and the reasons.
    static let ignoredElements = [
        "fetchedProperty": "queries are not kept in a schema: write a Query in code",
        "fetchRequest": "queries are not kept in a schema: write a Query in code",
        "configuration": "all entities are in one store",
        "compositeAttribute": "a composite attribute is kept as a JSON value of any form",
        "composite": "a composite attribute is kept as a JSON value of any form",
    ]

    /// The types of attributes, by their names in a model.
    static let types: [String: AttributeType] = [
        "Integer 16": .integer, "Integer 32": .integer, "Integer 64": .integer, "Double": .double, "Float": .double,
        "Decimal": .decimal, "Boolean": .bool, "String": .string, "Date": .date, "Binary": .bytes, "UUID": .uuid,
        "URI": .url, "Transformable": .json, "Composite": .json,
    ]

    /// The keywords in an attribute's `userInfo` that a JSON sync reads.
    static let wordsOfAttributes: Set<String> = [
        "sync.constant", "sync.dateFormat", "sync.isElement", "sync.isMapKey", "sync.isTransformable",
        "sync.parentAttribute",
    ]

    /// The keywords in a relationship's `userInfo` that a JSON sync reads.
    static let wordsOfRelationships: Set<String> = ["sync.morePath", "sync.unlisted"]

    /// The delete rules, by their names in a model.
    static let deleteRules: [String: DeleteRule] = [
        "Nullify": .nullify, "Cascade": .cascade, "Deny": .deny, "No Action": .noAction,
    ]
}
