extension RecordCoding where Element == Record, Key == Value {
    /// Returns the coding of an entity's records, which stores them unchanged.
    public static func records(of entity: String) -> RecordCoding {
        RecordCoding(entity: entity, key: \.key, value: { $0 }, encode: { $1 = $0 }, decode: { $0 })
    }
}
