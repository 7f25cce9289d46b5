import SyncPersistence

/// What entity sync reads from the `userInfo` of a schema.
enum EntityVocabulary {
    /// On an entity: the JSON key that says of which entity, this or one that inherits it, an object is.
    static let discriminator = "sync.discriminator"
    /// On an entity that inherits one with a discriminator: the value that stands for it; its name if there is none.
    static let discriminatorValue = "sync.discriminatorValue"
    /// On an attribute of an entity without a primary key of its own: `YES` or `true` if objects are told apart
    /// by it.
    static let isPrimaryKey = "sync.isPrimaryKey"
    /// On an attribute of a Core Data model: `YES` if it is transformable, and holds nothing but arrays and objects
    /// without a transformer.
    static let isTransformable = "sync.isTransformable"
    /// On an entity: the path of a value in its objects that says whether the record is deleted, such as `deleted_at`.
    static let deletedPath = "sync.deletedPath"
    /// On a relationship: the path of a value in the owner's object that says whether there are more records than are
    /// listed, such as `comments.has_more`.
    static let morePath = "sync.morePath"
    /// On a relationship: what becomes of records that are no longer listed: `delete`, `separate` or `keep`.
    static let unlisted = "sync.unlisted"
    /// On an attribute of dates: how their text is written, `rfc2822` or a pattern such as `dd.MM.yyyy HH:mm`.
    static let dateFormat = "sync.dateFormat"
    /// On an attribute: the value that it has for all objects.
    static let constant = "sync.constant"
    /// On an attribute: `YES` if it takes the name under which an object stands in a map.
    static let isMapKey = "sync.isMapKey"
    /// On an attribute: `YES` if it takes a value that stands in the place of an object, such as the text of an array of
    /// texts.
    static let isElement = "sync.isElement"
    /// On an attribute of the key: the relationship that leads to the parent, a dot, and the parent's attribute whose value
    /// it takes.
    static let parentAttribute = "sync.parentAttribute"
}

extension Attribute {
    /// Whether objects are told apart by it, where their entity has no primary key of its own.
    var isFlaggedKey: Bool { isFlagged(EntityVocabulary.isPrimaryKey) }

    /// Whether it takes the name under which an object stands in a map.
    var isMapKey: Bool { isFlagged(EntityVocabulary.isMapKey) }

    /// Whether it takes a value that stands in the place of an object.
    var isElement: Bool { isFlagged(EntityVocabulary.isElement) }

    private func isFlagged(_ word: String) -> Bool { ["YES", "true"].contains(userInfo[word]) }

    /// How the text of its dates is written, where it says so.
    var dateFormat: String? { userInfo[EntityVocabulary.dateFormat] }
}
