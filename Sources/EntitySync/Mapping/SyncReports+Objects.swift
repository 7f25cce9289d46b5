import SyncPersistence

extension SyncReports {
    /// Reports an element of a list that is not an object.
    ///
    /// - Parameter others: The elements of the list.
    func addNoObject(_ value: Value, among others: [Value] = [], at place: Place) throws {
        let isMixed = !value.isNull && others.contains(where: \.isObject)
        let expected = isMixed ? "an object, as others of the list are" : "an object"
        try add(.noObject, at: place, expected: expected, found: value.finding)
    }

    /// Reports an object in a map that has no property of its entity.
    func addNoProperty(_ map: EntityMap, at place: Place) throws {
        try add(
            .noObject, at: place, expected: "an object with a property of '\(map.shape.name)'",
            found: "an object without any")
    }

    /// Reports an object without a key.
    func addMissingKey(_ map: EntityMap, at place: Place) throws {
        try add(
            .noKey, at: place, expected: "a value of the primary key, \(map.keyNames) of '\(map.shape.name)'",
            found: "none")
    }

    /// Reports an object that a later one with the same key replaces.
    func addDuplicate(_ key: Value, _ map: EntityMap, at place: Place, counting last: Place) throws {
        try add(
            .duplicateKey, at: place, of: RecordID(map.shape.name, key),
            expected: "each key once; the object at \(last.path) counts", found: "an object with the same key")
    }

    /// Reports names that occur twice in an object.
    ///
    /// - Parameter paths: The paths of the names, from the object.
    func addDuplicateNames(_ paths: [String], at place: Place) throws {
        for path in paths {
            try add(
                SyncReport(
                    .duplicateName, at: place.path + path,
                    expected: "each name once in an object; the last member counts", found: "the name twice"))
        }
    }
}

extension EntityMap {
    /// The names of the attributes that identify objects, in quotes.
    var keyNames: String { keyParts.map { "'\(attributes[$0].definition.name)'" }.joined(separator: ", ") }
}
