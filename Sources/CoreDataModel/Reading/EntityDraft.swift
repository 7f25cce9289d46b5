import SyncPersistence

/// An entity while its model is read.
///
/// A definition of a schema has no places, and no parts that the schema does not express. A draft keeps both, because
/// later steps need them for findings.
struct EntityDraft {
    /// The definition so far.
    var entity: Entity
    /// The place of its element.
    let position: MarkupPosition

    /// The places of its properties, including those that are left out.
    private(set) var places: [String: MarkupPosition] = [:]

    /// The relationships that are left out.
    private(set) var transientRelationships: Set<String> = []

    /// The stated entities of its inverses, by the names of its relationships.
    private(set) var inverseEntities: [String: String] = [:]

    /// The properties that its constraints make unique together.
    private(set) var constraints: [(names: [String], position: MarkupPosition)] = []

    /// Reads an entity with its properties.
    ///
    /// ```
    /// <entity name="Book" parentEntity="Item" elementID="Volume">
    ///     <attribute name="pages" attributeType="Integer 32" optional="YES"/>
    ///     <relationship name="author" destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
    ///     <uniquenessConstraints><uniquenessConstraint><constraint value="isbn"/></uniquenessConstraint></uniquenessConstraints>
    /// </entity>
    /// ```
    ///
    /// `elementID` is Xcode's renaming identifier, the name in an earlier version.
    ///
    /// - Parameters:
    ///   - name: Its name, which is not empty.
    ///   - element: An `entity` element.
    ///   - log: Collects the faults and skipped parts in it.
    /// - Complexity: O(*n*) for *n* elements and XML attributes in it
    init(_ name: String, _ element: MarkupElement, _ log: inout FindingLog) {
        log.reportUnusedAttributes(of: element, name)
        entity = Entity(name)
        position = element.position
        entity.parent = element["parentEntity"].flatMap { $0.isEmpty ? nil : $0 }
        entity.isAbstract = element.flag("isAbstract", name, &log)
        entity.renamedFrom = element["elementID"]
        for child in element.children {
            switch child.name {
            case "attribute", "relationship", "fetchedProperty": readProperty(child, &log)
            case "userInfo":
                var words = child.entries(name, &log)
                // Xcode writes this for an empty line.
                if words["key"] == "value" { words["key"] = nil }
                entity.userInfo = words
            case "uniquenessConstraints":
                for constraint in child.children {
                    let names = constraint.children.compactMap { $0["value"] }
                    if !names.isEmpty { constraints.append((names, constraint.position)) }
                }
            case "fetchIndex": break
            default: log.reportSkipped(child, name)
            }
        }
        let indexes = element.children.filter { $0.name == "fetchIndex" }
        if !indexes.isEmpty { readIndexes(indexes, &log) }
    }

    /// Reads a property, and adds it to the entity.
    ///
    /// Transient, derived and fetched properties are left out with a notice. Their places are kept, so that an inverse
    /// or a second property with the name is found.
    ///
    /// - Parameter element: An `attribute`, `relationship` or `fetchedProperty` element.
    private mutating func readProperty(_ element: MarkupElement, _ log: inout FindingLog) {
        guard let name = element["name"], !name.isEmpty else {
            log.fault(element.position, entity.name, "this \(element.name) has no name: give it one")
            return
        }
        let subject = "\(entity.name).\(name)"
        if let place = places[name] {
            log.fault(
                element.position, subject,
                "the property of the entity in line \(place.line) has this name: rename one of them")
            return
        }
        places[name] = element.position
        if element.name == "fetchedProperty" {
            log.reportSkipped(element, entity.name)
            return
        }
        log.reportUnusedAttributes(of: element, subject)
        let reading = PropertyReading(element: element, name: name, subject: subject)
        if element.flag("transient", subject, &log) {
            log.notice(
                element.position, subject, "it is transient, and left out: what is not stored is for the app to keep")
            if element.name == "relationship" { transientRelationships.insert(name) }
        } else if element.flag("derived", subject, &log) {
            let expression = element["derivationExpression"].map { " from '\($0)'" } ?? ""
            log.notice(
                element.position, subject, "it is derived\(expression), and left out: compute it from what is read")
        } else if element.name == "attribute" {
            entity.attributes.append(reading.attribute(&log))
        } else if let relationship = reading.relationship(&log) {
            entity.relationships.append(relationship)
            inverseEntities[name] = element["inverseEntity"]
        }
    }

    /// Marks the first attribute of each index as indexed, when all attributes are read.
    ///
    /// For example, an index of `name` and `year` becomes an index of `name`, with a notice about `year`. An index of
    /// a relationship needs neither, because stores always index references.
    ///
    /// It reports the other parts of indexes, because an index of a schema has one attribute.
    ///
    /// - Parameter indexes: The `fetchIndex` elements of the entity.
    private mutating func readIndexes(_ indexes: [MarkupElement], _ log: inout FindingLog) {
        let subject = entity.name
        let attributes = Set(entity.attributes.map(\.name))
        let relationships = Set(entity.relationships.map(\.name))
        var indexed: Set<String> = []
        for index in indexes {
            log.reportUnusedAttributes(of: index, subject)
            let name = index["name"].map { " '\($0)'" } ?? ""
            for (number, child) in index.children.enumerated() {
                if child.name != "fetchIndexElement" {
                    log.reportSkipped(child, subject)
                    continue
                }
                log.reportUnusedAttributes(of: child, subject)
                let property = child["property"] ?? ""
                if number == 0, attributes.contains(property), child["type"] ?? "Binary" == "Binary" {
                    indexed.insert(property)
                } else if number > 0 || !relationships.contains(property) {
                    log.notice(
                        child.position, subject,
                        "the index\(name) is not made of '\(property)': an index is of one attribute of the entity's own"
                    )
                }
            }
        }
        for position in entity.attributes.indices where indexed.contains(entity.attributes[position].name) {
            entity.attributes[position].isIndexed = true
        }
    }
}
