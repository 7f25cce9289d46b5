import SyncPersistence

/// Rows of text under headings, of which those that nothing stands under are left out.
struct Table {
    private let headings: [String]
    private var rows: [[String]] = []

    /// The lines, with columns as wide as what stands in them; none without rows.
    var lines: [String] {
        if rows.isEmpty { return [] }
        let used = headings.indices.filter { column in rows.contains { !$0[column].isEmpty } }
        let widths = used.map { column in ([headings] + rows).map { $0[column].count }.max() ?? 0 }
        return ([headings] + rows).map { row in
            let cells = zip(used, widths).map { column, width in
                row[column] + String(repeating: " ", count: width - row[column].count)
            }
            return String(cells.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
        }
    }
}

extension Table {
    init(attributesOf entity: Entity) {
        headings = ["attribute", "type", "key", "remote key", "optional", "default", "else"]
        rows = entity.attributes.map { attribute in
            [
                attribute.name, attribute.type.rawValue, attribute.isPrimaryKey ? "key" : "",
                attribute.remoteKey ?? "", attribute.isOptional ? "optional" : "",
                attribute.defaultValue.isNull ? "" : "\(attribute.defaultValue)",
                words([
                    attribute.isIndexed ? "indexed" : nil, attribute.isExportable ? nil : "not exported",
                    attribute.transformer.map { "by \($0)" }, attribute.renamedFrom.map { "was \($0)" },
                ]),
            ]
        }
    }

    init(relationshipsOf entity: Entity) {
        headings = ["relationship", "leads to", "inverse", "on deletion", "remote key", "optional", "else"]
        rows = entity.relationships.map { relationship in
            [
                relationship.name, "\(relationship.isToMany ? "many" : "one") \(relationship.destination)",
                relationship.inverse ?? "", relationship.deleteRule.rawValue, relationship.remoteKey ?? "",
                relationship.isOptional ? "optional" : "",
                words([
                    relationship.isOrdered ? "ordered" : nil, relationship.isExportable ? nil : "not exported",
                    relationship.renamedFrom.map { "was \($0)" },
                ]),
            ]
        }
    }
}

extension Entity {
    /// Such as `Novel (inherits Book)`.
    var title: String {
        let words = words([
            isAbstract ? "abstract" : nil, parent.map { "inherits \($0)" }, renamedFrom.map { "was \($0)" },
        ])
        return words.isEmpty ? name : "\(name) (\(words))"
    }
}

private func words(_ words: [String?]) -> String { words.compactMap(\.self).joined(separator: ", ") }
