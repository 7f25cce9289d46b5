import SyncPersistence

extension ObjectMapper {
    /// Returns the entity of an object; nil if it cannot be determined, which has been reported.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - declared: The entity that the list or relationship declares.
    ///   - isStored: Whether its record exists, so that an object without a discriminator keeps the record's entity.
    ///   - place: The place of the object.
    func entity(
        of object: ValueObject, declaredAs declared: EntityMap, isStored: Bool, at place: Place
    ) throws -> EntityMap? {
        if declared.discriminator == nil && !declared.shape.isAbstract { return declared }
        guard let map = try mapping.map(of: object, declaredAs: declared) else {
            let name = declared.discriminator ?? ""
            try reports.add(
                .wrongEntity, at: place.member(name),
                expected: "what stands for '\(declared.shape.name)' or an entity that inherits it",
                found: (object[name] ?? .null).finding)
            return nil
        }
        if !map.shape.isAbstract || isStored && mapping.isSilent(object, declaredAs: declared) { return map }
        try reports.add(
            .wrongEntity, at: place,
            expected: "an object that says of which entity it is, as '\(map.shape.name)' is abstract",
            found: "one that does not")
        return nil
    }
}
