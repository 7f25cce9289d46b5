import SyncPersistence

/// Reading of objects that are not part of a list.
extension PayloadReader {
    /// Reads the answer to an upload.
    ///
    /// - Throws: `SyncError` if the answer has another form than the options specify, or is a wrapper.
    func answer(_ json: Value, of map: EntityMap) throws -> SingleObject {
        if options.format == .jsonAPI { return try isEmptyDocument(json) ? SingleObject() : document(json, of: map) }
        let (json, place) = try json.isEmptyObject ? (json, Place.root) : rooted(json, of: map)
        switch json {
        case .null: return SingleObject()
        case .object(let object):
            if map.isForeign(object) {
                throw SyncError(
                    .noObjects,
                    "the answer has no property of '\(map.shape.name)': expected an object of it, {} or null, found "
                        + "\(object.listedNames). Pass the object within it, or null if the server says nothing of the "
                        + "record. Nothing has changed")
            }
            return SingleObject(object: object, place: place)
        default:
            throw SyncError(
                .noKey, "the answer to one object is to be an object or null, and \(json.finding) was given")
        }
    }

    /// Whether an answer is null or a document without a resource.
    private func isEmptyDocument(_ json: Value) -> Bool {
        guard case .object(let members) = json else { return json.isNull }
        return members.names.allSatisfy { ["meta", "links", "jsonapi"].contains($0) }
    }

    /// Reads an object that is not part of a list: the resource of a document if the options specify JSON:API.
    ///
    /// - Returns: The object; nil if the value is none.
    func single(_ json: Value, of map: EntityMap) throws -> SingleObject? {
        if options.format == .jsonAPI { return try document(json, of: map) }
        let (json, place) = try rooted(json, of: map)
        guard case .object(let object) = json else { return nil }
        return SingleObject(object: object, place: place)
    }

    /// Returns the value at the root of the options, and its place.
    private func rooted(_ json: Value, of map: EntityMap) throws -> (value: Value, place: Place) {
        let path = PayloadPath(options.root, mayHaveList: false)
        if path.steps.isEmpty || json.isNull { return (json, Place.root) }
        let found = json.located(at: path)
        guard let value = found.content else {
            throw SyncError(
                .noObjects,
                "there is no object of '\(map.shape.name)' at '\(options.root)': \(found.failure). Correct the "
                    + "root of the options. Nothing has changed")
        }
        return (value, path.steps.reduce(Place.root) { $0.member($1) })
    }
}

extension ValueObject {
    /// The first names of members, and the number of the others, for an error.
    var listedNames: String {
        let limit = 3
        let rest = names.count - limit
        let listed = names.prefix(limit).map { "'\($0)'" }.joined(separator: ", ")
        return names.isEmpty ? "none" : listed + (rest > 0 ? " and \(rest) more" : "")
    }
}
