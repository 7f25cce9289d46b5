public import SyncPersistence

extension PersistenceError.Code {
    /// Two properties of an entity have export keys that exclude each other.
    public static let keyClash = PersistenceError.Code("keyClash")
    /// A value has no JSON form.
    public static let notRepresentable = PersistenceError.Code("notRepresentable")
}

extension PersistenceError {
    /// Returns the error for two properties with the same key, or with a key that leads through the key of the other.
    static func keyClash(
        _ entity: String, _ one: (name: String, path: [String]), _ other: (name: String, path: [String])
    ) -> Self {
        let texts = (one.path.joined(separator: "."), other.path.joined(separator: "."))
        let keys =
            texts.0 == texts.1
            ? "both have the key '\(texts.0)'" : "the keys '\(texts.0)' and '\(texts.1)' exclude each other"
        return PersistenceError(
            .keyClash,
            "'\(entity)' cannot be exported: of '\(one.name)' and '\(other.name)', \(keys): give one of them another "
                + "remote key, or leave it out by the export options")
    }

    /// Returns the error for a record that is nested too deep to be read as JSON.
    static func tooDeepToExport(_ id: RecordID) -> Self {
        PersistenceError(
            .tooDeep,
            "it would stand in more than \(JSONOptions().depthLimit) objects and arrays, which could not be read back: "
                + "export the entity as a whole, so that its records stand side by side, or set a depth limit",
            id: id)
    }

    /// Returns the error for a record without a name in a map.
    static func noMapName(_ record: Record) -> Self {
        PersistenceError(
            .notRepresentable,
            "it has no name in a map: give it a value of the attribute with 'sync.isMapKey', or export an array",
            id: record.id)
    }

    /// Returns the error for a record with the same name in a map as another record.
    static func sameMapName(_ record: Record, _ name: String) -> Self {
        PersistenceError(
            .notRepresentable, "another record has its name in a map, \(name.quoted(limit: 60)): export an array",
            id: record.id)
    }

    /// Returns the error for a value that has no JSON form.
    static func notRepresentable(_ error: any Error, _ record: Record, _ property: String) -> Self {
        let reason =
            if let error = error as? JSONRepresentationError { "\(error)" } else { "its transformer throws: \(error)" }
        return PersistenceError(
            .notRepresentable, "it cannot be exported: \(reason)", id: record.id, property: property)
    }
}
