extension SchemaResolution {
    /// Returns the shape of the journal of a shape, whose records are old images.
    static func journal(of shape: Shape) -> Shape {
        let keySlots = Set(shape.keySlots)
        let slots = shape.slots.enumerated().map { position, slot in
            var content = slot.content
            if case .reference(let destination, let types, _) = content {
                content = .reference(to: destination, types, isEnforced: false)
            }
            return Slot(
                slot.name, content, isOptional: !keySlots.contains(position), default: slot.defaultValue,
                declaredBy: JournalShape.name(of: slot.declaredBy), renamedFrom: slot.renamedFrom,
                isInternal: slot.isInternal)
        }
        let name = JournalShape.name(of: shape.name)
        return Shape(
            name: name, lineage: shape.lineage.map(JournalShape.name), isAbstract: shape.isAbstract,
            slots: slots + JournalShape.ownSlots(declaredBy: JournalShape.name(of: shape.root)),
            keySlots: shape.keySlots, relationships: [], incoming: [], role: .journal(of: shape.name))
    }

    /// The shapes that every schema has.
    static let ownShapes = [
        Shape(
            name: "sync.metadata", lineage: ["sync.metadata"], isAbstract: false,
            slots: [
                Slot("name", .attribute(.string), isOptional: false, declaredBy: "sync.metadata"),
                Slot("value", .attribute(.string), isOptional: false, declaredBy: "sync.metadata"),
            ], keySlots: [0], relationships: [], incoming: [], role: .metadata),
        Shape(
            name: Shape.historyName, lineage: [Shape.historyName], isAbstract: false,
            slots: [
                Slot("entity", .attribute(.string), isOptional: false, declaredBy: Shape.historyName),
                Slot("key", .attribute(.string), isOptional: false, declaredBy: Shape.historyName),
                Slot(
                    "sequence", .attribute(.integer), isOptional: false, isIndexed: true,
                    declaredBy: Shape.historyName),
                Slot("writer", .attribute(.string), declaredBy: Shape.historyName),
            ], keySlots: [0, 1], relationships: [], incoming: [], role: .history),
        Shape(
            name: "sync.payloads", lineage: ["sync.payloads"], isAbstract: false,
            slots: [
                Slot("family", .attribute(.string), isOptional: false, declaredBy: "sync.payloads"),
                Slot("number", .attribute(.integer), isOptional: false, declaredBy: "sync.payloads"),
                Slot("sequence", .attribute(.integer), isOptional: false, declaredBy: "sync.payloads"),
                Slot("content", .attribute(.bytes), declaredBy: "sync.payloads"),
            ], keySlots: [0, 1], relationships: [], incoming: [], role: .payloads),
        Shape(
            name: Shape.inFlightName, lineage: [Shape.inFlightName], isAbstract: false,
            slots: [
                Slot("entity", .attribute(.string), isOptional: false, declaredBy: Shape.inFlightName),
                Slot("key", .attribute(.string), isOptional: false, declaredBy: Shape.inFlightName),
                Slot("image", .attribute(.string), declaredBy: Shape.inFlightName),
            ], keySlots: [0, 1], relationships: [], incoming: [], role: .inFlight),
    ]
}

extension Shape {
    /// The name of the shape of the history's rows.
    static let historyName = "sync.history"

    /// The name of the shape of records that were sent and have no response yet.
    static let inFlightName = "sync.inFlight"
}
