/// The faults in the definitions of a ``Schema``: all of them, not only the first.
public struct SchemaError: Error, Hashable, Sendable {
    /// The faults, in the order of the definitions.
    public let faults: [Fault]

    /// Creates an error with at least one fault.
    init(faults: [Fault]) {
        self.faults = faults
    }

    /// A fault in the definitions.
    public struct Fault: Hashable, Sendable {
        /// The name of the entity.
        public let entity: String
        /// The name of the property, or nil for a fault of the entity itself.
        public let property: String?
        /// The description of the fault, and a remedy.
        public let message: String

        /// Creates a fault of an entity, or of one of its properties.
        init(entity: String, property: String? = nil, message: String) {
            self.entity = entity
            self.property = property
            self.message = message
        }
    }
}

extension SchemaError: CustomStringConvertible {
    /// All faults, one per line.
    public var description: String {
        "the schema has \(faults.count) fault\(faults.count == 1 ? "" : "s"):\n"
            + faults.map { "  \($0)" }.joined(separator: "\n")
    }
}

extension SchemaError.Fault: CustomStringConvertible {
    /// The names and the message.
    public var description: String {
        "\(entity)\(property.map { ".\($0)" } ?? ""): \(message)"
    }
}
