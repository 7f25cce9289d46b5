#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The JSON of elements of a type, as the attribute `content` of a record stores it.
///
/// An element is written over the stored text, so that members that its type neither reads nor writes are kept.
struct JSONContent<Element: Codable>: Sendable {
    /// The members that elements have encoded so far as text, integers or truth values.
    ///
    /// It is nil if a member was neither a native value nor a collection of native values.
    private let exactMembers = Locked<Set<String>?>([])

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
        // The only invalid JSON that the encoder writes is NaN, for a decimal that is not a number.
        if text.utf8.contains(UInt8(ascii: "N")), text.contains("NaN") { _ = try value(of: text) }
        guard let stored else { return text }
        if text.hasSameScalars(as: stored) { return stored }
        // If all members are native, and the edited ones exact, only null can be read as another value. The scan leaves
        // null to the code below.
        if exactMembers.current != nil, let edited = JSONLockstep.editedMembers(of: text, over: stored),
            areExact(edited, of: element)
        {
            return text
        }
        let former = try? self.element(of: stored)
        if let former, try jsonText(of: former).hasSameScalars(as: stored) {
            return try isSame(element, as: former) ? stored : text
        }
        let new = try value(of: text)
        // No members can be kept of a stored text that is not JSON.
        guard let old = try? Value(json: stored, options: .exact) else { return text }
        let content = try keepingMembers(of: old, in: new, element, former: former)
        return content == old ? stored : content == new ? text : try content.json(.sortedNames)
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

    /// Returns the JSON of an element, with the stored members that its type does not know, or reads as the same.
    private func keepingMembers(of old: Value, in new: Value, _ element: Element, former: Element?) throws -> Value {
        let written = try? ValueEncoder().survey(element).value
        let read = ValueDecoder().membersRead(by: Element.self, of: old)
        func content(_ edit: MemberEdit?) -> Value {
            new.keepingMembers(of: old, written: written, read: read, edit: edit)
        }
        let plain = content(nil)
        guard let former, let edit = try? MemberEdit(from: former, to: element) else { return plain }
        let edited = content(edit)
        if edited == plain { return plain }
        // A type may read one member from several stored ones.
        let copy = try? self.element(of: edited.json(.sortedNames))
        return try copy.map { try isSame(element, as: $0) } == true ? edited : plain
    }

    /// Whether two elements encode the same, in sets in any order.
    private func isSame(_ element: Element, as other: Element) throws -> Bool {
        try ValueEncoder().survey(element, isSorted: true).value == ValueEncoder().survey(other, isSorted: true).value
    }

    /// Whether some members of an element are text, integers or truth values, and all members that its type has encoded
    /// so far are native values or collections of native values.
    ///
    /// Other native values may be stored in another form than the type writes, such as a UUID in small letters. Then a
    /// member with another text is not always an edited one.
    ///
    /// - Complexity: O(number of names), and the encoding of an element for a member that is not known to be exact
    private func areExact(_ names: Set<String>, of element: Element) -> Bool {
        guard let known = exactMembers.current else { return false }
        if names.isSubset(of: known) { return true }
        guard let survey = try? ValueEncoder().survey(element), survey.hasOnlyNativeMembers,
            case .object(let members) = survey.value
        else {
            exactMembers.withLock { $0 = nil }
            return false
        }
        let exact = Set(members.members.filter { $0.value.isExactInJSON }.map(\.name))
        exactMembers.withLock { $0?.formUnion(exact) }
        return names.isSubset(of: exact)
    }
}

extension Value {
    /// Whether it has one form in JSON, from which a type reads exactly this value.
    fileprivate var isExactInJSON: Bool {
        switch self {
        case .bool, .integer, .string: true
        case .object(let object): !object.values.isEmpty && object.values.allSatisfy(\.isExactInJSON)
        default: false
        }
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
