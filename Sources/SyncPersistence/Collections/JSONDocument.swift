#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An element with all members of its JSON, including those that its type does not read.
///
/// ```swift
/// // {"id":7,"starred":true,"text":"milk"}
/// var document = try JSONDecoder().decode(JSONDocument<Note>.self, from: data)
/// try document.edit { $0.text = "oat milk" }
/// try JSONEncoder().encode(document)  // {"id":7,"starred":true,"text":"oat milk"}
/// ```
///
/// An older version of an app loses fields of a newer one if its messages contain elements. It loses none if they
/// contain documents: see ``PersistentCollection/documents``. Two documents are equal if their members are equal.
///
/// A document is coded as its members. Its element is always read and written by `JSONDecoder()` and `JSONEncoder()`
/// without further settings, even if the document uses another coder. A type with dates as text therefore needs a
/// coding of its own for them.
public struct JSONDocument<Element: Codable & Identifiable & Sendable>: Identifiable, Sendable
where Element.ID: Sendable {
    /// The element.
    public private(set) var element: Element

    /// All members of its JSON.
    public private(set) var members: ValueObject

    /// Creates the document of a new element, with only the members that its type writes.
    ///
    /// - Throws: `EncodingError` if the element has no JSON, or its JSON is not an object; the error of encoding the
    ///   element.
    public init(_ element: Element) throws {
        let text = try JSONContent<Element>().text(of: element, over: nil)
        self.init(element, try JSONDocument.members(of: text))
    }

    /// Creates the document of members.
    ///
    /// - Throws: `DecodingError` if no element can be read from the members, or if a member has no JSON.
    public init(members: ValueObject) throws {
        try self.init(text: Value.object(members).json(.sortedNames))
    }

    /// Creates the document of a JSON text.
    init(text: String) throws {
        self.init(try JSONContent<Element>().element(of: text), try JSONDocument.members(of: text))
    }

    /// Creates a document of an element and all of its members.
    private init(_ element: Element, _ members: ValueObject) {
        self.element = element
        self.members = members
    }

    /// Returns the members of a JSON object, with one form for each number.
    ///
    /// - Throws: `DecodingError` for JSON that is no object; `JSONError` for malformed text.
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

    /// Edits the element.
    ///
    /// Members that its type neither reads nor writes are kept.
    ///
    /// - Throws: The error of the body; `EncodingError` if the element has no JSON. The document is then unchanged.
    /// - Complexity: O(size of the document)
    public mutating func edit(_ body: (inout Element) throws -> Void) throws {
        // The element may be an instance of a class, which a copy would share: it is decoded anew.
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
