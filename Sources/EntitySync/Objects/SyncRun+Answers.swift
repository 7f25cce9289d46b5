import SyncPersistence

extension SyncRun {
    /// What a server says of one object, as plain objects.
    struct Answer {
        /// The object; nil if the server says nothing of it.
        var object: ValueObject?
        /// Where the object stands.
        var place = Place.root
        /// The objects of other records that come with it.
        var included: [Filling] = []
    }

    /// Reads the answer to an object that was sent.
    ///
    /// - Throws: ``SyncError`` if the answer is of another form than the options say, or a wrapper.
    func answer(_ json: Value, of map: EntityMap) throws -> Answer {
        if request.options.format == .jsonAPI { return try documentAnswer(json, of: map) }
        let (json, place) = try json == .object(ValueObject()) ? (json, Place.root) : rooted(json, of: map)
        switch json {
        case .null: return Answer()
        case .object(let object):
            if !object.names.isEmpty, map.plan(for: object).unknown.count == object.names.count {
                throw SyncError(
                    .noObjects,
                    "the answer has no property of '\(map.shape.name)': expected an object of it, {} or null, found "
                        + "\(object.listedNames). Pass the object within it, or null if the server says nothing of the "
                        + "record. Nothing has changed")
            }
            return Answer(object: object, place: place)
        default:
            throw SyncError(
                .noKey, "the answer to one object is to be an object or null, and \(json.finding) was given")
        }
    }

    /// Reads the answer as a document of JSON:API, which may say nothing of the object.
    private func documentAnswer(_ json: Value, of map: EntityMap) throws -> Answer {
        if json.isNull { return Answer() }
        if case .object(let members) = json, members.names.allSatisfy({ ["meta", "links", "jsonapi"].contains($0) }) {
            return Answer()
        }
        return try document(json, of: map)
    }

    /// Reads one object that is given alone: the resource of a document, if the options say that it is one.
    ///
    /// - Returns: The object; nil if the value is none.
    func single(_ json: Value, of map: EntityMap) throws -> Answer? {
        if request.options.format == .jsonAPI { return try document(json, of: map) }
        let (json, place) = try rooted(json, of: map)
        guard case .object(let object) = json else { return nil }
        return Answer(object: object, place: place)
    }

    /// The value to which the root of the options leads, and its place.
    private func rooted(_ json: Value, of map: EntityMap) throws -> (value: Value, place: Place) {
        let path = PayloadPath(request.options.root, mayHaveList: false)
        if path.steps.isEmpty || json.isNull { return (json, Place.root) }
        let found = json.located(at: path)
        guard let value = found.content else {
            throw SyncError(
                .noObjects,
                "there is no object of '\(map.shape.name)' at '\(request.options.root)': \(found.failure). Correct the "
                    + "root of the options. Nothing has changed")
        }
        return (value, path.steps.reduce(Place.root) { $0.member($1) })
    }

    /// Reads the one resource of a document, with those that are included.
    private func document(_ json: Value, of map: EntityMap) throws -> Answer {
        func failure(_ expected: String, found: String) -> SyncError {
            SyncError(
                .noObjects,
                "this is no document of JSON:API with one resource: expected \(expected), found \(found). Nothing has changed"
            )
        }
        guard case .object(let members) = json else { throw failure("an object with 'data'", found: json.finding) }
        guard let data = members["data"], members["errors"] == nil else {
            throw failure("'data'", found: members["errors"] == nil ? members.listedNames : "'errors'")
        }
        guard data.isObject else { throw failure("a resource in 'data'", found: data.finding) }
        layout = PayloadLayout(paths: ["data", "included"])
        var reader = ResourceReader(self, try mapping.map(of: map.shape.root))
        try reader.read(["data": data], at: .root)
        guard let (value, place) = reader.primary.first, case .object(let object) = value else {
            let found = reader.others.keys.first.map { "one of '\($0)'" } ?? "another"
            throw failure("a resource of '\(map.shape.name)' in 'data'", found: found)
        }
        var answer = Answer(object: object, place: place)
        guard let included = members["included"], !included.isNull else { return answer }
        var others = ResourceReader(self, try mapping.map(of: map.shape.root))
        try others.read(["data": .null, "included": included], at: .root)
        for (entity, resources) in others.others.sorted(by: { $0.key < $1.key }) {
            let map = try mapping.map(of: entity)
            for (value, place) in resources {
                if let filling = try filling(value, map, at: place) { answer.included.append(filling) }
            }
        }
        return answer
    }

    /// What an object that is given alone is to fill; nil if it has no key, which has been reported.
    private func filling(_ json: Value, _ map: EntityMap, at place: Place) throws -> Filling? {
        guard case .object(let object) = json, case .key(let key) = try rootKey(of: json, named: nil, at: place, map)
        else { return nil }
        let filling = Filling(object: object, map: map, key: key, place: place, isNested: false)
        filling.surroundings = map.usesSurroundings ? Surroundings() : nil
        let stored = try storedKey(map, key)
        if stored != key { filling.storedKey = stored }
        return filling
    }
}

extension ValueObject {
    /// The names of the first members, as an error lists them.
    fileprivate var listedNames: String {
        let limit = 3
        let rest = names.count - limit
        let listed = names.prefix(limit).map { "'\($0)'" }.joined(separator: ", ")
        return names.isEmpty ? "none" : listed + (rest > 0 ? " and \(rest) more" : "")
    }
}
