#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The JSON of elements of a type, as the attribute `content` of a record stores it.
///
/// An element is written over the stored text, so that members that its type neither reads nor writes are kept.
struct JSONContent<Element: Codable>: Sendable {
    /// Returns the text of an element.
    ///
    /// It is the stored text if the element does not differ from that.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - stored: The text to replace; nil for a new element.
    /// - Throws: The error of encoding the element; ``UnreadableContent``.
    /// - Complexity: O(length of both texts)
    func text(of element: Element, over stored: String?) throws -> String {
        let text = try jsonText(of: element)
        guard let stored else {
            // The only invalid JSON that the encoder writes is NaN, for a decimal that is not a number.
            if text.utf8.contains(UInt8(ascii: "N")), text.contains("NaN") { _ = try value(of: text) }
            return text
        }
        if text.hasSameScalars(as: stored) { return stored }
        if JSONLockstep.isEdit(text, of: stored) { return text }
        let new = try value(of: text)
        // No members can be kept of a stored text that is not JSON.
        guard let old = try? Value(json: stored, options: .exact) else { return text }
        let content = new.hasMembers(of: old) ? new : keepingMembers(of: old, in: new, element)
        if content == old { return stored }
        if content.unorderedHash == old.unorderedHash, try isSame(element, as: stored) { return stored }
        return content == new ? text : try content.json(.sortedNames)
    }

    /// Returns the element of a text.
    func element(of text: String) throws -> Element {
        try JSONDecoder().decode(Element.self, from: Data(text.utf8))
    }

    /// Returns the members that the type reads of an element's JSON.
    func members(of value: Value) -> MemberTree { MemberTree(ValueDecoder().membersRead(by: Element.self, of: value)) }

    /// Returns the value of an encoded element.
    private func value(of text: String) throws(UnreadableContent) -> Value {
        do {
            return try Value(json: text, options: .exact)
        } catch {
            throw UnreadableContent(text.contains("NaN") ? "a decimal in it is not a number" : "\(error)")
        }
    }

    /// Returns the JSON of an element, with the stored members that its type neither reads nor writes.
    private func keepingMembers(of old: Value, in new: Value, _ element: Element) -> Value {
        new.keepingMembers(
            of: old, written: try? ValueEncoder().survey(element).value,
            read: ValueDecoder().membersRead(by: Element.self, of: old))
    }

    /// Whether an element differs from a stored one only in the order of sets.
    private func isSame(_ element: Element, as stored: String) throws -> Bool {
        let survey = try ValueEncoder().survey(element, isSorted: true)
        guard survey.hasUnorderedParts, let old = try? self.element(of: stored) else { return false }
        return try ValueEncoder().survey(old, isSorted: true).value == survey.value
    }
}

extension JSONOptions {
    /// The options that read numbers exactly.
    static var exact: JSONOptions {
        var options = JSONOptions()
        options.readsDecimals = true
        return options
    }
}

/// The error for an element whose encoded text is not valid JSON.
struct UnreadableContent: Error, CustomStringConvertible {
    /// The reason.
    let description: String

    /// Creates an error with a reason.
    init(_ description: String) { self.description = description }
}
