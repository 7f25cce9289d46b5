#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension RecordCoding where Element: Codable & Identifiable, Key == Element.ID, Key: Codable {
    /// The coding of a codable type: a record of two attributes, `id` and `content`, the element's JSON.
    ///
    /// - Parameter entity: The name of the entity.
    public static func json(entity name: String) -> RecordCoding {
        let keyCoding = KeyCoding(Key.self)
        let content = JSONContent<Element>()
        return RecordCoding(
            entity: name, key: { $0.id },
            value: { key in
                do {
                    return try keyCoding.value(of: key)
                } catch {
                    throw PersistenceError(
                        .wrongType, "an id has no form in JSON: \(CodingReason(error))",
                        id: RecordID(name, .string("\(key)")), property: "id")
                }
            },
            encode: { element, record in
                let key = try keyCoding.value(of: element.id)
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
            }, names: content.memberNames)
    }

    /// The entity that such a coding needs.
    static func jsonEntity(named name: String) -> Entity {
        Entity(
            name,
            attributes: [
                Attribute("id", KeyCoding(Key.self).type, isPrimaryKey: true),
                Attribute("content", .string, isOptional: false),
            ])
    }
}

/// How the identifiers of a type are kept: what is a number, text or UUID as such, all else as its JSON.
private enum KeyCoding {
    case integer, uuid, string, json

    init(_ type: any Sendable.Type) {
        self =
            switch type {
            case let integers as any FixedWidthInteger.Type where KeyCoding.fits(integers): .integer
            case is UUID.Type: .uuid
            case is String.Type: .string
            default: .json
            }
    }

    /// Whether all numbers of a type are numbers of the store.
    private static func fits<Integer: FixedWidthInteger>(_: Integer.Type) -> Bool {
        Int64(exactly: Integer.max) != nil && Int64(exactly: Integer.min) != nil
    }

    var type: AttributeType {
        switch self {
        case .integer: .integer
        case .uuid: .uuid
        case .string, .json: .string
        }
    }

    func value(of key: some Codable & Sendable) throws -> Value {
        switch (self, key) {
        case (.integer, let key as any FixedWidthInteger): .integer(Int64(truncatingIfNeeded: key))
        case (.uuid, let key as UUID): .uuid(key)
        case (.string, let key as String): .string(key)
        default: .string(try jsonText(of: key))
        }
    }
}

/// The JSON of a value; equal values have equal JSON, as long as they encode themselves in one way.
func jsonText(of value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}

/// A value from its JSON.
func jsonValue<Result: Decodable>(_: Result.Type, from text: String) throws -> Result {
    try JSONDecoder().decode(Result.self, from: Data(text.utf8))
}
