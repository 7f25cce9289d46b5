import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Builds an object of a message, member by member.
struct MessageWriter {
    private var names: [String] = []
    private var values: [Value] = []

    /// The member that is text already, after all others; nil if there is none.
    private var written: (name: String, text: [UInt8])?

    mutating func set(_ name: String, _ value: Value) {
        names.append(name)
        values.append(value)
    }

    mutating func set(_ name: String, _ text: String) { set(name, .string(text)) }

    mutating func set(_ name: String, _ number: some BinaryInteger) { set(name, .integer(Int64(clamping: number))) }

    /// Writes a member unless the value is nil.
    mutating func set<Member>(_ name: String, ifAny member: Member?, _ json: (Member) -> Value) {
        if let member { set(name, json(member)) }
    }

    /// Writes lists of names by name, in a stable order.
    mutating func set(_ name: String, names lists: [String: [String]]) {
        let members = lists.sorted { $0.key < $1.key }
        set(
            name, .object(ValueObject(distinct: members.map(\.key), members.map { .array($0.value.map(Value.string)) }))
        )
    }

    /// Writes the last member, whose value is text already.
    mutating func set(_ name: String, text: [UInt8]) { written = (name, text) }

    /// The object as a value, if no member is text already.
    var json: Value {
        assert(written == nil, "a member that is text would be lost")
        return .object(ValueObject(distinct: names, values))
    }

    /// The object as JSON text in UTF-8, with the values of records in the tagged form.
    ///
    /// All other members are text, whole numbers and truth values, which JSON has a form for.
    var data: Data {
        let object = (try? ValueObject(distinct: names, values).jsonBytes(tagged: MessageReader.tagged)) ?? []
        guard let written else { return Data(object) }
        // The last member stands before the closing bracket.
        return Data(object.dropLast() + ",\"\(written.name)\":".utf8 + written.text + "}".utf8)
    }
}
