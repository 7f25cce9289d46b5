/// How large a model may be: files beyond are errors, whatever made them.
///
/// They are far above what people draw, and low enough that no file takes more than moments and some hundred megabytes.
public enum ModelLimits {
    /// How many bytes a file may have: 16 MiB.
    public static let byteCount = 16 << 20

    /// How deep XML elements may be nested; those of a model are five deep.
    public static let depth = 32

    /// How many XML elements a file may have.
    public static let elementCount = 200_000

    /// How many bytes of UTF-8 the value of an XML attribute may have: 64 KiB.
    public static let attributeLength = 64 << 10

    /// How many entities one may inherit, directly or not.
    public static let ancestorCount = 100

    /// How many properties all entities may have together, inherited ones and the relationships that lead to each counted
    /// for each.
    public static let propertyCount = 200_000
}
