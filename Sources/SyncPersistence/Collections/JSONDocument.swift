#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An element together with all members of its JSON, also those that its type does not know.
///
/// ```swift
/// // {"id":7,"starred":true,"text":"milk"}
/// var document = try JSONDecoder().decode(JSONDocument<Note>.self, from: data)
/// try document.edit { $0.text = "oat milk" }
/// try JSONEncoder().encode(document)  // {"id":7,"starred":true,"text":"oat milk"}
/// ```
///
/// An older version of an app loses fields of a newer one if its messages hold elements. It loses none if they hold
/// documents: see ``PersistentCollection/documents``. Two documents are equal if their members are.
///
/// A document is coded as its members. Its element is read and written as `JSONDecoder()` and `JSONEncoder()` do
/// without further settings, whatever coder is used for the document: give a type that has dates as text a coding that
/// says so.
public struct JSONDocument<Element: Codable & Identifiable & Sendable>: Identifiable, Sendable
where Element.ID: Sendable {
    /// The element.
    public private(set) var element: Element

    /// All members of its JSON.
    public private(set) var members: ValueObject

    /// The document of a new element, which has no members but those that its type writes.
    ///
    /// - Throws: `EncodingError` if the element has no JSON, or none that is an object; what it throws when it is encoded.
    public init(_ element: Element) throws {
        let text = try JSONContent<Element>().text(of: element, over: nil)
        self.init(element, try JSONDocument.members(of: text))
    }

    /// The document of members.
    ///
    /// - Throws: `DecodingError` if no element can be read from the members, or if one of them has no JSON.
    public init(members: ValueObject) throws {
        try self.init(text: Value.object(members).json(.sortedNames))
    }

    /// The document of a JSON text.
    init(text: String) throws {
        self.init(try JSONContent<Element>().element(of: text), try JSONDocument.members(of: text))
    }

    private init(_ element: Element, _ members: ValueObject) {
        self.element = element
        self.members = members
    }

    private static func members(of text: String) throws -> ValueObject {
        guard case .object(let members) = try Value(json: text, options: .exact).withCanonicalNumbers else {
            throw DecodingError.typeMismatch(
                ValueObject.self, .init(codingPath: [], debugDescription: "a document is an object"))
        }
        return members
    }
}

extension JSONDocument {
    /// The id of the element.
    public var id: Element.ID { element.id }

    /// Edits the element; members that its type neither reads nor writes are kept.
    ///
    /// - Throws: What the body throws; `EncodingError` if the element has no JSON. Nothing has changed then.
    /// - Complexity: O(size of the document)
    public mutating func edit(_ body: (inout Element) throws -> Void) throws {
        // An element that is an object of a class is not to change with the copy.
        let (content, text) = (JSONContent<Element>(), try text)
        var element = try content.element(of: text)
        try body(&element)
        self = try JSONDocument(text: content.text(of: element, over: text))
    }

    /// The JSON text.
    var text: String { get throws { try Value.object(members).json(.sortedNames) } }
}

extension JSONDocument: Equatable {
    /// Whether both have equal members.
    public static func == (left: JSONDocument, right: JSONDocument) -> Bool { left.members == right.members }
}

extension JSONDocument: Codable {
    /// Decodes the members, and the element from them.
    ///
    /// - Throws: `DecodingError` if there are no members, or no element can be read from them.
    public init(from decoder: any Decoder) throws {
        guard case .object(let members) = try PlainJSON(from: decoder).value else {
            throw DecodingError.typeMismatch(
                ValueObject.self, .init(codingPath: decoder.codingPath, debugDescription: "a document is an object"))
        }
        try self.init(members: members)
    }

    /// Encodes the members.
    public func encode(to encoder: any Encoder) throws { try PlainJSON(.object(members)).encode(to: encoder) }
}

extension Value {
    /// This value with one form for each number: an integer, or else a decimal, or else a double.
    fileprivate var withCanonicalNumbers: Value {
        switch self {
        case .array(let elements): .array(elements.map(\.withCanonicalNumbers))
        case .object(let object):
            .object(ValueObject(distinct: object.names, object.values.map(\.withCanonicalNumbers)))
        default: canonicalNumber
        }
    }
}
