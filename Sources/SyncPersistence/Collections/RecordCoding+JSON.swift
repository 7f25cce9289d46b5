#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension RecordCoding where Element: Codable & Identifiable, Key == Element.ID, Key: Codable {
    /// Returns the coding of a codable type: a record of two attributes, `id` and `content`, the element's JSON.
    ///
    /// - Parameter name: The name of the entity.
    public static func json(entity name: String) -> RecordCoding {
        let keyCoding = KeyCoding(Key.self)
        let content = JSONContent<Element>()
        let keyValue: @Sendable (Key) throws -> Value = { key in
            do {
                return try keyCoding.value(of: key)
            } catch {
                let reason = (error as? PersistenceError)?.message
                throw PersistenceError(
                    .wrongType, reason ?? "an id has no form in JSON: \(CodingReason(error))",
                    id: RecordID(name, .string("\(key)")), property: "id")
            }
        }
        return RecordCoding(
            entity: name, key: { $0.id }, value: keyValue,
            encode: { element, record in
                let key = try keyValue(element.id)
                let stored: String? = if case .string(let text) = record["content"] { text } else { nil }
                do {
                    let text = try content.text(of: element, over: stored)
                    record["id"] = key
                    record["content"] = .string(text)
                } catch {
                    throw PersistenceError(
                        .wrongType, "it has no form in JSON: \(CodingReason(error))", id: RecordID(name, key),
                        property: "content")
                }
            },
            decode: { record in
                guard case .string(let text) = record["content"] else {
                    throw PersistenceError(.unreadable, "it has no content", id: record.id, property: "content")
                }
                return try content.element(of: text)
            }, members: .content(content.members), adopt: content.adopting)
    }

    /// Returns the entity that a JSON coding requires.
    static func jsonEntity(named name: String) -> Entity {
        Entity(
            name,
            attributes: [
                Attribute("id", KeyCoding(Key.self).type, isPrimaryKey: true),
                Attribute("content", .string, isOptional: false),
            ])
    }
}

/// Returns the JSON of a value, with sorted members.
func jsonText(of value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}

/// Returns a value from its JSON.
func jsonValue<Result: Decodable>(_: Result.Type, from text: String) throws -> Result {
    try JSONDecoder().decode(Result.self, from: Data(text.utf8))
}
