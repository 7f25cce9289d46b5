extension RecordCoding where Element == Record, Key == Value {
    /// The coding of an entity's records, which keeps them as they are.
    public static func records(of entity: String) -> RecordCoding {
        RecordCoding(entity: entity, key: \.key, value: { $0 }, encode: { $1 = $0 }, decode: { $0 })
    }
}
