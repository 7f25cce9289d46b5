extension Schema {
    /// Requires that definitions have the names of this schema in the same Unicode scalars.
    ///
    /// Swift regards the composed and the decomposed form of an "é" as equal. Databases, metadata and fingerprints do
    /// not, so records under the other form would not be found.
    ///
    /// - Throws: ``PersistenceError`` with all names that have other scalars.
    /// - Complexity: O(number of properties)
    func requireSpelling(of entities: [Entity]) throws(PersistenceError) {
        let known = Dictionary(self.entities.map { ($0.name, $0) }) { first, _ in first }
        var faults: [SchemaError.Fault] = []
        for entity in entities {
            guard let stored = known[entity.name] else { continue }
            let names = Set(stored.propertyNames)
            let properties = entity.propertyNames.compactMap { name in
                names.firstIndex(of: name).map { (stored: names[$0], now: name, property: name as String?) }
            }
            for name in [(stored: stored.name, now: entity.name, property: nil)] + properties
            where !name.stored.hasSameScalars(as: name.now) {
                let message =
                    "it is \"\(name.stored.escapedScalars)\" in the store, and \"\(name.now.escapedScalars)\" in the "
                    + "schema: spell it as the store does"
                faults.append(SchemaError.Fault(entity: entity.name, property: name.property, message: message))
            }
        }
        if faults.isEmpty { return }
        throw PersistenceError(
            .schemaChange,
            "the store has names in other Unicode scalars:\n" + faults.map { "  \($0)" }.joined(separator: "\n"))
    }
}

extension Entity {
    /// The names of the properties that it declares.
    fileprivate var propertyNames: [String] { attributes.map(\.name) + relationships.map(\.name) }
}

extension String {
    /// The text with escapes for scalars beyond ASCII.
    fileprivate var escapedScalars: String { unicodeScalars.map { $0.escaped(asASCII: true) }.joined() }
}
