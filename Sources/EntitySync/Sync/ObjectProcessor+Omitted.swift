import SyncPersistence

/// Objects that are reported and omitted.
extension ObjectProcessor {
    /// Records that the payload specifies the records nested in an omitted object, so that they are not deleted.
    ///
    /// They are not stored either. Nested objects whose key cannot be read are searched in the same way.
    func specifyRecords(nestedIn object: ValueObject, _ declared: EntityMap) throws {
        // The object has been reported as a whole.
        let mapper = ObjectMapper(mapping: mapping, reports: SyncReports(isStrict: false, limit: 0))
        var pending = [(object: object, map: try mapping.map(of: object, declaredAs: declared) ?? declared)]
        while let (object, map) = pending.popLast() {
            for link in map.links(of: object, map.plan(for: object), .root) {
                guard let json = link.objects?.json else { continue }
                let destination = try mapping.destination(of: link.relationship)
                let list: Value = link.relationship.definition.isToMany ? json : .array([json])
                guard let (elements, names) = destination.objects(in: list) else { continue }
                for (index, element) in elements.enumerated() {
                    let name = names?[index]
                    guard let (object, value) = destination.object(for: element, inMap: name != nil) else { continue }
                    let map = try mapping.map(of: object, declaredAs: destination) ?? destination
                    if map.saysDeleted(object) { continue }
                    let surroundings = map.usesSurroundings ? Surroundings(mapKey: name, element: value) : nil
                    if map.hasKey, case .key(let key) = try mapper.key(of: object, map, surroundings, at: .root),
                        let stored = try records.implicitKeys.primaryKey(map, of: key)
                    {
                        footprint.specify(destination.token(of: stored))
                    }
                    pending.append((object, map))
                }
            }
        }
    }
}
