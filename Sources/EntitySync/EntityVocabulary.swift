import SyncPersistence

/// The keys in the `userInfo` of a schema that entity sync reads.
enum EntityVocabulary {
    /// On an entity: the JSON key whose value names the entity of an object, this one or one that inherits from it.
    static let discriminator = "sync.discriminator"
    /// On an entity that inherits a discriminator: the value that represents it; without this key, the entity's name.
    static let discriminatorValue = "sync.discriminatorValue"
    /// On an attribute of an entity without a primary key: `YES` or `true` if it identifies objects.
    static let isPrimaryKey = "sync.isPrimaryKey"
    /// On an attribute of a Core Data model: `YES` if it is transformable, and stores only arrays and objects without a
    /// transformer.
    static let isTransformable = "sync.isTransformable"
    /// On an entity: the path of a value that states whether an object's record is deleted, such as `deleted_at`.
    static let deletedPath = "sync.deletedPath"
    /// On a relationship: the path of a value that states whether there are more records than listed, such as
    /// `comments.has_more`.
    static let morePath = "sync.morePath"
    /// On a relationship: the effect on records that are no longer listed: `delete`, `separate` or `keep`.
    static let unlisted = "sync.unlisted"
    /// On an attribute of dates: the format of their text, `rfc2822` or a pattern such as `dd.MM.yyyy HH:mm`.
    static let dateFormat = "sync.dateFormat"
    /// On an attribute: its value for all objects.
    static let constant = "sync.constant"
    /// On an attribute: `YES` if its value is the name of an object in a map.
    static let isMapKey = "sync.isMapKey"
    /// On an attribute: `YES` if its value can replace an object, such as a text in an array of texts.
    static let isElement = "sync.isElement"
    /// On an attribute of the key: the relationship to the parent, a dot, and the parent's attribute that it copies.
    static let parentAttribute = "sync.parentAttribute"
}

extension Attribute {
    /// Whether the attribute identifies objects of an entity without a primary key.
    var isFlaggedKey: Bool { isFlagged(EntityVocabulary.isPrimaryKey) }

    /// Whether its value is the name of an object in a map.
    var isMapKey: Bool { isFlagged(EntityVocabulary.isMapKey) }

    /// Whether its value can replace an object.
    var isElement: Bool { isFlagged(EntityVocabulary.isElement) }

    /// Whether a word has the value `YES` or `true`, as the user info of a Core Data model states flags.
    private func isFlagged(_ word: String) -> Bool { ["YES", "true"].contains(userInfo[word]) }

    /// The format of its dates' text, if the attribute specifies one.
    var dateFormat: String? { userInfo[EntityVocabulary.dateFormat] }
}
