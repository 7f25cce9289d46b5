#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The JSON of elements of a type, as a record's attribute `content` keeps it.
///
/// An element is written over what is stored, so that members that its type neither reads nor writes are kept.
struct JSONContent<Element: Codable>: Sendable {
    /// The text of an element.
    ///
    /// It is the stored text as it is if nothing of the element differs from that.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - stored: The text that it replaces; nil for a new element.
    /// - Throws: What the element throws when it is encoded; ``UnreadableContent``.
    /// - Complexity: O(length of both texts)
    func text(of element: Element, over stored: String?) throws -> String {
        let text = try jsonText(of: element)
        guard let stored else {
            // The encoder writes a decimal that is not a number so: nothing else of what it writes is unreadable.
            if text.utf8.contains(UInt8(ascii: "N")), text.contains("NaN") { _ = try value(of: text) }
            return text
        }
        if text.hasSameScalars(as: stored) { return stored }
        if JSONLockstep.isEdit(text, of: stored) { return text }
        let new = try value(of: text)
        // Of what is no JSON nothing can be kept.
        guard let old = try? Value(json: stored, options: .exact) else { return text }
        let content = new.hasMembers(of: old) ? new : keepingMembers(of: old, in: new, element)
        if content == old { return stored }
        if content.unorderedHash == old.unorderedHash, try isSame(element, as: stored) { return stored }
        return content == new ? text : try content.json(.sortedNames)
    }

    /// The element of a text.
    func element(of text: String) throws -> Element {
        try JSONDecoder().decode(Element.self, from: Data(text.utf8))
    }

    /// The members that the type reads of an element's JSON.
    func members(of value: Value) -> MemberTree { MemberTree(ValueDecoder().membersRead(by: Element.self, of: value)) }

    /// The value of what an element has encoded.
    private func value(of text: String) throws(UnreadableContent) -> Value {
        do {
            return try Value(json: text, options: .exact)
        } catch {
            throw UnreadableContent(text.contains("NaN") ? "a decimal in it is not a number" : "\(error)")
        }
    }

    private func keepingMembers(of old: Value, in new: Value, _ element: Element) -> Value {
        new.keepingMembers(
            of: old, written: try? ValueEncoder().survey(element).value,
            read: ValueDecoder().membersRead(by: Element.self, of: old))
    }

    /// Whether an element differs from a stored one in the order of sets alone.
    private func isSame(_ element: Element, as stored: String) throws -> Bool {
        let survey = try ValueEncoder().survey(element, isSorted: true)
        guard survey.hasUnorderedParts, let old = try? self.element(of: stored) else { return false }
        return try ValueEncoder().survey(old, isSorted: true).value == survey.value
    }
}

extension JSONOptions {
    /// Those by which numbers are read exactly.
    static var exact: JSONOptions {
        var options = JSONOptions()
        options.readsDecimals = true
        return options
    }
}

/// What an element has encoded is no JSON that can be read back.
struct UnreadableContent: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
