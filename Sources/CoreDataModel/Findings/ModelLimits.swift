/// The limits of a model's size, beyond which files are refused.
///
/// They are far above the sizes of real models. No file within them takes more than moments and some hundred megabytes.
public enum ModelLimits {
    /// The number of bytes of a file: 16 MiB.
    public static let byteCount = 16 << 20

    /// The nesting depth of XML elements; a model has five levels.
    public static let depth = 32

    /// The number of XML elements of a file.
    public static let elementCount = 200_000

    /// The number of UTF-8 bytes of an XML attribute's value: 64 KiB.
    public static let attributeLength = 64 << 10

    /// The number of entities that an entity inherits from, directly or not.
    public static let ancestorCount = 100

    /// The number of properties of all entities.
    ///
    /// For each entity, it includes inherited properties and the relationships that lead to the entity.
    public static let propertyCount = 200_000
}
