import SyncPersistence

extension ModelReading {
    /// Reads an entity with its properties, and appends it to the drafts.
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
    /// It reports a fault for an entity without a name, or with the name of an earlier one.
    ///
    /// - Parameter element: An `entity` element.
    /// - Complexity: O(*n*) for *n* elements and XML attributes in it
    mutating func readEntity(_ element: MarkupElement) {
        guard let name = element["name"], !name.isEmpty else {
            log.fault(element.position, nil, "this entity has no name: give it one")
            return
        }
        if let position = positions[name] {
            let line = drafts[position].position.line
            log.fault(element.position, name, "the entity in line \(line) has this name: rename one of them")
            return
        }
        log.reportUnusedAttributes(of: element, name)
        var draft = EntityDraft(entity: Entity(name), position: element.position)
        draft.entity.parent = element["parentEntity"].flatMap { $0.isEmpty ? nil : $0 }
        draft.entity.isAbstract = element.flag("isAbstract", name, &log)
        draft.entity.renamedFrom = element["elementID"]
        for child in element.children {
            switch child.name {
            case "attribute", "relationship", "fetchedProperty": readProperty(child, of: &draft)
            case "userInfo":
                var words = child.entries(name, &log)
                // Xcode writes this for an empty line.
                if words["key"] == "value" { words["key"] = nil }
                draft.entity.userInfo = words
            case "uniquenessConstraints":
                for constraint in child.children {
                    let names = constraint.children.compactMap { $0["value"] }
                    if !names.isEmpty { draft.constraints.append((names, constraint.position)) }
                }
            case "fetchIndex": break
            default: log.reportSkipped(child, name)
            }
        }
        let indexes = element.children.filter { $0.name == "fetchIndex" }
        if !indexes.isEmpty { readIndexes(indexes, of: &draft) }
        positions[name] = drafts.count
        drafts.append(draft)
    }

    /// Reads a property, and adds it to its entity.
    ///
    /// Transient, derived and fetched properties are left out with a notice. Their places are kept, so that an inverse
    /// or a second property with the name is found.
    ///
    /// - Parameters:
    ///   - element: An `attribute`, `relationship` or `fetchedProperty` element.
    ///   - draft: The entity.
    private mutating func readProperty(_ element: MarkupElement, of draft: inout EntityDraft) {
        guard let name = element["name"], !name.isEmpty else {
            log.fault(element.position, draft.entity.name, "this \(element.name) has no name: give it one")
            return
        }
        let subject = "\(draft.entity.name).\(name)"
        if let place = draft.places[name] {
            log.fault(
                element.position, subject,
                "the property of the entity in line \(place.line) has this name: rename one of them")
            return
        }
        draft.places[name] = element.position
        if element.name == "fetchedProperty" {
            log.reportSkipped(element, draft.entity.name)
            return
        }
        log.reportUnusedAttributes(of: element, subject)
        if element.flag("transient", subject, &log) {
            log.notice(
                element.position, subject, "it is transient, and left out: what is not stored is for the app to keep")
            if element.name == "relationship" { draft.transientRelationships.insert(name) }
        } else if element.flag("derived", subject, &log) {
            let expression = element["derivationExpression"].map { " from '\($0)'" } ?? ""
            log.notice(
                element.position, subject, "it is derived\(expression), and left out: compute it from what is read")
        } else if element.name == "attribute" {
            draft.entity.attributes.append(readAttribute(element, name, subject))
        } else if let relationship = readRelationship(element, name, subject) {
            draft.entity.relationships.append(relationship)
            draft.inverseEntities[name] = element["inverseEntity"]
        }
    }

    /// Marks the first attribute of each index as indexed.
    ///
    /// For example, an index of `name` and `year` becomes an index of `name`, with a notice about `year`. An index of
    /// a relationship needs neither, because stores always index references.
    ///
    /// It reports the other parts of indexes, because an index of a schema has one attribute.
    ///
    /// - Parameters:
    ///   - indexes: The `fetchIndex` elements of the entity.
    ///   - draft: The entity with all of its attributes.
    private mutating func readIndexes(_ indexes: [MarkupElement], of draft: inout EntityDraft) {
        let subject = draft.entity.name
        let attributes = Set(draft.entity.attributes.map(\.name))
        let relationships = Set(draft.entity.relationships.map(\.name))
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
        draft.entity.attributes = draft.entity.attributes.map { attribute in
            var attribute = attribute
            if indexed.contains(attribute.name) { attribute.isIndexed = true }
            return attribute
        }
    }
}
