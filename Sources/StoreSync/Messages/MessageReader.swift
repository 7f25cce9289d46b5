import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the members of one object of a message.
///
/// Unknown members are ignored, so that a later version may add some.
struct MessageReader {
    let object: ValueObject
    let path: [String]

    init(_ value: Value, path: [String] = []) throws(MessageError) {
        guard case .object(let object) = value else { throw MessageError(path: path, problem: "expected an object") }
        self.object = object
        self.path = path
    }

    /// Creates a reader of a whole message.
    init(_ data: Data) throws(MessageError) {
        do throws(JSONError) {
            object = try ValueObject(json: data, tagged: Self.tagged)
        } catch {
            throw MessageError(path: [], problem: "the message is not JSON of the protocol: \(error)")
        }
        path = []
    }

    /// The members with values of records, which are in the form of `Value.taggedJSON` to arrive unchanged.
    static let tagged: Set<String> = ["entries", "mutations", "outcomes"]

    /// Whether a member that may be missing or null has a value.
    func has(_ name: String) -> Bool { object[name].map { !$0.isNull } ?? false }

    func error(_ name: String, _ problem: String) -> MessageError {
        MessageError(path: path + [name], problem: problem)
    }

    func value(_ name: String) throws(MessageError) -> Value {
        guard let value = object[name] else { throw error(name, "it is missing") }
        return value
    }

    func text(_ name: String) throws(MessageError) -> String {
        guard case .string(let text) = try value(name) else { throw error(name, "expected text") }
        return text
    }

    /// Reads a number from 0 up.
    func number(_ name: String) throws(MessageError) -> Int64 {
        guard case .integer(let number) = try value(name), number >= 0 else {
            throw error(name, "expected a whole number from 0 up")
        }
        return number
    }

    func count(_ name: String) throws(MessageError) -> Int {
        guard let count = Int(exactly: try number(name)) else { throw error(name, "the number is too large") }
        return count
    }

    /// Reads a number from 1 up.
    func size(_ name: String) throws(MessageError) -> Int {
        let size = try count(name)
        guard size > 0 else { throw error(name, "expected a whole number from 1 up") }
        return size
    }

    /// Reads the version of the protocol.
    func version() throws(MessageError) -> Int {
        let version = try number("version")
        guard version == StoreProtocol.version else {
            throw error(
                "version",
                "the message has version \(version) of the protocol, and this library knows \(StoreProtocol.version):"
                    + " update the end with the lower one")
        }
        return StoreProtocol.version
    }

    func bool(_ name: String) throws(MessageError) -> Bool {
        guard case .bool(let value) = try value(name) else { throw error(name, "expected true or false") }
        return value
    }

    func texts(_ name: String) throws(MessageError) -> [String] {
        try Self.texts(value(name), at: path + [name])
    }

    private static func texts(_ value: Value, at path: [String]) throws(MessageError) -> [String] {
        try elements(of: value, at: path) { value, path throws(MessageError) in
            guard case .string(let text) = value else { throw MessageError(path: path, problem: "expected text") }
            return text
        }
    }

    /// Reads lists of names by name.
    func names(_ name: String) throws(MessageError) -> [String: [String]] {
        let lists = try object(name)
        var names: [String: [String]] = [:]
        for member in lists.object.members {
            names[member.name] = try Self.texts(member.value, at: lists.path + [member.name])
        }
        return names
    }

    func numbers(_ name: String) throws(MessageError) -> [Int64] {
        try list(name) { value, path throws(MessageError) in
            guard case .integer(let number) = value else {
                throw MessageError(path: path, problem: "expected a whole number")
            }
            return number
        }
    }

    func list<Element>(
        _ name: String, _ read: (Value, [String]) throws(MessageError) -> Element
    ) throws(MessageError) -> [Element] {
        try Self.elements(of: value(name), at: path + [name], read)
    }

    private static func elements<Element>(
        of value: Value, at path: [String], _ read: (Value, [String]) throws(MessageError) -> Element
    ) throws(MessageError) -> [Element] {
        guard case .array(let values) = value else { throw MessageError(path: path, problem: "expected an array") }
        var elements: [Element] = []
        elements.reserveCapacity(values.count)
        for (position, value) in values.enumerated() {
            elements.append(try read(value, path + ["\(position)"]))
        }
        return elements
    }

    func object(_ name: String) throws(MessageError) -> MessageReader {
        try MessageReader(value(name), path: path + [name])
    }
}
